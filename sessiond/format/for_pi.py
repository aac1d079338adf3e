"""Lines that OpenClaw alone understands, as lines of version 3 with the same branch for pi.

pi knows neither `reset` nor `leaf` lines nor `appendMode`: for pi every line continues its
`parentId`, and the last line is the leaf. So each line is stored under the entry that it continues
for OpenClaw, and:

* A `reset` becomes a `custom` entry, which has no effect in pi, and the branch begins with it, or
  with the first entry that it keeps. What was before stays in the file as another branch.
* `leaf` lines are omitted. If the leaf is not the last line, a `custom` entry under it follows.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from sessiond.format.entries import COMPACTION, LEAF, RESET, Entry
from sessiond.format.extract import under
from sessiond.format.ids import new_entry_id
from sessiond.format.tree.tree import Tree
from sessiond.jsontext.parts import object_members, string_of
from sessiond.jsontext.spans import js_string, replace_member, without_member

_NEWER = 4
"""The first version that pi does not know. Lines that it does not know are older."""


def is_for_pi(version: float, tree: Tree) -> bool:
    """Whether pi knows every line of a session with this version in its header."""
    if version >= _NEWER or tree.has_navigation:
        return False
    return all(entry.type != RESET for entry in tree.entries)


def lines_for_pi(tree: Tree) -> Iterator[bytes]:
    """The lines of all entries, in the order of the file; all other bytes of a line stay."""
    parents = _parents(tree)
    last: Entry | None = None
    for index, entry in enumerate(tree.entries):
        if entry.type == LEAF:
            continue
        line = tree.line(entry)
        if entry.side:
            line = without_member(line, "appendMode")
        line = under(line, entry, parents[index])
        yield _without_effect(line, RESET) if entry.type == RESET else line
        last = entry
    leaf_id = tree.leaf_id
    if last is not None and leaf_id is not None and leaf_id != last.id:
        yield _marker(tree.by_id, leaf_id, last.timestamp)


def _parents(tree: Tree) -> list[str | None]:
    """The parent of each entry, by index."""
    continued = [tree.parent_of(index) for index in range(len(tree.entries))]
    parents = list(continued)
    skipped: dict[str, str | None] = {}
    for entry in tree.entries:
        if entry.type != RESET:
            continue
        path = tree.branch(entry.id)[:-1]
        first_kept = string_of(object_members(tree.line(entry)).get("firstKeptEntryId"))
        start = next((i for i, one in enumerate(path) if one.id == first_kept), None)
        begins = entry if start is None else path[start]
        parents[tree.by_id[begins.id]] = None
        for one in path[start:] if start is not None else ():
            if one.type in {COMPACTION, RESET}:
                # A summary from before the reset is not part of the new context.
                skipped[one.id] = continued[tree.by_id[one.id]]
    return [_visible(parent, skipped) for parent in parents]


def _visible(parent_id: str | None, skipped: dict[str, str | None]) -> str | None:
    seen: set[str] = set()
    while parent_id in skipped and parent_id not in seen:
        seen.add(parent_id)
        parent_id = skipped[parent_id]
    return parent_id


def _without_effect(line: bytes, custom_type: str) -> bytes:
    custom = replace_member(line, "type", b'"custom"')
    return replace_member(custom, "customType", js_string(custom_type))


def _marker(used: Container[str], parent_id: str, timestamp: str) -> bytes:
    return b'{"type":"custom","id":%b,"parentId":%b,"timestamp":%b,"customType":"leaf"}' % (
        js_string(new_entry_id(used)),
        js_string(parent_id),
        js_string(timestamp),
    )
