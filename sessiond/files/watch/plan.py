"""Plan which directories to watch in order to see all changes in the requested ones."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable

import attrs

from sessiond.files import disk

Asked = tuple[str, bool]
"""A requested directory, by the name given, and whether to include directories below it."""

Event = tuple[bool, str]
"""Whether something is known to be removed, and its path below a watched directory's real path."""

DATABASES = (".sqlite", ".db")
SUFFIXES = (".jsonl", ".json", *DATABASES)
"""Sessions, the gateway's stores, and databases of either. Temporary files and locks have a further
suffix."""

_JOURNAL = "-wal"
"""What the name of a file ends with that grows with every change of the database beside it."""

_DEPTH = 3
"""How deep `recursive` goes: sessions/<year>/<month>/<day> is the deepest place of sessions.

Links to directories are followed; the limit keeps a link to / from watching the whole disk.
"""


def _is_no_database(path: str) -> bool:  # noqa: ARG001
    return False


@attrs.frozen
class WatchedNames:
    """Which names matter to those who watch."""

    suffixes: tuple[str, ...] = SUFFIXES
    """What the names of the files end with that are reported."""
    is_database: Callable[[str], bool] = _is_no_database
    """Whether a path names a database that is asked for as if it were a directory."""


@attrs.frozen
class WatchPlan:
    """The directories to watch, by real path, and how their changes map to the requested names."""

    names: dict[str, set[str]]
    """Real path of a directory → the names under which its files are reported."""
    parents: frozenset[str]
    """Real paths of directories in which new directories are to be watched as well."""
    anchors: frozenset[str]
    """Real paths of the nearest existing directories above missing ones."""
    awaited: frozenset[str]
    """Paths in an anchor that must appear before a missing directory can exist."""
    seen: dict[str, tuple[int, int] | None]
    """Name → device and inode when the plan was made; None if it could not be watched."""
    suffixes: tuple[str, ...] = SUFFIXES
    """Those of `WatchedNames`."""

    @property
    def directories(self) -> list[str]:
        """Real paths of all directories to watch, without duplicates."""
        return sorted(self.anchors.union(self.names))

    def outdated(self) -> bool:
        """Whether a name now leads to another directory than when the plan was made.

        The system reports no event for that on a watched directory: neither for a move of a
        directory above it, nor for a new target of a link, nor for a mount over it.
        """
        return any(identify(name) != identity for name, identity in self.seen.items())

    def interpret(self, events: Iterable[Event]) -> tuple[set[str], bool]:
        """Return the names to report, and whether the plan must be made again."""
        changed: set[str] = set()
        stale = touched = False
        for gone, path in events:
            parent, name = os.path.split(path)
            if path in self.names or path in self.anchors:
                # A new directory under the same name may get the inode of the old one.
                stale |= gone
                touched = True
            stale |= path in self.awaited
            for directory in self.names.get(parent, ()):
                database = name.removesuffix(_JOURNAL)
                if database != name and database.endswith(DATABASES):
                    changed.add(os.path.join(directory, database))
                elif name.endswith(self.suffixes):
                    changed.add(os.path.join(directory, name))
                elif parent in self.parents and path not in self.names and not gone:
                    stale |= identify(path) is not None
        return changed, stale or (touched and self.outdated())


def make_plan(asked: Iterable[Asked], suffixes: tuple[str, ...] = SUFFIXES) -> WatchPlan:
    """Make a plan for the directories as they are now. Blocking."""
    names: dict[str, set[str]] = {}
    parents: set[str] = set()
    anchors: set[str] = set()
    awaited: set[str] = set()
    seen: dict[str, tuple[int, int] | None] = {}

    def add(directory: str, depth: int) -> None:
        seen[directory] = identify(directory)
        if seen[directory] is None:
            return
        real = disk.realpath(directory)
        names.setdefault(real, set()).add(directory)
        if depth:
            parents.add(real)
            for below in _directories_in(directory):
                add(below, depth - 1)

    for directory, recursive in asked:
        add(directory, _DEPTH if recursive else 0)
        child, above = directory, directory
        while seen.setdefault(above, identify(above)) is None and above != os.path.dirname(above):
            child, above = above, os.path.dirname(above)
        # Directories above the roots are not watched.
        if child != above and seen[above] is not None:
            real = disk.realpath(above)
            anchors.add(real)
            awaited.add(os.path.join(real, os.path.basename(child)))
    return WatchPlan(
        names, frozenset(parents), frozenset(anchors), frozenset(awaited), seen, suffixes
    )


def identify(path: str) -> tuple[int, int] | None:
    """Device and inode of a directory; None if it cannot be watched."""
    try:
        seen = disk.stat(path)
    except OSError:
        return None
    is_readable = stat.S_ISDIR(seen.st_mode) and disk.is_readable(path)
    return (seen.st_dev, seen.st_ino) if is_readable else None


def _directories_in(directory: str) -> list[str]:
    try:
        with disk.scandir(directory) as items:
            return [item.path for item in items if item.is_dir()]
    except OSError:
        return []
