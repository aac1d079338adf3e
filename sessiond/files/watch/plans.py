"""The plans of many requested directories, each of which can be made again separately."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from sessiond.files import disk
from sessiond.files.watch.plan import Asked, Event, WatchPlan

_Index = dict[str, set[Asked]]
_Mark = tuple[int, ...] | None
"""Device, inode, mode and owner of a directory; None if it cannot be examined."""


class Plans:
    """A plan for each requested directory, found by the paths in it.

    Neither the cost of an event nor that of adding a directory grows with the number of requested
    directories.
    """

    def __init__(self) -> None:
        self._plans: dict[Asked, WatchPlan] = {}
        self._named: _Index = {}
        """Directories whose files are reported."""
        self._anchors: _Index = {}
        self._awaited: _Index = {}
        self._around: _Index = {}
        """Directories that contain the named ones, links, and missing directories."""
        self._marks: dict[str, _Mark] = {}
        """The state of each of these when it was last examined."""
        self._places: dict[Asked, set[str]] = {}
        """Which of these belong to a request."""

    def __contains__(self, asked: Asked) -> bool:
        return asked in self._plans

    def __iter__(self) -> Iterator[Asked]:
        """The requested directories."""
        return iter(self._plans)

    @property
    def directories(self) -> int:
        """Number of directories whose files are reported."""
        return len(self._named)

    def add(self, asked: Asked, plan: WatchPlan) -> None:
        """Add the plan of a requested directory, which has none yet."""
        self._plans[asked] = plan
        self._places[asked] = {_place(name, seen) for name, seen in plan.seen.items()}
        for place in self._places[asked]:
            if place not in self._marks:
                self._marks[place] = _mark(place)
        for index, paths in self._indexed(asked):
            for path in paths:
                index.setdefault(path, set()).add(asked)

    def remove(self, asked: Asked) -> list[str]:
        """Remove a plan; returns the directories that are in no plan any more."""
        plan = self._plans[asked]
        for index, paths in self._indexed(asked):
            for path in paths:
                index[path].discard(asked)
                if not index[path]:
                    del index[path]
        for place in self._places.pop(asked):
            if place not in self._around:
                del self._marks[place]
        del self._plans[asked]
        return [
            each
            for each in plan.directories
            if each not in self._named and each not in self._anchors
        ]

    def outdated(self) -> set[Asked]:
        """The requests whose plan is outdated: see `WatchPlan.outdated`."""
        return {asked for asked, plan in self._plans.items() if plan.outdated()}

    def moved(self) -> set[Asked]:
        """The same, if the cause is a move or a link above a directory, or the link that it is.

        Examines each directory that contains requested ones once. So it takes much less time than
        `outdated` if there are many in one, but does not notice a mount over one of them.
        """
        suspects: set[Asked] = set()
        for place, before in self._marks.items():
            now = _mark(place)
            if now != before:
                self._marks[place] = now
                suspects |= self._around[place]
        return {asked for asked in suspects if self._plans[asked].outdated()}

    def interpret(self, events: Iterable[Event]) -> tuple[set[str], set[Asked]]:
        """Return the names to report, and the requests whose plan has to be made again."""
        of: dict[Asked, list[Event]] = {}
        for event in events:
            _, path = event
            for index, key in (
                (self._named, path),
                (self._named, os.path.dirname(path)),
                (self._anchors, path),
                (self._awaited, path),
            ):
                for asked in index.get(key, ()):
                    of.setdefault(asked, []).append(event)
        changed: set[str] = set()
        stale: set[Asked] = set()
        for asked, own in of.items():
            names, is_stale = self._plans[asked].interpret(own)
            changed |= names
            if is_stale:
                stale.add(asked)
        return changed, stale

    def _indexed(self, asked: Asked) -> tuple[tuple[_Index, Iterable[str]], ...]:
        plan = self._plans[asked]
        return (
            (self._around, self._places[asked]),
            (self._named, plan.names),
            (self._anchors, plan.anchors),
            (self._awaited, plan.awaited),
        )


def _place(name: str, seen: tuple[int, int] | None) -> str:
    """What to examine in order to notice that the name leads to another directory than before.

    The move of the directory itself is an event.
    """
    return name if seen is None or disk.islink(name) else os.path.dirname(name)


def _mark(place: str) -> _Mark:
    try:
        seen = disk.stat(place)
    except OSError:
        return None
    return seen.st_dev, seen.st_ino, seen.st_mode, seen.st_uid, seen.st_gid
