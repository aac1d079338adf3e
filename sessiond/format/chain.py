"""Entries of a branch under one another, whatever stood between them."""

from __future__ import annotations

from sessiond.format.entries import Entry
from sessiond.jsontext.parts import object_members
from sessiond.jsontext.spans import js_string, replace_member, without_member


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
