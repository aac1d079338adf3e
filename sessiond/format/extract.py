"""One branch taken out of its tree, as the lines of a session of its own."""

from __future__ import annotations

from collections.abc import Callable, Container

from sessiond.format.entries import COMPACTION, LABEL, RESET, Entry
from sessiond.format.ids import new_entry_id
from sessiond.format.lines import label_line
from sessiond.format.tree.tree import Tree
from sessiond.jsontext.parts import object_members, string_of
from sessiond.jsontext.spans import js_string, replace_member, without_member


def branched_lines(
    tree: Tree,
    leaf_id: str,
    new_id: Callable[[Container[str]], str] = new_entry_id,
) -> list[bytes]:
    """Entry lines of the branch that ends with `leaf_id`; empty if there is no such entry.

    As pi 1.5.2: label entries are taken out and the rest is chained anew; a compaction whose first
    kept entry was a label keeps from the entry after it, one that names itself still does. The
    labels in force on what remains stand at the end with the times they were set. Everything else
    in a line keeps its bytes.
    """
    found: list[bytes] = []
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
        line = on_branch(tree.line(entry), entry, previous)
        if entry.type in {COMPACTION, RESET}:
            line = _keeping(line, entry.id, replaced)
        found.append(line)
        kept[entry.id] = None
        previous = entry.id
    taken = dict(kept)
    for target, label in tree.labels.items():
        if target in kept:
            label_id = new_id(taken)
            found.append(label_line(label_id, previous, label.timestamp, target, label.text))
            previous = label_id
            taken[label_id] = None
    return found


def _keeping(line: bytes, entry_id: str, replaced: dict[str, str]) -> bytes:
    if not replaced:
        return line
    first_kept = string_of(object_members(line).get("firstKeptEntryId"))
    if first_kept is None or first_kept == entry_id or first_kept not in replaced:
        return line
    return replace_member(line, "firstKeptEntryId", js_string(replaced[first_kept]))


def on_branch(line: bytes, entry: Entry, parent_id: str | None) -> bytes:
    """The line of `entry` for a file that holds this branch alone: see `under`.

    An entry that was appended aside is part of that file's only branch, so `appendMode` goes.
    """
    return under(without_member(line, "appendMode") if entry.side else line, entry, parent_id)


def under(line: bytes, entry: Entry, parent_id: str | None) -> bytes:
    """The line of `entry` with `parent_id` as its parent; all else keeps its bytes.

    A line without `parentId` gets it as its last member, as JavaScript assigns it.
    """
    parent = b"null" if parent_id is None else js_string(parent_id)
    if entry.parent_id == parent_id and object_members(line).get("parentId") == parent:
        return line
    return replace_member(line, "parentId", parent)
