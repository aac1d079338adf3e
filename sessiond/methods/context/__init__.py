"""Methods of the family `context/`, which plan what a model receives."""

from __future__ import annotations

from sessiond.methods.app import App, Handlers
from sessiond.methods.context import plan, tokens


def load(_app: App) -> list[Handlers]:
    """Return the methods, by their names on the wire."""
    return [tokens.METHODS, plan.METHODS]
