"""Planning what becomes of a context: all its methods."""

from __future__ import annotations

from sessiond.methods import planning
from sessiond.methods.app import App, Handlers


def load(_app: App) -> list[Handlers]:
    """The methods."""
    return [planning.METHODS]
