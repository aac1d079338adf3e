"""Ids and parents of damaged sessions put in order, so that every entry can be reached."""

from __future__ import annotations

import hashlib
from bisect import bisect_left
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
from sessiond.jsontext.parts import object_members, string_of
from sessiond.jsontext.spans import js_string, replace_member

Tell = Callable[[int, str, str], None]
"""Gets the line, kind and words of something that is done."""

_REFERENCES: Mapping[str, Sequence[str]] = {
    LABEL: ("targetId",),
    CONTEXT_EDIT: ("targetId",),
    COMPACTION: ("firstKeptEntryId",),
    RESET: ("firstKeptEntryId",),
    BRANCH_SUMMARY: ("fromId",),
    LEAF: ("targetId", "appendParentId"),
}
_ROOT = -1


@attrs.define(eq=False)
class Row:
    """One entry on its way into a repaired file."""

    line: int
    """Of the file as it was."""
    wire: bytes
    """Its JSON."""
    type: str
    id: str | None
    """None: it has none yet."""
    parent_id: str | None
    raw: bytes | None = None
    """Its bytes in the file, to stay as they are unless something changes; None: write `wire`."""
    adrift: bool = False
    """Whether it says nothing of a parent, not even that it has none."""
    dropped: bool = False
    own: str = ""
    """The id it ends up with."""

    def assign(self, name: str, value: bytes) -> None:
        self.wire = replace_member(self.wire, name, value)
        self.raw = None


@attrs.frozen
class Lost:
    """An entry of which only a part is left."""

    line: int
    parent_id: str | None


def relink(
    rows: list[Row],
    session_id: str,
    lost: Mapping[str, Lost],
    tell: Tell,
    *,
    linear: bool = False,
) -> None:
    """Give every entry an id of its own and a parent that is there, and change nothing else.

    An id that occurs more than once stays with the last entry that has it, because that is the one
    every reader takes; a reference means the nearest entry before it (`lost` says what entries once
    stood between). An entry whose parent cannot be known goes under the one before it in the file.
    `linear`: the file is of version 1, where that is so for all.
    """
    _drop_copies(rows, tell)
    _Links([row for row in rows if not row.dropped], session_id, lost, tell).settle(linear=linear)


def _drop_copies(rows: list[Row], tell: Tell) -> None:
    """Agents have been seen to write a whole file into itself again."""
    latest: dict[str, Row] = {}
    for row in rows:
        if row.id is None:
            continue
        before = latest.get(row.id)
        # A leaf line moves the leaf each time it is there.
        if before is not None and before.wire == row.wire and row.type != LEAF:
            row.dropped = True
            tell(row.line, "duplicateId", f"Take out the line: it is a copy of line {before.line}.")
        else:
            latest[row.id] = row


