"""Where entries are in a file: an entry is one line, measured in the units of the editor."""

from __future__ import annotations

import os

import attrs
import msgspec
from lsprotocol import types

from sessiond.jsontext.spans import loads

MOST_BYTES = 64 * 1024 * 1024
"""How much of a file is looked at; entries after it have no place."""


class _Head(msgspec.Struct, gc=False):
    type: str = ""
    id: str | None = None


_HEAD = msgspec.json.Decoder(_Head, strict=False)


@attrs.frozen
class Lines:
    """The lines of one state of a file."""

    stamp: tuple[int, int]
    """Size and time of the file; another one means that the file has changed."""
    lengths: list[int]
    """Length of each line without its end, in the units of the editor."""
    ids: list[str | None]
    """Id of the entry on each line; None: the header, or no entry."""
    line_of: dict[str, int]
    """The last line with an id, which is the one that counts."""

    @property
    def is_partial(self) -> bool:
        """Whether the file goes on after the lines."""
        return self.stamp[0] > MOST_BYTES

    def entry_at(self, line: int) -> str | None:
        """Return the id of the entry on a line, from 0."""
        return self.ids[line] if 0 <= line < len(self.ids) else None


def stamp_of(path: str) -> tuple[int, int]:
    """Return size and time of a file. Raises OSError."""
    with open(path, "rb") as file:
        facts = os.fstat(file.fileno())
    return facts.st_size, facts.st_mtime_ns


def read_lines(path: str, encoding: str) -> Lines:
    """Measure the lines of a file in units of `encoding`. Raises OSError. Blocking."""
    lengths: list[int] = []
    ids: list[str | None] = []
    line_of: dict[str, int] = {}
    with open(path, "rb") as file:
        facts = os.fstat(file.fileno())
        content = file.read(MOST_BYTES)
    for number, line in enumerate(content.split(b"\n")):
        text = line.removesuffix(b"\r")
        lengths.append(units(text, encoding))
        found = _entry_id(text)
        ids.append(found)
        if found is not None:
            line_of[found] = number
    return Lines((facts.st_size, facts.st_mtime_ns), lengths, ids, line_of)


def _entry_id(line: bytes) -> str | None:
    try:
        head = _HEAD.decode(line)
    except ValueError:
        return _slowly(line)
    return None if head.type == "session" else head.id


def _slowly(line: bytes) -> str | None:
    """Return the id of an entry with lone surrogates, which the decoder refuses."""
    if b"\\u" not in line:
        return None
    try:
        value = loads(line)
    except ValueError:
        return None
    found = value.get("id") if isinstance(value, dict) and value.get("type") != "session" else None
    return found if isinstance(found, str) else None


def units(line: bytes, encoding: str) -> int:
    """Return the length of a line in units of `encoding`.

    Editors show each part that is not UTF-8 as a replacement character.
    """
    if encoding == "utf-8" or line.isascii():
        return len(line)
    text = line.decode("utf-8", "replace")
    return len(text) if encoding == "utf-32" else len(text.encode("utf-16-le")) // 2


def line_range(line: int, lines: Lines) -> types.Range:
    """Return the range of a whole line."""
    return types.Range(types.Position(line, 0), types.Position(line, lines.lengths[line]))
