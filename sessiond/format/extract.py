"""Extract one branch of a tree as the lines of a new session."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator

from sessiond.format.entries import COMPACTION, LABEL, RESET, Entry
from sessiond.format.ids import new_entry_id
from sessiond.format.lines import Stamp, label_line
from sessiond.format.tree.tree import Tree
from sessiond.text.parts import object_members, string_of
from sessiond.text.spans import js_string, replace_member, without_member


def branched_lines(
    tree: Tree,
    leaf_id: str,
    new_id: Callable[[Container[str]], str] = new_entry_id,
) -> Iterator[bytes]:
    """Yield the entry lines of the branch that ends with `leaf_id`; none for an unknown id.

    As pi 1.6.0: label entries are removed and the remaining entries are chained again. A compaction
    whose first kept entry was a label keeps from the next entry; one that names itself still does.
    The labels in force on the remaining entries follow at the end, with the times they were set.
    All other bytes of a line stay.
    """
    replaced: dict[str, str] = {}
    waiting: list[str] = []
    kept: dict[str, None] = {}
    previous: str | None = None
    for entry in tree.branch(leaf_id):
        if entry.type == LABEL:
            waiting.append(entry.id)
            continue
        for label_id in waiting:
            replaced[label_id] = entry.id
        waiting.clear()
        line = on_branch(entry.raw, entry, previous)
        if entry.type in {COMPACTION, RESET}:
            line = _with_first_kept(line, entry.id, replaced)
        yield line
        kept[entry.id] = None
        previous = entry.id
    used_ids = dict(kept)
    for target, label in tree.labels.items():
        if target in kept:
            label_id = new_id(used_ids)
            at = Stamp(label_id, previous, label.timestamp)
            yield label_line(at, target, label.text)
            previous = label_id
            used_ids[label_id] = None


def _with_first_kept(line: bytes, entry_id: str, replaced: dict[str, str]) -> bytes:
    if not replaced:
        return line
    first_kept = string_of(object_members(line).get("firstKeptEntryId"))
    if first_kept is None or first_kept == entry_id or first_kept not in replaced:
        return line
    return replace_member(line, "firstKeptEntryId", js_string(replaced[first_kept]))


def on_branch(line: bytes, entry: Entry, parent_id: str | None) -> bytes:
    """Return the line of `entry` for a file with this branch only; see `under`.

    `appendMode` is removed: a side entry becomes part of the file's only branch.
    """
    return under(without_member(line, "appendMode") if entry.side else line, entry, parent_id)


def under(line: bytes, entry: Entry, parent_id: str | None) -> bytes:
    """Return the line of `entry` with `parent_id` as its parent; all other bytes stay.

    A line without `parentId` gets it as its last member, as an assignment in JavaScript does.
    """
    parent = b"null" if parent_id is None else js_string(parent_id)
    if entry.parent_id == parent_id and object_members(line).get("parentId") == parent:
        return line
    return replace_member(line, "parentId", parent)
