"""Diffs: of the arguments of a call that edits a file, and of a text that already is a diff."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from sessiond.format.view.blocks import ADDED, GAP, REMOVED, SAME, Change
from sessiond.text.parts import elements, object_members, string_of

PATHS = ("path", "file_path", "filePath", "file")
"""Names that agents give to the argument with the path of a file."""

_BEFORE = ("oldText", "old_string", "old_str")
_AFTER = ("newText", "new_string", "new_str")

EDITS = ("edits", *_BEFORE, *_AFTER)
"""Names of arguments that the diff of a call shows."""

_BEGINS_DIFF = re.compile(r"^(?:diff --git |--- [^\n]*\n\+\+\+ )", re.MULTILINE)
_BEGINNING = 4000
"""A text is a diff if one begins in this many first characters."""

_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_KINDS = {"+": ADDED, "-": REMOVED, " ": SAME}
_SIGNS = {kind: sign for sign, kind in _KINDS.items()}
_NUMBERED = re.compile(r"([-+ ]) *(\d{1,9}) (.*)", re.DOTALL)
_LEFT_OUT = re.compile(r" +\.\.\.")


def first_string(members: Mapping[str, bytes], names: Iterable[str]) -> str | None:
    """Return the first of these members that is a string which is not empty."""
    texts = (string_of(members.get(name)) for name in names)
    return next(filter(None, texts), None)


def changes_of_call(arguments: dict[str, bytes]) -> list[Change]:
    """Return the lines that a call replaces in files; none if its arguments show no edit.

    Lines that the texts share at their beginning and end count as unchanged. Where an edit names
    another file than the one before, a gap has its path.
    """
    edits = edits_of(arguments)
    path = first_string(arguments, PATHS)
    changes: list[Change] = []
    for edit in edits or [arguments]:
        before = _string(edit, _BEFORE)
        if before is None:
            continue
        own = first_string(edit, PATHS) if edits else path
        after = _string(edit, _AFTER) or ""
        if own is not None and own != path:
            path = own
            changes.append(Change(GAP, own))
        elif changes:
            changes.append(Change(GAP))
        changes += _replaced(before, after)
    return changes if any(each.kind != GAP for each in changes) else []


def edits_of(arguments: Mapping[str, bytes]) -> list[dict[str, bytes]]:
    """Return the edits that a call lists, each with its members."""
    items = elements(arguments.get("edits", b"null"))
    return [object_members(each) for each in items if each[:1] == b"{"]


def _string(members: Mapping[str, bytes], names: Iterable[str]) -> str | None:
    """Return the first of these members that is a string."""
    texts = (string_of(members.get(name)) for name in names)
    return next((text for text in texts if text is not None), None)


def _replaced(before: str, after: str) -> list[Change]:
    old, new = _lines(before), _lines(after)
    most = min(len(old), len(new))
    head = next((at for at in range(most) if old[at] != new[at]), most)
    most -= head
    tail = next((at for at in range(most) if old[-1 - at] != new[-1 - at]), most)
    return [
        *(Change(SAME, line) for line in old[:head]),
        *(Change(REMOVED, line) for line in old[head : len(old) - tail]),
        *(Change(ADDED, line) for line in new[head : len(new) - tail]),
        *(Change(SAME, line) for line in old[len(old) - tail :]),
    ]


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def is_diff(text: str) -> bool:
    """Return whether an output is a unified diff."""
    return _BEGINS_DIFF.search(text[:_BEGINNING]) is not None


def changes_of_diff(text: str) -> list[Change]:
    """Return the lines of a diff: of pi's edit tool, whose lines are numbered, or a unified one."""
    lines = text.strip("\n").split("\n")
    return _unified(lines) if is_diff(text) else [_numbered(line) for line in lines]


def _numbered(line: str) -> Change:
    match = _NUMBERED.fullmatch(line)
    if match:
        return Change(_KINDS[match[1]], match[3], int(match[2]))
    if _LEFT_OUT.fullmatch(line):
        return Change(GAP)
    kind = _KINDS.get(line[:1])
    return Change(SAME, line) if kind is None else Change(kind, line[1:])


def _unified(lines: list[str]) -> list[Change]:
    """Return the lines of a unified diff; headings of files and hunks are gaps."""
    changes: list[Change] = []
    old = new = old_left = new_left = 0
    for line in lines:
        sign, text = line[:1] or " ", line[1:]
        if (old_left <= 0 and new_left <= 0) or sign not in _KINDS:
            changes.append(Change(GAP, line))
            if hunk := _HUNK.match(line):
                old, new = int(hunk[1]), int(hunk[3])
                old_left, new_left = int(hunk[2] or 1), int(hunk[4] or 1)
            continue
        changes.append(Change(_KINDS[sign], text, new if sign == "+" else old))
        if sign != "+":
            old, old_left = old + 1, old_left - 1
        if sign != "-":
            new, new_left = new + 1, new_left - 1
    return changes


def as_text(changes: Iterable[Change]) -> str:
    """Return a diff as text: a sign before each line, without numbers."""
    return "\n".join(
        (each.text or "…") if each.kind == GAP else _SIGNS[each.kind] + each.text
        for each in changes
    )
