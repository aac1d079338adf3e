"""The room of Oh My Pi, of pi's family, which writes other names of directories."""
