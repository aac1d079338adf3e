"""The room of opencode, whose database is read and never written."""
