"""The interface of a watcher for those who follow sessions, whatever tells it of changes."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, Protocol

WatchedPath = tuple[str, bool]
"""A requested directory, by the name given, and whether to include directories below it."""


class Watching(Protocol):
    """Tells which sessions may have changed."""

    mode: Literal["native", "polling", "off"]
    events: int
    """How many changes were reported."""

    @property
    def directories(self) -> int:
        """How many directories are watched."""

    def watch(self, directory: str, *, recursive: bool = False) -> None:
        """Report changes in a directory. Calls are counted: each needs its `unwatch`."""

    def unwatch(self, directory: str, *, recursive: bool = False) -> None:
        """Undo one `watch`."""

    def names(self, path: str) -> Collection[str]:
        """The names under which changes of a session may be reported."""
