"""Whole entries within a line that as a whole is no JSON.

Such lines come about when somebody appended to a file whose last line was cut short or had no
newline: what was there and what was added share a line then, and readers skip both.
"""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

import attrs

from sessiond.format.entries import SESSION
from sessiond.jsontext.nesting import depth_exceeds
from sessiond.limits import MAX_DEPTH

_BLANK = " \t\r\n\0"
"""What may stand between entries; NUL is what some systems leave behind when they crash."""
_START = re.compile(r'\{\s*"type"\s*:\s*"')
_IDENTITY = re.compile(
    rb'"id"\s*:\s*"([^"\\]+)"\s*,\s*"parentId"\s*:\s*(?:null|"([^"\\]+)")',
)
_OLD_TYPES = {"message", "thinking_level_change", "model_change", "compaction"}


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


_decode = json.JSONDecoder(parse_constant=_refuse).raw_decode


@attrs.frozen
class Salvaged:
    """What a damaged line still holds, in order, and what is left of it without that."""

    entries: list[bytes]
    rest: bytes


def salvage(raw: bytes, *, with_ids: bool = True) -> Salvaged:
    """Take the whole entries out of a damaged line.

    An object counts if it has what every entry has, and if it can be no part of another value: it
    begins the line or follows one that counts, or it ends the line, or another one begins right
    behind it. Entries of version 1 have no ids (`with_ids` false).
    """
    if depth_exceeds(raw, MAX_DEPTH):
        # Every bracket would be tried as a beginning.
        return Salvaged([], raw)
    text = raw.decode(errors="replace")
    found: list[bytes] = []
    rest: list[str] = []
    start = len(text) - len(text.lstrip(_BLANK))
    done = start
    for match in _START.finditer(text):
        at = match.start()
        if at < done:
            continue
        try:
            value, end = _decode(text, at)
        except (ValueError, RecursionError):
            continue
        if not _is_entry(value, with_ids=with_ids):
            continue
        end = _skip_blank(text, end)
        if at == start or end == len(text) or _START.match(text, end):
            rest.append(text[done:at])
            found.append(text[at:end].rstrip(_BLANK).encode())
            done = start = end
    rest.append(text[done:])
    return Salvaged(found, "".join(rest).strip(_BLANK).encode())


def identity(rest: bytes) -> tuple[str, str | None] | None:
    """The id and parent id of an entry of which only a part is left, if that part has both."""
    found = _IDENTITY.search(rest)
    if found is None:
        return None
    entry_id, parent_id = found.groups()
    above = None if parent_id is None else parent_id.decode(errors="replace")
    return entry_id.decode(errors="replace"), above


def _skip_blank(text: str, at: int) -> int:
    while at < len(text) and text[at] in _BLANK:
        at += 1
    return at


def _is_entry(value: Any, *, with_ids: bool) -> bool:
    """Tool calls and other parts of messages have a type, too, and some an id."""
    kind = value.get("type")
    if not isinstance(kind, str) or kind == SESSION:
        return False
    if not isinstance(value.get("timestamp"), str):
        return False
    if not with_ids:
        return kind in _OLD_TYPES and (kind != "message" or isinstance(value.get("message"), dict))
    # An id can be given, but what says nothing of a parent may be anything.
    entry_id, parent_id = value.get("id"), value.get("parentId", 0)
    return isinstance(entry_id, str | None) and entry_id != "" and isinstance(parent_id, str | None)