class _Links:
    def __init__(
        self, rows: list[Row], session_id: str, lost: Mapping[str, Lost], tell: Tell
    ) -> None:
        self._rows = rows
        self._session_id = session_id
        self._lost = lost
        self._tell = tell
        self._at: dict[str, list[int]] = {}
        for index, row in enumerate(rows):
            if row.id is not None:
                self._at.setdefault(row.id, []).append(index)

    def settle(self, *, linear: bool) -> None:
        self._name(linear=linear)
        parents = list(range(-1, len(self._rows) - 1)) if linear else self._parents()
        for index, row in enumerate(self._rows):
            above = self._rows[parents[index]].own if parents[index] != _ROOT else None
            if row.own != row.id:
                row.assign("id", js_string(row.own))
            if above != row.parent_id or row.adrift:
                row.assign("parentId", b"null" if above is None else js_string(above))
            for member in _REFERENCES.get(row.type, ()):
                self._refer(index, row, member, parents)

    def _name(self, *, linear: bool) -> None:
        taken = set(self._at)
        for index, row in enumerate(self._rows):
            if row.id is not None and index == self._at[row.id][-1]:
                row.own = row.id
                continue
            row.own = self._new_id(row.line, taken)
            taken.add(row.own)
            if row.id is None:
                # In version 1 no entry has any.
                if not linear:
                    self._tell(row.line, "missingId", f"Give the entry the id {row.own}.")
            else:
                last = self._rows[self._at[row.id][-1]].line
                self._tell(
                    row.line,
                    "duplicateId",
                    f"Give the entry the id {row.own}: {row.id} stays with line {last}, which"
                    " readers take for it.",
                )

    def _new_id(self, line: int, taken: set[str]) -> str:
        # Made from what is in the file, so that saying and doing agree on it.
        attempt = 0
        while True:
            seed = f"{self._session_id}:{line}:{attempt}"
            found = hashlib.sha256(seed.encode(errors="surrogatepass")).hexdigest()[:8]
            if found not in taken:
                return found
            attempt += 1

    def _find(self, entry_id: str, index: int) -> int | None:
        """The entry that a reference at `index` means."""
        places = self._at.get(entry_id)
        if places is None:
            return None
        return places[bisect_left(places, index) - 1]

    def _parents(self) -> list[int]:
        parents: list[int] = []
        why: dict[int, tuple[str, str]] = {}
        for index, row in enumerate(self._rows):
            before = index - 1
            if row.parent_id is None:
                parents.append(before if row.adrift else _ROOT)
                continue
            found = self._find(row.parent_id, index)
            if found == index:
                why[index] = ("selfParent", "The entry is its own parent")
                parents.append(before)
            elif found is None:
                why[index] = ("orphan", f"The parent {row.parent_id} is missing")
                parents.append(self._above_lost(row.parent_id, index))
            else:
                parents.append(found)
        # First with hope for the conversation before it; where that leads round again, without.
        for keeps_before in (True, False):
            for first in _first_of_cycles(parents):
                why.setdefault(first, ("cycle", "The entry is its own ancestor"))
                parents[first] = first - 1 if keeps_before else _ROOT
        for index, (kind, problem) in why.items():
            self._tell(self._rows[index].line, kind, f"{problem}: {self._place(parents[index])}.")
        return parents

    def _place(self, parent: int) -> str:
        if parent == _ROOT:
            return "make it a root"
        row = self._rows[parent]
        return f"put it under {row.own} (line {row.line})"

    def _above_lost(self, parent_id: str, index: int) -> int:
        """Where the branch goes on above an entry that is missing."""
        seen: set[str] = set()
        wanted: str | None = parent_id
        while wanted is not None and wanted not in seen:
            seen.add(wanted)
            found = self._find(wanted, index)
            if found is not None and found != index:
                return found
            gone = self._lost.get(wanted)
            if gone is None:
                break
            wanted = gone.parent_id
        return _ROOT if wanted is None else index - 1

    def _refer(self, index: int, row: Row, member: str, parents: list[int]) -> None:
        """Follow renamed entries, and keep what a compaction keeps where its first was lost."""
        target = string_of(object_members(row.wire).get(member))
        if target is None:
            return
        if row.type == COMPACTION and target == row.id:
            # Its own id keeps nothing.
            meant: str | None = row.own
        else:
            found = self._find(target, index)
            meant = None if found is None else self._rows[found].own
        if meant is None and row.type == COMPACTION and target in self._lost:
            meant = self._next_kept(index, self._lost[target].line, parents)
            if meant is not None:
                self._tell(
                    row.line,
                    "missingTarget",
                    f"Let the compaction keep from {meant} on, which follows {target}.",
                )
        if meant is not None and meant != target:
            row.assign(member, js_string(meant))

    def _next_kept(self, index: int, line: int, parents: list[int]) -> str | None:
        """The first entry after `line` on the way to the entry at `index`."""
        kept = None
        at = parents[index]
        while at != _ROOT:
            row = self._rows[at]
            if line < row.line < self._rows[index].line:
                kept = row.own
            at = parents[at]
        return kept


def _first_of_cycles(parents: list[int]) -> list[int]:
    """Of each cycle the first member in the file."""
    walk_of = [0] * len(parents)
    firsts = []
    for start in range(len(parents)):
        walk = []
        at = start
        while at != _ROOT and not walk_of[at]:
            walk_of[at] = start + 1
            walk.append(at)
            at = parents[at]
        if at != _ROOT and walk_of[at] == start + 1:
            firsts.append(min(walk[walk.index(at) :]))
    return firsts
