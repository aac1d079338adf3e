"""The collection of session files: all its methods."""

from __future__ import annotations

from sessiond.methods import catalog, export, figures, search, upkeep
from sessiond.methods.app import App, Handlers


def load(_app: App) -> list[Handlers]:
    """The methods."""
    return [group.METHODS for group in (catalog, search, upkeep, figures, export)]
