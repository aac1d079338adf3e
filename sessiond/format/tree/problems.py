"""Find problems between the entries of a document."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime

from sessiond.format.entries import COMPACTION, CONTEXT_EDIT, LABEL, RESET, Diagnostic, Entry
from sessiond.format.line import Line, parse_line
from sessiond.jsontext.dates import parse_js_date

ParentOf = Callable[[int], str | None]
"""Returns the id of the entry that the entry at an index continues."""


_POINTING = {
    LABEL: "targetId",
    CONTEXT_EDIT: "targetId",
    COMPACTION: "firstKeptEntryId",
    RESET: "firstKeptEntryId",
}
"""Types of entries that name another one, and the member that does."""


def find_problems(
    entries: Sequence[Entry],
    by_id: Mapping[str, int],
    early: Sequence[int],
    repeated: Sequence[int],
    parent_of: ParentOf,
) -> list[Diagnostic]:
    """Find the problems between entries, in order of lines.

    `early`: the entries whose parent was unknown when they were added. `repeated`: those whose id
    had occurred before. Kinds: `duplicateId`, `selfParent`, `orphan`, `cycle`, `missingTarget`,
    `invalidTimestamp`.
    """
    found = [
        (index, "duplicateId", f"The id {entries[index].id} is repeated.") for index in repeated
    ]
    found += _of_single(entries, by_id)
    found += [
        (index, "selfParent", "The entry is its own parent.")
        for index in sorted({*early, *repeated})
        if entries[index].parent_id == entries[index].id
    ]
    found += [
        (index, "orphan", f"The parent {entries[index].parent_id} is missing.")
        for index in early
        if entries[index].parent_id not in by_id
    ]
    found += [
        (index, "cycle", "The entry is its own ancestor.")
        for cycle in cycles(entries, by_id, (*early, *repeated), parent_of)
        for index in cycle
    ]
    shown = [Diagnostic(entries[index].line, kind, message) for index, kind, message in found]
    return sorted(shown, key=lambda diagnostic: diagnostic.line)


def _of_single(
    entries: Sequence[Entry], by_id: Mapping[str, int]
) -> Iterator[tuple[int, str, str]]:
    """Yield the problems of which one entry tells."""
    for index, entry in enumerate(entries):
        if not _is_date(entry.timestamp):
            yield index, "invalidTimestamp", "The timestamp is not a date."
        if entry.role is None and entry.type in _POINTING:
            member, line = _POINTING[entry.type], parse_line(entry.raw) or Line()
            target = line.target_id if member == "targetId" else line.first_kept_entry_id
            if target is not None and target not in by_id:
                yield index, "missingTarget", f"{member} names {target}, which is missing."


def cycles(
    entries: Sequence[Entry],
    by_id: Mapping[str, int],
    suspects: Sequence[int],
    parent_of: ParentOf,
) -> Iterator[list[int]]:
    """Yield the members of each cycle of two or more entries, in the order of the file.

    Every cycle has a member that was there before its parent was, or that took the place of an
    earlier entry with its id: the `suspects`.
    """
    walk_of: dict[int, int] = {}
    for number, suspect in enumerate(dict.fromkeys(by_id[entries[at].id] for at in suspects)):
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
                yield sorted(members)


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
