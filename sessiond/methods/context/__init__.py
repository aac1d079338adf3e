"""Methods of the family `context/`, which plan what a model receives."""

from __future__ import annotations

from sessiond.methods.client import Client
from sessiond.methods.context import plan, tokens
from sessiond.methods.handlers import Handlers


def load(_app: Client) -> list[Handlers]:
    """Return the methods, by their names on the wire."""
    return [tokens.METHODS, plan.METHODS]
