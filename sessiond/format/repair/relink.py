"""Repair ids and parents of a damaged session, so that every entry can be reached."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence

import attrs

from sessiond.format.entries import (
    BRANCH_SUMMARY,
    COMPACTION,
    CONTEXT_EDIT,
    LABEL,
    LEAF,
    RESET,
)
from sessiond.format.ids import derived_id
from sessiond.format.tree.ancestors import Ancestors, cycles, followed
from sessiond.text.parts import object_members, string_of
from sessiond.text.spans import js_string, replace_member

Report = Callable[[int, str, str], None]
"""Receives the line, kind and message of each change."""

_REFERENCES: Mapping[str, Sequence[str]] = {
    LABEL: ("targetId",),
    CONTEXT_EDIT: ("targetId",),
    COMPACTION: ("firstKeptEntryId",),
    RESET: ("firstKeptEntryId",),
    BRANCH_SUMMARY: ("fromId",),
    LEAF: ("targetId", "appendParentId"),
}


@attrs.define(eq=False)
class Row:
    """An entry of the repaired file."""

    line: int
    """Line number in the damaged file."""
    wire: bytes
    """Its JSON."""
    type: str
    id: str | None
    """None if it has no id yet."""
    parent_id: str | None
    raw: bytes | None = None
    """Its bytes in the file, kept if nothing changes; None: write `wire`."""
    is_detached: bool = False
    """Whether it has no `parentId` member, not even null."""
    dropped: bool = False
    final_id: str = ""
    """Its id in the repaired file."""

    def assign(self, name: str, value: bytes) -> None:
        self.wire = replace_member(self.wire, name, value)
        self.raw = None


@attrs.frozen
class LostEntry:
    """An entry of which only a fragment remains."""

    line: int
    parent_id: str | None


def relink(
    rows: list[Row],
    session_id: str,
    lost: Mapping[str, LostEntry],
    report: Report,
    *,
    linear: bool = False,
) -> None:
    """Give every entry a unique id and an existing parent; change nothing else.

    If several entries have the same id, the last one keeps it, because readers use that one. A
    reference means the nearest preceding entry with that id; `lost` has entries that were once
    between. An entry whose parent cannot be determined continues the entry before it in the file.
    With `linear` (version 1) every entry does.
    """
    _drop_copies(rows, report)
    _RepairedLinks([row for row in rows if not row.dropped], session_id, lost, report).settle(
        linear=linear
    )


def _drop_copies(rows: list[Row], report: Report) -> None:
    """Drop repeated entries: some agents have appended a whole file to itself."""
    latest: dict[str, Row] = {}
    for row in rows:
        if row.id is None:
            continue
        before = latest.get(row.id)
        # A repeated leaf line moves the leaf again, so it is not redundant.
        if before is not None and before.wire == row.wire and row.type != LEAF:
            row.dropped = True
            report(row.line, "duplicateId", f"Remove the line: it is a copy of line {before.line}.")
        else:
            latest[row.id] = row


class _RepairedLinks:
    def __init__(
        self, rows: list[Row], session_id: str, lost: Mapping[str, LostEntry], report: Report
    ) -> None:
        self._rows = rows
        self._session_id = session_id
        self._lost = lost
        self._report = report
        self._at: dict[str, list[int]] = {}
        for index, row in enumerate(rows):
            if row.id is not None:
                self._at.setdefault(row.id, []).append(index)
        self._above_missing = {
            entry_id: entry.parent_id
            for entry_id, entry in lost.items()
            if entry_id not in self._at
        }

    def settle(self, *, linear: bool) -> None:
        self._name(linear=linear)
        before = [index - 1 if index else None for index in range(len(self._rows))]
        parents = before if linear else self._parents(before)
        next_kept = self._next_kept(parents)
        for index, row in enumerate(self._rows):
            parent = parents[index]
            above = None if parent is None else self._rows[parent].final_id
            if row.final_id != row.id:
                row.assign("id", js_string(row.final_id))
            if above != row.parent_id or row.is_detached:
                row.assign("parentId", b"null" if above is None else js_string(above))
            for member in _REFERENCES.get(row.type, ()):
                self._update_reference(index, row, member, next_kept.get(index))

    def _name(self, *, linear: bool) -> None:
        taken = set(self._at)
        for index, row in enumerate(self._rows):
            if row.id is not None and index == self._at[row.id][-1]:
                row.final_id = row.id
                continue
            # Derived from the contents of the file, so that a check and the repair agree on it.
            row.final_id = derived_id(self._session_id, row.line, taken)
            taken.add(row.final_id)
            if row.id is None:
                # In version 1 no entry has an id.
                if not linear:
                    self._report(row.line, "missingId", f"Give the entry the id {row.final_id}.")
            else:
                last = self._rows[self._at[row.id][-1]].line
                self._report(
                    row.line,
                    "duplicateId",
                    f"Give the entry the id {row.final_id}: {row.id} stays with line {last}, which"
                    " readers use.",
                )

    def _find(self, entry_id: str, index: int) -> int | None:
        """Return the entry that a reference in the entry at `index` means."""
        places = self._at.get(entry_id)
        if places is None:
            return None
        return places[bisect_left(places, index) - 1]

    def _parents(self, before: Sequence[int | None]) -> list[int | None]:
        parents: list[int | None] = []
        why: dict[int, tuple[str, str]] = {}
        for index, row in enumerate(self._rows):
            if row.parent_id is None:
                parents.append(before[index] if row.is_detached else None)
                continue
            parent = self._find(row.parent_id, index)
            if parent == index:
                why[index] = ("selfParent", "The entry is its own parent")
                parent = before[index]
            elif parent is None:
                why[index] = ("orphan", f"The parent {row.parent_id} is missing")
                parent = self._above_lost(row.parent_id, index, before[index])
            parents.append(parent)
        # First continue the preceding entry; where that makes a cycle again, make it a root.
        for otherwise in (before, [None] * len(before)):
            for first in [members[0] for members in cycles(parents)]:
                why.setdefault(first, ("cycle", "The entry is its own ancestor"))
                parents[first] = otherwise[first]
        for index, (kind, problem) in why.items():
            self._report(
                self._rows[index].line, kind, f"{problem}: {self._describe(parents[index])}."
            )
        return parents

    def _describe(self, parent: int | None) -> str:
        if parent is None:
            return "make it a root"
        row = self._rows[parent]
        return f"put it under {row.final_id} (line {row.line})"

    def _above_lost(self, parent_id: str, index: int, before: int | None) -> int | None:
        """Return the nearest ancestor that exists of a missing entry, else the entry before it."""
        end = followed(self._above_missing, parent_id)
        if end is None:
            return None
        ancestor = self._find(end, index)
        return before if ancestor is None or ancestor == index else ancestor

    def _update_reference(self, index: int, row: Row, member: str, next_kept: str | None) -> None:
        """Update a reference to a renamed entry, or to a lost first kept entry of a compaction.

        `next_kept` is what follows the lost one.
        """
        target = string_of(object_members(row.wire).get(member))
        if target is None:
            return
        if row.type == COMPACTION and target == row.id:
            # A compaction that names itself keeps nothing.
            meant: str | None = row.final_id
        else:
            referenced = self._find(target, index)
            meant = None if referenced is None else self._rows[referenced].final_id
        if meant is None and row.type == COMPACTION and target in self._lost:
            meant = next_kept
            if meant is not None:
                self._report(
                    row.line,
                    "missingTarget",
                    f"Let the compaction keep entries from {meant}, which follows {target}.",
                )
        if meant is not None and meant != target:
            row.assign(member, js_string(meant))

    def _next_kept(self, parents: Sequence[int | None]) -> dict[int, str]:
        """Return the first entry on the branch of each compaction after its lost first kept entry.

        By index of the compaction; without those on whose branch there is none.
        """
        waiting = {}
        for index, row in enumerate(self._rows):
            if row.type == COMPACTION:
                target = string_of(object_members(row.wire).get("firstKeptEntryId"))
                if target is not None and target in self._lost:
                    waiting[index] = self._lost[target].line
        next_kept: dict[int, str] = {}
        if not waiting:
            return next_kept
        ancestors = Ancestors(parents)
        branch: list[int] = []
        latest: list[int] = []
        """The highest line number of the branch up to each of its entries."""
        for index in ancestors.order:
            depth, row = ancestors.depth[index], self._rows[index]
            if index in waiting:
                at = bisect_right(latest, waiting[index], hi=depth)
                if at < depth and self._rows[branch[at]].line < row.line:
                    next_kept[index] = self._rows[branch[at]].final_id
            branch[depth:] = [index]
            latest[depth:] = [max(row.line, latest[depth - 1]) if depth else row.line]
        return next_kept
