"""Extract whole entries from a line that is not JSON.

Such a line arises when a program appends to a file whose last line was incomplete or had no
newline. Old and new bytes then share a line, and readers skip both.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import attrs

from sessiond.format.entries import SESSION
from sessiond.runtime.limits import MAX_DEPTH
from sessiond.text.nesting import depth_exceeds
from sessiond.text.spans import STRING

_BLANK = " \t\r\n\0"
"""Allowed between entries; some systems leave NUL bytes after a crash."""
_BEGINS = re.compile(r'\{\s*"type"\s*:\s*"')
_IDENTITY = re.compile(
    rb'"id"\s*:\s*"([^"\\]+)"\s*,\s*"parentId"\s*:\s*(?:null|"([^"\\]+)")',
)
_OLD_TYPES = {"message", "thinking_level_change", "model_change", "compaction"}
_TOKEN = re.compile(STRING.decode() + r"|[\[\]{}]", re.DOTALL)
"""Strings and brackets."""


def is_entry(value: Any) -> bool:
    """Tell entries from parts of messages, which may have a type and an id too."""
    if not _has_type(value):
        return False
    # A missing id can be replaced, but an object without `parentId` may be anything.
    entry_id, parent_id = value.get("id"), value.get("parentId", 0)
    return isinstance(entry_id, str | None) and entry_id != "" and isinstance(parent_id, str | None)


def is_old_entry(value: Any) -> bool:
    """Tell entries of version 1, which have no ids."""
    kind = value.get("type")
    if not _has_type(value) or kind not in _OLD_TYPES:
        return False
    return kind != "message" or isinstance(value.get("message"), dict)


def _has_type(value: Any) -> bool:
    kind = value.get("type")
    is_type = isinstance(kind, str) and kind != SESSION
    return is_type and isinstance(value.get("timestamp"), str)


@attrs.frozen
class Salvaged:
    """The entries of a damaged line, in order, and the remaining bytes."""

    entries: list[bytes]
    rest: bytes


def salvage(
    raw: bytes, is_entry: Callable[[Any], bool] = is_entry, begins: re.Pattern[str] = _BEGINS
) -> Salvaged:
    """Extract the whole entries of a damaged line.

    An object is taken for an entry if it begins as `begins` says, `is_entry` accepts it, and it
    cannot be part of another value: it begins the line or follows an entry, or it ends the line, or
    another entry begins right after it. Entries of pi's version 1 are told by `is_old_entry`.
    """
    if depth_exceeds(raw, MAX_DEPTH):
        # Avoid trying to decode from every bracket.
        return Salvaged([], raw)
    text = raw.decode(errors="replace")
    entries: list[bytes] = []
    rest: list[str] = []
    start = len(text) - len(text.lstrip(_BLANK))
    done = start
    try:
        for at, stop, value in _objects(text, begins):
            if not is_entry(value):
                continue
            end = _skip_blank(text, stop)
            if at == start or end == len(text) or begins.match(text, end):
                rest.append(text[done:at])
                entries.append(text[at:end].rstrip(_BLANK).encode())
                done = start = end
    except RecursionError:
        return Salvaged([], raw)
    rest.append(text[done:])
    return Salvaged(entries, "".join(rest).strip(_BLANK).encode())


def _objects(text: str, begins: re.Pattern[str]) -> Iterator[tuple[int, int, Any]]:
    """Yield begin, end and value of the objects that may be entries, in order and in linear time.

    What is inside a whole object is part of it. Where an object breaks off, all objects that are
    still open there break off as well; only the one that was closed right before may be an entry,
    if the object breaks off because somebody else's entry was written into it.
    """
    constants: list[str] = []
    decode = json.JSONDecoder(parse_constant=constants.append).raw_decode
    done = 0
    for starts in begins.finditer(text):
        at = starts.start()
        # A beginning at the very place where an object broke off may end after that place.
        if starts.end() <= done:
            continue
        try:
            value, done = decode(text, at)
        except json.JSONDecodeError as broken:
            done = max(broken.pos, starts.end())
            closed = _closed_before(text, at, broken.pos)
            if closed is not None and not begins.match(text, closed):
                closed = None
            if closed is None:
                continue
            at = closed
            value, end = decode(text, at)
        else:
            end = done
        if constants:
            # NaN and Infinity are not JSON.
            constants.clear()
        else:
            yield at, end, value


def _closed_before(text: str, at: int, stop: int) -> int | None:
    """Return where the object begins that was closed right before `stop`, if one was.

    `at` is the beginning of an object that breaks off at `stop`.
    """
    opened: list[int] = []
    begin = end = -1
    for token in _TOKEN.finditer(text, at, stop):
        if token[0] in {"{", "["}:
            opened.append(token.start())
        elif token[0] in {"}", "]"} and opened:
            begin, end = opened.pop(), token.end()
    is_right_before = begin >= 0 and not text[end:stop].strip(_BLANK)
    return begin if is_right_before else None


def identity(rest: bytes) -> tuple[str, str | None] | None:
    """Return id and parent id of the entry a fragment belongs to, if the fragment has both."""
    match = _IDENTITY.search(rest)
    if match is None:
        return None
    entry_id, parent_id = match.groups()
    above = None if parent_id is None else parent_id.decode(errors="replace")
    return entry_id.decode(errors="replace"), above


def _skip_blank(text: str, at: int) -> int:
    while at < len(text) and text[at] in _BLANK:
        at += 1
    return at
