"""The room of Claude Code, whose sessions are read and never written."""
