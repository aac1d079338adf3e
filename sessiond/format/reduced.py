"""The part of a session that is passed on to others: without secrets, or with what was said
alone.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

import attrs

from sessiond.format.describe.secrets import Mask, masked_line
from sessiond.format.entries import CONVERSATION_ROLES, LABEL, NAMING, Entry
from sessiond.format.extract import on_branch, under
from sessiond.format.header import CURRENT_VERSION, Header, parse_header
from sessiond.format.load import load
from sessiond.format.tree.ancestors import followed
from sessiond.format.tree.tree import Tree
from sessiond.text.parts import elements, object_members, string_of
from sessiond.text.spans import replace_member

_SAID = ("text", "image")
"""Types of blocks that are part of a conversation."""


@attrs.frozen
class Reduced:
    """A reduced session."""

    header: Header
    tree: Tree
    leaf_id: str | None


def reduced(
    header: Header,
    tree: Tree,
    leaf_id: str | None,
    *,
    mask: Mask | None,
    conversation: bool,
    only_branch: bool,
) -> Reduced:
    """Return a copy of a session; takes time in proportion to its text.

    `mask`: secrets of known forms and what it names are masked in all strings. `conversation`: only
    messages of the user and the agent's texts stay, names, and labels of these; what continued
    another entry continues the nearest one above it that stays. `only_branch`: the entries of the
    tree are those of one branch, in its order.
    """
    lines: Sequence[bytes | None] = [entry.raw for entry in tree.entries]
    dropped: dict[str, str | None] = {}
    if conversation:
        lines = _said_in(tree)
        dropped = _dropped(tree, lines, only_branch=only_branch)
    kept: list[bytes] = []
    previous: str | None = None
    for index, (entry, line) in enumerate(zip(tree.entries, lines, strict=True)):
        if line is None:
            continue
        if only_branch:
            placed = on_branch(line, entry, previous)
        elif conversation:
            placed = under(line, entry, followed(dropped, tree.parent_of(index)))
        else:
            placed = line
        kept.append(placed if mask is None else masked_line(placed, mask))
        previous = entry.id
    raw = header.raw if mask is None else masked_line(header.raw, mask)
    first = raw if header.version >= CURRENT_VERSION else _current(raw)
    loaded = load(b"\n".join([first, *kept, b""]))
    return Reduced(
        parse_header(raw) or header,
        Tree(loaded.entries),
        followed(dropped, leaf_id),
    )


def _current(raw: bytes) -> bytes:
    # The entries of an older file have been migrated.
    return replace_member(raw, "version", b"%d" % CURRENT_VERSION)


def _dropped(
    tree: Tree, lines: Sequence[bytes | None], *, only_branch: bool
) -> dict[str, str | None]:
    """Return the entries that do not stay, and which entry each of them continues."""
    ids = [entry.id for entry in tree.entries]
    stays = {name for name, line in zip(ids, lines, strict=True) if line is not None}
    above = [None, *ids]
    return {
        name: above[index] if only_branch else tree.parent_of(index)
        for index, name in enumerate(ids)
        if name not in stays
    }


def _said_in(tree: Tree) -> list[bytes | None]:
    """Return the line of each entry with what was said alone; None: it does not stay."""
    lines = [_said(entry.raw, entry) for entry in tree.entries]
    pairs = list(zip(tree.entries, lines, strict=True))
    stays = {entry.id for entry, line in pairs if line is not None}
    return [
        None if line and _is_label_of_none(entry, line, stays) else line for entry, line in pairs
    ]


def _is_label_of_none(entry: Entry, line: bytes, stays: Container[str]) -> bool:
    target = string_of(object_members(line).get("targetId")) if entry.type == LABEL else None
    return target is not None and target not in stays


def _said(line: bytes, entry: Entry) -> bytes | None:
    """Return the line with what was said alone; None if nothing was."""
    if entry.type == LABEL or entry.type in NAMING:
        return line
    if entry.role not in CONVERSATION_ROLES:
        return None
    message = object_members(line).get("message", b"")
    content = object_members(message).get("content", b"")
    if not content.startswith(b"["):
        return line
    blocks = elements(content)
    said = [block for block in blocks if string_of(_members(block).get("type")) in _SAID]
    if not said:
        return None
    if len(said) == len(blocks):
        return line
    reduced = replace_member(message, "content", b"[%b]" % b",".join(said))
    return replace_member(line, "message", reduced)


def _members(block: bytes) -> dict[str, bytes]:
    return object_members(block) if block.startswith(b"{") else {}
