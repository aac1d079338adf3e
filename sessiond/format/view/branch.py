"""The views of the entries of a branch or of a whole tree; every result knows its call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sessiond.format.entries import Entry
from sessiond.format.tree.tree import Tree
from sessiond.format.view import blocks as kinds
from sessiond.format.view.blocks import Block, EntryView, Safe, limit
from sessiond.format.view.entry import result_facts, view_of

_RESULT = "toolResult"
_CALLER = "assistant"
_ASKER = "user"


class Views:
    """Makes views of the entries of one branch, or of any entries of a tree.

    A result belongs to a call of the last answer of a model above it, as agents write them. On a
    branch a call knows its result, too; in a tree it may have another one on each branch.
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
        self._callers: dict[int, int | None] = {}
        """Positions of entries, and of the answer whose results may follow each."""
        self._caller: int | None = None
        self._calls: dict[str, Block] = {}
        """The calls of `_caller`, the answer that was viewed last."""

    def views(self, first: int, stop: int) -> Iterator[EntryView]:
        """Yield the views of the entries from position `first` up to `stop`."""
        for at in range(first, stop):
            entry = self._entries[at]
            view = self._view(at, self._tree.label(entry.id))
            if entry.role == _CALLER:
                self._caller, self._calls = at, _calls(view)
                if self._is_branch:
                    self._join_results(view, at, dict(self._calls))
            elif entry.role == _RESULT and (caller := self._caller_above(at)) is not None:
                if caller != self._caller:
                    self._caller, self._calls = caller, _calls(self._view(caller, None))
                _join_call(view, self._entries[caller].id, self._calls)
            if self._most is not None:
                limit(view, self._most)
            yield view

    def _view(self, at: int, label: str | None) -> EntryView:
        entry = self._entries[at]
        return view_of(entry, label, self._safe)

    def _above(self, at: int) -> int | None:
        """Return the position of the entry that the one at a position continues."""
        if self._is_branch:
            return at - 1 if at else None
        parent_id = self._tree.parent_of(at)
        return None if parent_id is None else self._tree.by_id.get(parent_id)

    def _caller_above(self, at: int) -> int | None:
        """Return the position of the answer whose results may stand at a position."""
        passed: list[int] = []
        caller: int | None = None
        place = self._above(at)
        while place is not None and place not in self._callers:
            role = self._entries[place].role
            # None also ends a circle of parents.
            self._callers[place] = caller = place if role == _CALLER else None
            passed.append(place)
            place = None if role in {_CALLER, _ASKER} else self._above(place)
        if place is not None:
            caller = self._callers[place]
        self._callers.update(dict.fromkeys(passed, caller))
        return caller

    def _join_results(self, view: EntryView, at: int, waiting: dict[str, Block]) -> None:
        """Tell each call of an answer which entry has its result, and let edits be shown once."""
        shown: set[str | None] = set()
        for place in range(at + 1, len(self._entries)):
            follower = self._entries[place]
            if not waiting or follower.role in {_CALLER, _ASKER}:
                break
            if follower.role != _RESULT:
                continue
            call_id, has_diff = result_facts(follower.raw)
            call = waiting.pop(call_id or "", None)
            if call is not None:
                call.result_entry_id = follower.id
                if has_diff:
                    shown.add(call_id)
        if shown:
            view.blocks = [
                each for each in view.blocks if each.kind != kinds.DIFF or each.call_id not in shown
            ]


def _calls(view: EntryView) -> dict[str, Block]:
    """Return the calls of an answer by their ids."""
    return {
        block.call_id: block for block in view.blocks if block.kind == kinds.CALL and block.call_id
    }


def _join_call(view: EntryView, caller: str | None, calls: dict[str, Block]) -> None:
    """Tell a result what it is the result of."""
    call = calls.get(view.blocks[0].call_id or "")
    if call is None:
        return
    view.blocks[0].call_entry_id = caller
    view.blocks[0].title = call.text or None
    for block in view.blocks:
        if block.kind in {kinds.RESULT, kinds.DIFF}:
            block.path = call.path
