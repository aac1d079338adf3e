"""The collection of session files: all its methods."""

from __future__ import annotations

from collections.abc import Mapping

from sessiond.methods import catalog, export, figures, search, upkeep
from sessiond.methods.app import App, Handler

_GROUPS = (catalog, search, upkeep, figures, export)


def load(_app: App) -> Mapping[str, Handler]:
    """The methods by name."""
    return {name: handler for group in _GROUPS for name, handler in group.METHODS.items()}
