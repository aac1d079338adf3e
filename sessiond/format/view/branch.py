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


class BranchView:
    """Makes the views of one branch of a tree, page by page.

    A result belongs to a call of the last answer of a model before it, as agents write them.
    """

    def __init__(
        self, tree: Tree, branch: Sequence[Entry], safe: Safe = str, most: int | None = None
    ) -> None:
        """`most`: characters of each text; None: all of them."""
        self._tree = tree
        self._branch = branch
        self._safe = safe
        self._most = most

    def views(self, first: int, stop: int) -> Iterator[EntryView]:
        """Yield the views of the entries from position `first` up to `stop` on the branch."""
        caller, calls = self._calls_before(first)
        for at in range(first, stop):
            entry = self._branch[at]
            view = view_of(entry, self._line(at), self._tree.label(entry.id), self._safe)
            if entry.role == _CALLER:
                caller, calls = entry.id, _calls(view)
                self._join_results(view, at, dict(calls))
            elif entry.role == _RESULT:
                _join_call(view, caller, calls)
            if self._most is not None:
                limit(view, self._most)
            yield view

    def _line(self, at: int) -> bytes:
        return self._tree.line(self._branch[at])

    def _calls_before(self, first: int) -> tuple[str | None, dict[str, Block]]:
        """Return the id and the calls of the answer whose results may stand at `first`."""
        for at in range(first - 1, -1, -1):
            entry = self._branch[at]
            if entry.role == _CALLER:
                return entry.id, _calls(view_of(entry, self._line(at), None, self._safe))
            if entry.role == _ASKER:
                break
        return None, {}

    def _join_results(self, view: EntryView, at: int, waiting: dict[str, Block]) -> None:
        """Tell each call of an answer which entry has its result, and let edits be shown once."""
        shown: set[str | None] = set()
        for place in range(at + 1, len(self._branch)):
            follower = self._branch[place]
            if not waiting or follower.role in {_CALLER, _ASKER}:
                break
            if follower.role != _RESULT:
                continue
            call_id, has_diff = result_facts(self._line(place))
            call = waiting.pop(call_id or "", None)
            if call is not None:
                call.result_entry_id = follower.id
                if has_diff:
                    shown.add(call_id)
        if shown:
            view.blocks = [
                each for each in view.blocks if each.kind != kinds.DIFF or each.call_id not in shown
            ]


class TreeView:
    """Makes the views of any entries of a tree.

    A result belongs to a call of the last answer above it. A call does not know its result, because
    it may have another one on each branch.
    """

    def __init__(self, tree: Tree, safe: Safe = str) -> None:
        self._tree = tree
        self._safe = safe
        self._callers: dict[int, int | None] = {}
        """Indices of entries, and of the answer above each whose results may stand there."""
        self._caller: int | None = None
        self._calls: dict[str, Block] = {}
        """The calls of `_caller`, the answer that was viewed last."""

    def views(self, first: int, stop: int) -> Iterator[EntryView]:
        """Yield the views of the entries from index `first` up to `stop` in file order."""
        for index in range(first, stop):
            entry = self._tree.entries[index]
            view = self._view(index, self._tree.label(entry.id))
            if entry.role == _CALLER:
                self._caller, self._calls = index, _calls(view)
            elif entry.role == _RESULT:
                caller = self._caller_above(index)
                if caller is not None:
                    if caller != self._caller:
                        self._caller, self._calls = caller, _calls(self._view(caller, None))
                    _join_call(view, self._tree.entries[caller].id, self._calls)
            yield view

    def _view(self, index: int, label: str | None) -> EntryView:
        entry = self._tree.entries[index]
        return view_of(entry, self._tree.line(entry), label, self._safe)

    def _caller_above(self, index: int) -> int | None:
        """Return the index of the answer whose results may stand at an index."""
        passed: list[int] = []
        caller: int | None = None
        at: int | None = index
        while at is not None and at not in self._callers:
            # Also ends a circle of parents.
            self._callers[at] = None
            passed.append(at)
            parent_id = self._tree.parent_of(at)
            at = None if parent_id is None else self._tree.by_id.get(parent_id)
            role = None if at is None else self._tree.entries[at].role
            if role == _CALLER:
                caller = at
            if role in {_CALLER, _ASKER}:
                break
        else:
            caller = None if at is None else self._callers[at]
        for each in passed:
            self._callers[each] = caller
        return caller


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
