"""The room of Codex, whose sessions are read and never written."""
