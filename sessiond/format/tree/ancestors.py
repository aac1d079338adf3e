"""Answer many questions about ancestors in a tree of entries, together in linear time."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import TypeVar

_Name = TypeVar("_Name", bound=Hashable)


class Ancestors:
    """Which entries are above which; `parents` has the index of each parent, None for roots.

    Entries that are their own ancestors, and all below them, are above and below nothing.
    """

    def __init__(self, parents: Sequence[int | None]) -> None:
        self.order: list[int] = []
        """The entries, each behind its parent and before the next one that is not below it."""
        self.depth = [0] * len(parents)
        self._entered = [-1] * len(parents)
        self._left = [-1] * len(parents)
        children: dict[int | None, list[int]] = {}
        for index, parent in enumerate(parents):
            children.setdefault(parent, []).append(index)
        waiting = children.get(None, [])[::-1]
        while waiting:
            index = waiting.pop()
            if self._entered[index] >= 0:
                self._left[index] = len(self.order)
                continue
            self._entered[index] = len(self.order)
            self.order.append(index)
            waiting.append(index)
            for child in reversed(children.get(index, ())):
                self.depth[child] = self.depth[index] + 1
                waiting.append(child)

    def is_above(self, ancestor: int, index: int) -> bool:
        """Whether an entry is an ancestor of another one; every entry is above itself."""
        return 0 <= self._entered[ancestor] <= self._entered[index] < self._left[ancestor]


def followed(links: dict[_Name, _Name | None], at: _Name | None) -> _Name | None:
    """Follow links to their end, which all that were passed then name at once.

    An end that has a link itself is a cycle.
    """
    passed: dict[_Name, None] = {}
    while at is not None and at in links and at not in passed:
        passed[at] = None
        at = links[at]
    links.update(dict.fromkeys(passed, at))
    return at


def cycles(parents: Sequence[int | None]) -> Iterator[list[int]]:
    """Yield the members of each cycle of two or more entries, in order."""
    walk_of: dict[int, int] = {}
    for start, parent in enumerate(parents):
        if parent is None or parent <= start:
            # Every cycle has a member that comes before its parent.
            continue
        walk: list[int] = []
        at: int | None = start
        while at is not None and at not in walk_of:
            walk_of[at] = start
            walk.append(at)
            at = parents[at]
        if at is not None and walk_of[at] == start and len(walk) - walk.index(at) > 1:
            yield sorted(walk[walk.index(at) :])
