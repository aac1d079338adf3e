"""The connection itself: its settings, its end, and what the daemon tells of itself."""

from __future__ import annotations

from sessiond.methods.app import App, Handlers
from sessiond.methods.connection import lifecycle


def load(_app: App) -> list[Handlers]:
    """Return the methods, by their names on the wire."""
    return [lifecycle.METHODS]
