"""Planning what becomes of a context: all its methods."""

from __future__ import annotations

from collections.abc import Mapping

from sessiond.methods import planning
from sessiond.methods.app import App, Handler


def load(_app: App) -> Mapping[str, Handler]:
    """The methods by name."""
    return planning.METHODS
