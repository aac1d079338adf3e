"""The views of the entries of a branch or of a whole tree; every result knows its call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy

from sessiond.format.entries import Entry
from sessiond.format.tree.tree import Tree
from sessiond.format.view import blocks as kinds
from sessiond.format.view.blocks import Block, EntryView, Safe, limit
from sessiond.format.view.entry import call_of, calls_in, result_facts, view_of

_RESULT = "toolResult"
_CALLER = "assistant"
_ASKER = "user"
_HAS_CALL = b'"toolCall"'
_MOST_ANSWERS = 1000
"""Answers of a tree that are looked at above a result: as many calls may be made at once."""


class Views:
    """Makes views of the entries of one branch, or of any entries of a tree.

    A result belongs to the nearest answer above it that has its call; other answers and results may
    stand between them. On a branch a call knows its result, too; in a tree it may have another one
    on each branch.
    """

    def __init__(
        self,
        tree: Tree,
        branch: Sequence[Entry] | None = None,
        safe: Safe = str,
        most: int | None = None,
    ) -> None:
        """`branch` None: the whole tree. `most`: characters of each text; None: all of them."""
        self._tree = tree
        self._is_branch = branch is not None
        self._entries = tree.entries if branch is None else branch
        self._safe = safe
        self._most = most
        self._nearest: dict[int, int | None] = {}
        """In a tree: positions of entries that are no answers, and of the nearest answer
        above each."""
        self._callers: dict[str, int] = {}
        """By the ids of calls: the position of the last answer with it that was looked at."""
        self._calls: dict[int, Mapping[str, Block | bytes]] = {}
        """The calls of answers that were looked at, by position; raw where no view was made."""
        self._begin = 0
        """No answer before this position has been looked at."""
        self._ahead = 0
        """Results before this position are known to their calls."""
        self._waiting: dict[str, int] = {}
        """By the ids of calls before `_ahead` without a result: the position of the answer."""
        self._results: dict[tuple[int, str], tuple[str | None, bool]] = {}
        """By answer and call: the entry of the result, and whether that has a diff."""

    def views(self, first: int, stop: int) -> Iterator[EntryView]:
        """Yield the views of the entries from position `first` up to `stop`."""
        self._begin = self._ahead = first
        for at in range(first, stop):
            entry = self._entries[at]
            view = self._view(at, self._tree.label(entry.id))
            if entry.role == _CALLER:
                if self._remember(at, view) and self._is_branch:
                    self._join_results(view, at)
            elif entry.role == _RESULT and view.blocks:
                self._join_call(view, at)
            if self._most is not None:
                limit(view, self._most)
            yield view

    def _view(self, at: int, label: str | None) -> EntryView:
        entry = self._entries[at]
        return view_of(entry, label, self._safe)

    def _remember(self, at: int, view: EntryView | None = None) -> Mapping[str, Block | bytes]:
        """Note the calls of an answer; without a `view` as they are written."""
        if view is None:
            calls: Mapping[str, Block | bytes] = calls_in(self._entries[at].raw)
        else:
            calls = {
                block.call_id: copy(block)
                for block in view.blocks
                if block.kind == kinds.CALL and block.call_id
            }
        self._calls[at] = calls
        for call_id in calls:
            self._callers[call_id] = max(at, self._callers.get(call_id, at))
        return calls

    def _join_call(self, view: EntryView, at: int) -> None:
        """Say in the view of a result which call it belongs to."""
        call_id = view.blocks[0].call_id or ""
        caller = self._caller(at, call_id)
        call = None if caller is None else self._calls[caller].get(call_id)
        if caller is None or call is None:
            return
        if isinstance(call, bytes):
            call = call_of(call, self._safe)
        view.blocks[0].call_entry_id = self._entries[caller].id
        view.blocks[0].title = call.text or None
        for block in view.blocks:
            if block.kind in {kinds.RESULT, kinds.DIFF}:
                block.path = call.path

    def _caller(self, at: int, call_id: str) -> int | None:
        """Return the position of the answer with the call of the result at a position."""
        if not self._is_branch:
            return self._caller_above(at, call_id)
        while call_id not in self._callers and self._begin > 0:
            self._begin -= 1
            entry = self._entries[self._begin]
            if entry.role == _CALLER and _HAS_CALL in entry.raw:
                self._remember(self._begin)
        return self._callers.get(call_id)

    def _caller_above(self, at: int, call_id: str) -> int | None:
        """Return the position of the nearest answer above an entry of a tree with a call."""
        place = self._nearest_answer(at)
        for _ in range(_MOST_ANSWERS):
            if place is None:
                break
            if place not in self._calls:
                self._remember(place)
            if call_id in self._calls[place]:
                return place
            place = self._nearest_answer(place)
        return None

    def _nearest_answer(self, at: int) -> int | None:
        """Return the position of the nearest answer above an entry of a tree."""
        passed: list[int] = []
        nearest: int | None = None
        place = self._above(at)
        while place is not None and place not in self._nearest:
            if self._entries[place].role == _CALLER:
                nearest = place
                break
            # None also ends a circle of parents.
            self._nearest[place] = None
            passed.append(place)
            place = self._above(place)
        else:
            nearest = None if place is None else self._nearest[place]
        self._nearest.update(dict.fromkeys(passed, nearest))
        return nearest

    def _above(self, at: int) -> int | None:
        parent_id = self._tree.parent_of(at)
        return None if parent_id is None else self._tree.by_id.get(parent_id)

    def _join_results(self, view: EntryView, at: int) -> None:
        """Say in the view of an answer which entries have its results; show each edit once."""
        self._read_ahead(at)
        edited: set[str | None] = set()
        for block in view.blocks:
            result = self._results.get((at, block.call_id or ""))
            if result is not None and block.kind == kinds.CALL:
                block.result_entry_id, has_diff = result
                if has_diff:
                    edited.add(block.call_id)
        if edited:
            view.blocks = [
                each
                for each in view.blocks
                if each.kind != kinds.DIFF or each.call_id not in edited
            ]

    def _read_ahead(self, at: int) -> None:
        """Find the results of calls up to the next prompt after a position."""
        while self._ahead < len(self._entries):
            entry = self._entries[self._ahead]
            if entry.role == _ASKER and self._ahead > at:
                return
            if entry.role == _CALLER and _HAS_CALL in entry.raw:
                self._waiting.update(dict.fromkeys(calls_in(entry.raw), self._ahead))
            elif entry.role == _RESULT:
                call_id, has_diff = result_facts(entry.raw)
                caller = self._waiting.pop(call_id or "", None)
                if caller is not None and call_id is not None:
                    self._results[caller, call_id] = entry.id, has_diff
            self._ahead += 1
