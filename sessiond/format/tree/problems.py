"""Find problems between the entries of a document without examining all of them again."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import msgspec

from sessiond.format.entries import COMPACTION, CONTEXT_EDIT, LABEL, RESET, Diagnostic, Entry
from sessiond.jsontext.dates import parse_js_date
from sessiond.jsontext.lenient import lenient

ParentOf = Callable[[int], str | None]
"""Returns the id of the entry that the entry at an index continues."""


class _Target(msgspec.Struct, gc=False):
    targetId: str | None = None  # noqa: N815
    firstKeptEntryId: str | None = None  # noqa: N815


_decode_target = lenient(_Target)


_POINTING = frozenset({LABEL, CONTEXT_EDIT, COMPACTION, RESET})


class Problems:
    """Notes suspects while entries are added; only suspects are examined later.

    An entry whose parent precedes it under a unique id cannot be an orphan or part of a cycle.
    Therefore even large documents have few suspects.
    """

    def __init__(self, entries: list[Entry], by_id: dict[str, int]) -> None:
        self.early: list[int] = []
        """Entries whose parent was unknown when they were added."""
        self.repeated: list[int] = []
        """Entries whose id had occurred before."""
        self._entries = entries
        self._by_id = by_id
        # `ParentOf` is passed to each call. A method of the tree kept here would be a reference
        # cycle, and the lines of every file would stay until the garbage collector runs.
        self._checked = 0
        self._undated: list[int] = []
        self._pointing: list[tuple[int, str, str]] = []

    def copy(self, entries: list[Entry], by_id: dict[str, int]) -> Problems:
        """Copy the notes, for a copy of the index."""
        copy = Problems(entries, by_id)
        copy.early, copy.repeated = self.early.copy(), self.repeated.copy()
        copy._checked = self._checked
        copy._undated, copy._pointing = self._undated.copy(), self._pointing.copy()
        return copy

    @property
    def suspects(self) -> int:
        """Number of entries `all` examines: suspects and entries not checked yet."""
        noted = len(self.early) + len(self.repeated) + len(self._undated) + len(self._pointing)
        return noted + len(self._entries) - self._checked

    def check(self) -> None:
        """Check the entries added since the last check; `all` does this first."""
        entries = self._entries
        for index in range(self._checked, len(entries)):
            entry = entries[index]
            if not _is_date(entry.timestamp):
                self._undated.append(index)
            if entry.role is None and entry.type in _POINTING:
                self._note_target(index, entry)
        self._checked = len(entries)

    def all(self, parent_of: ParentOf) -> list[Diagnostic]:
        self.check()
        entries, by_id = self._entries, self._by_id
        diagnostics = [
            self._finding(index, "duplicateId", f"The id {entries[index].id} is repeated.")
            for index in self.repeated
        ]
        diagnostics += [
            self._finding(index, "invalidTimestamp", "The timestamp is not a date.")
            for index in self._undated
        ]
        for index, member, target in self._pointing:
            if target not in by_id:
                diagnostics.append(
                    self._finding(
                        index, "missingTarget", f"{member} names {target}, which is missing."
                    )
                )
        diagnostics += [
            self._finding(index, "selfParent", "The entry is its own parent.")
            for index in sorted({*self.early, *self.repeated})
            if entries[index].parent_id == entries[index].id
        ]
        diagnostics += [
            self._finding(index, "orphan", f"The parent {entries[index].parent_id} is missing.")
            for index in self.early
            if entries[index].parent_id not in by_id
        ]
        diagnostics += [
            self._finding(index, "cycle", "The entry is its own ancestor.")
            for cycle in self._cycles(parent_of)
            for index in cycle
        ]
        diagnostics.sort(key=lambda diagnostic: diagnostic.line)
        return diagnostics

    def cycle_roots(self, parent_of: ParentOf) -> set[int]:
        """Return for each cycle the entry used as its root: the first one in the file."""
        return {cycle[0] for cycle in self._cycles(parent_of)}

    def _cycles(self, parent_of: ParentOf) -> list[list[int]]:
        """Return the members of each cycle of two or more entries, in the order of the file."""
        entries, by_id = self._entries, self._by_id
        # Every cycle has a member that was there before its parent was, or that took the place of
        # an earlier entry with its id.
        suspects = dict.fromkeys(by_id[entries[index].id] for index in self.early)
        suspects.update(dict.fromkeys(by_id[entries[index].id] for index in self.repeated))
        cycles: list[list[int]] = []
        walk_of: dict[int, int] = {}
        for number, suspect in enumerate(suspects):
            walk: list[int] = []
            index: int | None = suspect
            while index is not None and index not in walk_of:
                walk_of[index] = number
                walk.append(index)
                parent_id = parent_of(index)
                index = None if parent_id is None else by_id.get(parent_id)
            if index is not None and walk_of[index] == number:
                members = walk[walk.index(index) :]
                if len(members) > 1:
                    cycles.append(sorted(members))
        return cycles

    def _finding(self, index: int, kind: str, message: str) -> Diagnostic:
        return Diagnostic(self._entries[index].line, kind, message)

    def _note_target(self, index: int, entry: Entry) -> None:
        target = _decode_target(entry.raw) or _Target()
        if entry.type in (COMPACTION, RESET):
            if target.firstKeptEntryId is not None:
                self._pointing.append((index, "firstKeptEntryId", target.firstKeptEntryId))
        elif target.targetId is not None:
            self._pointing.append((index, "targetId", target.targetId))


def _is_date(timestamp: str) -> bool:
    if len(timestamp) == 24 and timestamp[23] == "Z" and timestamp[19] == ".":
        # The form pi writes, which the standard library parses fastest.
        try:
            datetime.fromisoformat(timestamp)
        except ValueError:
            pass
        else:
            return True
    return parse_js_date(timestamp) is not None
