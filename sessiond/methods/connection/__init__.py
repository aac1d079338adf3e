"""The connection itself: its settings, its end, and what the daemon tells of itself."""

from __future__ import annotations

from sessiond.methods.client import Client
from sessiond.methods.connection import lifecycle
from sessiond.methods.handlers import Handlers


def load(_client: Client) -> list[Handlers]:
    """Return the methods, by their names on the wire."""
    return [lifecycle.METHODS]
