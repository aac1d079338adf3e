"""The daemon that serves coding-agent sessions; see ARCHITECTURE.md for its layers."""

__version__ = "0.2.0"
