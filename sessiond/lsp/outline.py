"""The conversation as a tree of turns, with branches below the entry where they part."""

from __future__ import annotations

from collections.abc import Callable

import attrs
from lsprotocol import types

from sessiond.format.tree.tree import Tree
from sessiond.lsp.rows import Row, Rows

DEEPEST = 16
"""How deep branches are nested; what is below is listed beside its parent, because editors draw
and decode symbols recursively."""

MOST = 50_000
"""Entries that are shown; editors do not survive a million."""

_KINDS = {
    "user": types.SymbolKind.String,
    "assistant": types.SymbolKind.Function,
    "toolResult": types.SymbolKind.Operator,
    "bashExecution": types.SymbolKind.Operator,
    "compaction": types.SymbolKind.Package,
    "branch_summary": types.SymbolKind.Package,
}

Symbols = list[types.DocumentSymbol]


@attrs.define
class _Place:
    """Where the next entry of a branch goes."""

    into: Symbols
    turn: types.DocumentSymbol | None = None
    above: tuple[types.DocumentSymbol, ...] = ()
    """The symbols that contain `into`, outermost first."""
    depth: int = 0
    """How many of them are branches."""


class Outline:
    """The symbols of a file. Entries that continue its leaf are added to them."""

    def __init__(self, range_of: Callable[[Row], types.Range]) -> None:
        self.symbols: Symbols = []
        self._range_of = range_of
        self._rows = Rows()
        self._reached = 0
        self._labels: dict[str, str] = {}
        self._leaf: str | None = None
        self._end: _Place | None = None
        """Where an entry goes that continues the leaf; None if that needs a branch."""
        self._of: dict[str, types.DocumentSymbol] = {}

    def update(self, rows: Rows, tree: Tree) -> Symbols:
        """Return the symbols of the present rows, which are those of the tree."""
        fresh = rows.all[self._reached :] if rows is self._rows else None
        if fresh is None or not self._reached or not self._continue(fresh, tree):
            self._build(rows, tree)
        self._rename(tree)
        return self.symbols

    def _continue(self, fresh: list[Row], tree: Tree) -> bool:
        """Add entries that continue the leaf one after another; false if one does not."""
        place = self._end
        for at, row in enumerate(fresh, self._reached):
            entry_id = row.entry.id
            if place is None or tree.parent_of(at) != self._leaf or at >= MOST:
                return False
            if entry_id in self._of:
                return False
            self._add(row, place)
            self._leaf = entry_id
            end = self._of[entry_id].range.end
            for symbol in filter(None, (*place.above, place.turn)):
                symbol.range = types.Range(symbol.range.start, max(symbol.range.end, end))
        self._reached += len(fresh)
        return True

    def _build(self, rows: Rows, tree: Tree) -> None:
        top: Symbols = []
        self.symbols, self._rows, self._reached = top, rows, len(rows.all)
        self._of, self._labels = {}, {}
        self._leaf, self._end = tree.leaf_id, None
        if len(rows.all) > MOST:
            first = types.Range(types.Position(0, 0), types.Position(0, 0))
            said = f"Only the first {MOST:,} entries of this file are shown"
            top.append(types.DocumentSymbol(said, types.SymbolKind.Event, first, first))
        forest = tree.forest()
        todo = [(root, _Place(top)) for root in reversed(forest.roots)]
        while todo:
            index, place = todo.pop()
            while index < MOST:
                row = rows.all[index]
                self._add(row, place)
                children = [each for each in forest.children.get(index, ()) if each < MOST]
                if len(children) != 1:
                    branches = self._branches(tree, rows, children, row, place)
                    todo += reversed(list(zip(children, branches, strict=True)))
                    if not children and row.entry.id == self._leaf:
                        self._end = place
                    break
                index = children[0]
        _widen(top)

    def _add(self, row: Row, place: _Place) -> None:
        entry, whole = row.entry, self._range_of(row)
        symbol = types.DocumentSymbol(
            name=row.caption(),
            kind=_KINDS.get(entry.role or entry.type, types.SymbolKind.Property),
            range=whole,
            selection_range=whole,
        )
        self._of[entry.id] = symbol
        if entry.role == "user" or place.turn is None:
            place.into.append(symbol)
            place.turn = symbol if entry.role == "user" else None
        else:
            _children(place.turn).append(symbol)

    def _branches(
        self, tree: Tree, rows: Rows, children: list[int], row: Row, place: _Place
    ) -> list[_Place]:
        if not children:
            return []
        if place.depth >= DEEPEST:
            return [attrs.evolve(place, turn=None) for _ in children]
        parting = self._of[row.entry.id]
        current = {entry.id for entry in tree.branch(tree.leaf_id)}
        turn = () if place.turn is None else (place.turn,)
        above = (*place.above, *turn, parting)
        branches = []
        for number, index in enumerate(children, start=1):
            below = rows.all[index]
            mark = " (current)" if below.entry.id in current else ""
            branch = types.DocumentSymbol(
                name=f"Branch {number} of {len(children)}{mark}: {below.said}",
                kind=types.SymbolKind.Namespace,
                range=self._range_of(below),
                selection_range=self._range_of(below),
            )
            _children(parting).append(branch)
            branches.append(_Place(_children(branch), None, (*above, branch), place.depth + 1))
        return branches

    def _rename(self, tree: Tree) -> None:
        """Put the labels in force into the names."""
        labels = {target: label.text for target, label in tree.labels.items()}
        for target in {*labels, *self._labels}:
            symbol = self._of.get(target)
            if symbol is not None and labels.get(target) != self._labels.get(target):
                symbol.name = self._rows.by_id[target].caption(labels.get(target))
        self._labels = labels


def _children(symbol: types.DocumentSymbol) -> Symbols:
    if symbol.children is None:
        symbol.children = []
    assert isinstance(symbol.children, list), "made so"  # noqa: S101
    return symbol.children


def _widen(top: Symbols) -> None:
    """Let each symbol cover those in it, as the protocol wants."""
    order = list(top)
    for symbol in order:
        order += symbol.children or ()
    for symbol in reversed(order):
        below = symbol.children or ()
        if below:
            starts = [symbol.range.start, *(child.range.start for child in below)]
            ends = [symbol.range.end, *(child.range.end for child in below)]
            symbol.range = types.Range(min(starts), max(ends))
