"""Lines that OpenClaw alone understands, as lines of version 3 with the same branch for pi.

pi knows neither `reset` nor `leaf` lines nor `appendMode`: for pi every line continues its
`parentId`, and the last line is the leaf. So each line is stored under the entry that it continues
for OpenClaw, and:

* A `reset` becomes a `custom` entry, which has no effect in pi, and the branch begins with it, or
  with the first entry that it keeps. What was before stays in the file as another branch.
* `leaf` lines are omitted. If the leaf is not the last line, a `custom` entry under it follows.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from sessiond.format.entries import COMPACTION, LEAF, RESET, Entry
from sessiond.format.extract import under
from sessiond.format.ids import new_entry_id
from sessiond.format.tree.ancestors import Ancestors, followed
from sessiond.format.tree.tree import Tree
from sessiond.text.parts import object_members, string_of
from sessiond.text.spans import js_string, replace_member, without_member

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
        line = entry.raw
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
    entries, by_id = tree.entries, tree.by_id
    continued = [tree.parent_of(index) for index in range(len(entries))]
    parents = list(continued)
    above = tree.parents()
    ancestors = Ancestors(above)
    summaries = _summaries_above(entries, above, ancestors.order)
    skipped: dict[str, str | None] = {}
    passed: dict[int, int | None] = {}
    for index, entry in enumerate(entries):
        if entry.type != RESET or by_id[entry.id] != index:
            continue
        first_kept = string_of(object_members(entry.raw).get("firstKeptEntryId"))
        start = None if first_kept is None else by_id.get(first_kept)
        if start is None or start == index or not ancestors.is_above(start, index):
            parents[index] = None
            continue
        parents[start] = None
        # A summary from before the reset is not part of the new context.
        summary = followed(passed, summaries[index])
        while summary is not None and ancestors.is_above(start, summary):
            skipped[entries[summary].id] = continued[summary]
            passed[summary] = summaries[summary]
            summary = followed(passed, summary)
    return [followed(skipped, parent) for parent in parents]


def _summaries_above(
    entries: Sequence[Entry], above: Sequence[int | None], order: Sequence[int]
) -> list[int | None]:
    """The nearest compaction or reset above each entry, by index."""
    summaries: list[int | None] = [None] * len(entries)
    for index in order:
        parent = above[index]
        if parent is not None:
            is_summary = entries[parent].type in {COMPACTION, RESET}
            summaries[index] = parent if is_summary else summaries[parent]
    return summaries


def _without_effect(line: bytes, custom_type: str) -> bytes:
    custom = replace_member(line, "type", b'"custom"')
    return replace_member(custom, "customType", js_string(custom_type))


def _marker(used: Container[str], parent_id: str, timestamp: str) -> bytes:
    return b'{"type":"custom","id":%b,"parentId":%b,"timestamp":%b,"customType":"leaf"}' % (
        js_string(new_entry_id(used)),
        js_string(parent_id),
        js_string(timestamp),
    )
