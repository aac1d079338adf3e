"""The family `catalog/`: the collection of session files."""
