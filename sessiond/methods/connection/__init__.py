"""Methods of the connection itself: settings, shutdown, discovery and status."""

from __future__ import annotations

from sessiond.methods.client import Client
from sessiond.methods.connection import lifecycle
from sessiond.methods.handlers import Handlers


def load(_client: Client) -> list[Handlers]:
    """Return the methods, by their names on the wire."""
    return [lifecycle.METHODS]
