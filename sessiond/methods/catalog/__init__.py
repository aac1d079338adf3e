"""The family `catalog/`: the collection of session files."""

from __future__ import annotations

from sessiond.methods.app import App, Handlers
from sessiond.methods.catalog import export, files, search, stats, subscribe


def load(_app: App) -> list[Handlers]:
    """The methods of the family, by their names on the wire."""
    return [subscribe.METHODS, search.METHODS, files.METHODS, stats.METHODS, export.METHODS]
