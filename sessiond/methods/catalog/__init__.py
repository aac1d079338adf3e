"""The family `catalog/`: the collection of session files."""

from __future__ import annotations

from sessiond.methods.catalog import export, files, search, stats, subscribe, usage
from sessiond.methods.client import Client
from sessiond.methods.handlers import Handlers


def load(_app: Client) -> list[Handlers]:
    """The methods of the family, by their names on the wire."""
    return [
        subscribe.METHODS,
        search.METHODS,
        files.METHODS,
        stats.METHODS,
        usage.METHODS,
        export.METHODS,
    ]
