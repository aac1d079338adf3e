"""The family `session/`: the SessionManager API on open sessions, and finding sessions."""

from __future__ import annotations

from sessiond.methods.app import App, Handlers
from sessiond.methods.session import append, read
from sessiond.methods.session.list import METHODS as LIST
from sessiond.methods.session.open import METHODS as OPEN


def load(_app: App) -> list[Handlers]:
    """Return the methods, by their names on the wire."""
    return [OPEN, LIST, append.METHODS, read.METHODS]
