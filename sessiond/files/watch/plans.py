"""The plans of many requested directories, each of which can be made again separately."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from sessiond.files.watch.plan import Asked, Event, WatchPlan

_Index = dict[str, set[Asked]]


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
        for index, paths in self._indexed(plan):
            for path in paths:
                index.setdefault(path, set()).add(asked)

    def remove(self, asked: Asked) -> list[str]:
        """Remove a plan; returns the directories that are in no plan any more."""
        plan = self._plans.pop(asked)
        for index, paths in self._indexed(plan):
            for path in paths:
                index[path].discard(asked)
                if not index[path]:
                    del index[path]
        return [
            each
            for each in plan.directories
            if each not in self._named and each not in self._anchors
        ]

    def outdated(self) -> set[Asked]:
        """The requests whose plan is outdated: see `WatchPlan.outdated`."""
        return {asked for asked, plan in self._plans.items() if plan.outdated()}

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

    def _indexed(self, plan: WatchPlan) -> tuple[tuple[_Index, Iterable[str]], ...]:
        return (
            (self._named, plan.names),
            (self._anchors, plan.anchors),
            (self._awaited, plan.awaited),
        )
