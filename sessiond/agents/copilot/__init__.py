"""The room of Copilot CLI, whose sessions are read and never written."""
