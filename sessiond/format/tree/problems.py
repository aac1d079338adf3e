"""Find problems between the entries of a document."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime

from sessiond.format.entries import COMPACTION, CONTEXT_EDIT, LABEL, RESET, Diagnostic, Entry
from sessiond.format.line import Line, parse_line
from sessiond.format.tree.ancestors import cycles
from sessiond.text.dates import parse_js_date

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
    parents: Callable[[], Sequence[int | None]],
) -> list[Diagnostic]:
    """Find the problems between entries, in order of lines; `parents` is that of the tree.

    Kinds: `duplicateId`, `invalidTimestamp`, `missingTarget`, `selfParent`, `orphan`, `cycle`.
    """
    problems = [
        (index, "duplicateId", f"The id {entries[index].id} is repeated.")
        for index in _repeated(entries, by_id)
    ]
    are_in_order = not problems
    for index, entry in enumerate(entries):
        if not _is_date(entry.timestamp):
            problems.append((index, "invalidTimestamp", "The timestamp is not a date."))
        if entry.role is None and entry.type in _POINTING:
            member, line = _POINTING[entry.type], parse_line(entry.raw) or Line()
            target = line.target_id if member == "targetId" else line.first_kept_entry_id
            if target is not None and target not in by_id:
                problem = f"{member} names {target}, which is missing."
                problems.append((index, "missingTarget", problem))
        parent_id = entry.parent_id
        parent = None if parent_id is None else by_id.get(parent_id)
        if parent_id is None or (parent is not None and parent < index):
            continue
        are_in_order = False
        if parent_id == entry.id:
            problems.append((index, "selfParent", "The entry is its own parent."))
        elif parent is None:
            problems.append((index, "orphan", f"The parent {parent_id} is missing."))
    if not are_in_order:
        members = (index for cycle in cycles(parents()) for index in cycle)
        problems += [(index, "cycle", "The entry is its own ancestor.") for index in members]
    diagnostics = [
        Diagnostic(entries[index].line, kind, message) for index, kind, message in problems
    ]
    return sorted(diagnostics, key=lambda diagnostic: diagnostic.line)


def _repeated(entries: Sequence[Entry], by_id: Mapping[str, int]) -> Iterator[int]:
    """Yield the entries whose id occurred before."""
    ids: set[str] = set()
    for index, entry in enumerate(entries if len(by_id) < len(entries) else ()):
        if entry.id in ids:
            yield index
        ids.add(entry.id)


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
