"""The names, ids and working directories of many sessions, in which tokens are searched at once."""

from __future__ import annotations

import threading
from array import array
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence

from sessiond.catalog.search.folding import fold
from sessiond.catalog.search.fuzzy import fuzzy_match
from sessiond.catalog.search.query import ELSEWHERE, Token
from sessiond.catalog.summaries import Summary
from sessiond.isolation import Faults

_KEPT = 2
"""Lists whose fields are kept: those that are searched while a user types."""

_KEPT_FROM = 64
"""Sessions; the fields of shorter lists are as fast to make as to find."""


class _Column:
    """One field of many sessions."""

    def __init__(self, values: Sequence[tuple[int, str]]) -> None:
        self._owners = array("I", [owner for owner, _ in values])
        self.values = [value for _, value in values]
        # No token contains a line break, so none is found across two values.
        self._text = "\n".join(self.values)
        self._ends = array("Q")
        end = 0
        for value in self.values:
            end += len(value) + 1
            self._ends.append(end)

    def holding(self, text: str) -> Iterator[tuple[int, str]]:
        """The sessions whose value contains the text, and the value."""
        at = self._text.find(text)
        while at >= 0:
            place = bisect_right(self._ends, at)
            yield self._owners[place], self.values[place]
            at = self._text.find(text, self._ends[place])


class SearchFields:
    """The fields of a list of sessions; sessions are numbered by their place in it."""

    def __init__(self, sessions: Sequence[Summary], faults: Faults) -> None:
        self.sessions = sessions
        self.places: list[int] = []
        """The sessions whose fields could be read."""
        names: list[tuple[int, str]] = []
        ids: list[tuple[int, str]] = []
        directories: dict[str, list[int]] = {}
        for place, item in enumerate(sessions):
            with faults.isolate(item.path):
                header = item.header
                ids.append((place, header.id.lower()))
                if item.name:
                    names.append((place, item.name))
                directories.setdefault(header.cwd or "", []).append(place)
                self.places.append(place)
        self._names = names
        self._ids = _Column(ids)
        self._directories = directories
        self._by_phrase: dict[bool, tuple[_Column, dict[str, list[int]]]] = {}

    def scores(self, token: Token, faults: Faults) -> dict[int, float]:
        """The score of each session that has the token in a field.

        That is the score of the name if it contains the token, else `ELSEWHERE`.
        """
        names, directories = self._normal(token.phrase, faults)
        found: dict[int, float] = {}
        for place, _ in self._ids.holding(token.text):
            found[place] = ELSEWHERE
        for directory, places in directories.items():
            if token.text in directory:
                found |= dict.fromkeys(places, ELSEWHERE)
        for place, name in names.holding(token.text):
            found.pop(place, None)
            with faults.isolate(self.sessions[place].path):
                score = fuzzy_match(token.text, name)
                if score is not None:
                    found[place] = score
        return found

    def _normal(
        self,
        phrase: bool,
        faults: Faults,
    ) -> tuple[_Column, dict[str, list[int]]]:
        if phrase in self._by_phrase:
            return self._by_phrase[phrase]
        before = len(faults)
        norm: Callable[[str], str] = fold if phrase else str.lower
        names: list[tuple[int, str]] = []
        for place, name in self._names:
            with faults.isolate(self.sessions[place].path):
                names.append((place, norm(name)))
        directories: dict[str, list[int]] = {}
        for directory, places in self._directories.items():
            with faults.isolate(self.sessions[places[0]].path):
                directories.setdefault(norm(directory), []).extend(places)
        made = _Column(names), directories
        if len(faults) == before:
            self._by_phrase[phrase] = made
        return made


_kept: OrderedDict[int, SearchFields] = OrderedDict()
_guard = threading.Lock()


def fields_of(sessions: Sequence[Summary], faults: Faults) -> SearchFields:
    """The fields of a list that never changes; those of the latest lists are kept."""
    with _guard:
        fields = _kept.get(id(sessions))
        if fields is not None and fields.sessions is sessions:
            _kept.move_to_end(id(sessions))
            return fields
    before = len(faults)
    fields = SearchFields(sessions, faults)
    if len(faults) == before and len(sessions) >= _KEPT_FROM:
        with _guard:
            _kept[id(sessions)] = fields
            while len(_kept) > _KEPT:
                _kept.popitem(last=False)
    return fields
