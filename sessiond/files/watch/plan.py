"""Which directories must be watched so that a change in those asked for is seen."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable

import attrs

from sessiond.files import disk

Asked = tuple[str, bool]
"""A directory by the name it is asked for, and whether those below it are meant, too."""

Event = tuple[bool, str]
"""Whether something is known to be gone, and its path below a watched directory's real path."""

SUFFIXES = (".jsonl", ".json")
"""Sessions and the gateway's stores. Temporary files and locks carry a suffix after these."""

_DEPTH = 2
"""How far down `recursive` goes: agents/<id>/sessions is the deepest place where sessions are.

Links to directories are followed, and one that leads to / must not have us watch the whole disk.
"""


@attrs.frozen
class WatchPlan:
    """What to watch, by real path, and what it means under the names asked for."""

    names: dict[str, set[str]]
    """Real path of a directory → the names its files are reported under."""
    parents: frozenset[str]
    """Real paths of those whose new directories are to be watched as well."""
    anchors: frozenset[str]
    """Real paths of the nearest directories that exist above those that do not."""
    awaited: frozenset[str]
    """What has to appear in an anchor before a missing directory can be there."""
    seen: dict[str, tuple[int, int] | None]
    """Name → what was found under it: device and inode, None for nothing that can be watched."""

    @property
    def directories(self) -> list[str]:
        """Real paths of everything to watch; none twice."""
        return sorted(self.anchors.union(self.names))

    def outdated(self) -> bool:
        """Whether a name no longer leads where it did, or leads somewhere at last.

        What the system tells of a watched directory does not say that: a move of a directory
        above it, another target of a link and a mount over it all go unnoticed.
        """
        return any(identify(name) != found for name, found in self.seen.items())

    def interpret(self, events: Iterable[Event]) -> tuple[set[str], bool]:
        """The names to report, and whether the plan has to be made again."""
        found: set[str] = set()
        stale = touched = False
        for gone, path in events:
            parent, name = os.path.split(path)
            if path in self.names or path in self.anchors:
                # A new directory under the same name may well get the inode of the old one.
                stale |= gone
                touched = True
            stale |= path in self.awaited
            for directory in self.names.get(parent, ()):
                if name.endswith(SUFFIXES):
                    found.add(os.path.join(directory, name))
                elif parent in self.parents and path not in self.names and not gone:
                    stale |= identify(path) is not None
        return found, stale or (touched and self.outdated())


def make_plan(asked: Iterable[Asked]) -> WatchPlan:
    """Look at the directories as they are now; blocks for as long as the disk does."""
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
        # Of what lies above the roots nothing is asked.
        if child != above and seen[above] is not None:
            real = disk.realpath(above)
            anchors.add(real)
            awaited.add(os.path.join(real, os.path.basename(child)))
    return WatchPlan(names, frozenset(parents), frozenset(anchors), frozenset(awaited), seen)


def identify(path: str) -> tuple[int, int] | None:
    """Device and inode of a directory that can be watched."""
    try:
        seen = disk.stat(path)
    except (OSError, ValueError):
        return None
    is_readable = stat.S_ISDIR(seen.st_mode) and os.access(path, os.R_OK)
    return (seen.st_dev, seen.st_ino) if is_readable else None


def _directories_in(directory: str) -> list[str]:
    try:
        with disk.scandir(directory) as items:
            return [item.path for item in items if item.is_dir()]
    except OSError:
        return []
