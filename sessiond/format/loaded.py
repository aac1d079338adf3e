"""What reading a session file, or a part of it, yields."""

from __future__ import annotations

import attrs
import msgspec

from sessiond.format.entries import Diagnostic, Entry
from sessiond.format.header import Header
from sessiond.format.text import Text
from sessiond.jsontext.spans import js_trim


class NotASession(Exception):
    """Not empty, and its first value is no header; `line` is where that showed."""

    def __init__(self, line: int) -> None:
        super().__init__(f"line {line} is not the header of a session")
        self.line = line


class BadLine(msgspec.Struct, frozen=True, gc=False):
    """A line that is neither entry nor first header. It stays in the file as it is.

    There may be a million, so the garbage collector is spared them, as it is entries.
    """

    line: int
    index: int
    """How many entries stand before it."""
    raw: bytes
    """Its bytes in the file, without the line's end."""
    kind: str
    """`malformedLine`, `notAnEntry`, `missingId` or `secondHeader`."""
    message: str
    counts: bool = False
    """Whether pi's loader keeps it as a value, so that version 1 counts it in
    `firstKeptEntryIndex`."""


@attrs.define
class Loaded:
    """What a file, or the part of it that was fed, holds."""

    header: Header | None = None
    """None for an empty file and for a part of a file."""
    header_line: bytes = b""
    """The header's bytes in the file without the line's end and byte order mark."""
    header_number: int = 0
    """Number of its line; 0 where there is none."""
    header_at: int = 0
    """How many of the bad lines stand before the header."""
    entries: list[Entry] = attrs.field(factory=list)
    text: Text = attrs.field(factory=Text)
    bad: list[BadLine] = attrs.field(factory=list)
    raw_lines: dict[int, bytes] = attrs.field(factory=dict)
    """Entry index → its line's bytes in the file, where they are not UTF-8."""
    offset: int = 0
    """How many of the fed bytes lie before the end of the last whole line."""
    torn: bytes = b""
    """An unterminated rest that is not a whole JSON object; possibly just white space."""
    torn_line: int = 0
    """The line number of `torn`; 0 where there is none."""
    open_ended: bool = False
    """Whether the last line is a whole object that only lacks its newline."""
    glued: bool = False
    """The part does not begin with the end of an open-ended line: what was the last line has
    changed, and the file has to be read from its start."""
    lines: int = 0
    """Number of the last whole line."""
    bom: bool = False
    crlf: bool = False

    def copy(self) -> Loaded:
        """What it holds now, as far as `diagnostics` looks at it; the text is left out."""
        return attrs.evolve(
            self,
            entries=self.entries.copy(),
            text=Text(),
            bad=self.bad.copy(),
            raw_lines=self.raw_lines.copy(),
        )

    def diagnostics(self) -> list[Diagnostic]:
        """What is wrong with the lines of a whole file, in order; the tree's problems come on top.

        `entries` must be all of the file's, so growth has to be merged before.
        """
        found = [Diagnostic(bad.line, bad.kind, bad.message) for bad in self.bad]
        unreadable = [self.entries[index].line for index in self.raw_lines]
        if self.header is not None:
            if not self.header.is_known:
                message = "The header's version is not known; the file is read as it is."
                found.append(Diagnostic(self.header_number, "unknownVersion", message))
            if not _is_utf8(self.header_line):
                unreadable.append(self.header_number)
        message = "The line holds bytes that are not UTF-8; readers see U+FFFD in their place."
        found += [Diagnostic(line, "invalidUtf8", message) for line in unreadable]
        if self.bom:
            message = "The file begins with a byte order mark."
            found.append(Diagnostic(1, "byteOrderMark", message))
        if js_trim(self.torn.decode(errors="replace")):
            message = "The last line is incomplete: a write was cut short or is under way."
            found.append(Diagnostic(self.torn_line, "tornTail", message))
        return sorted(found, key=lambda diagnostic: diagnostic.line)


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def adopt(text: Text, grown: Loaded) -> list[Entry]:
    """Move lines read as growth into the text of their document; their entries fit it then."""
    shift = text.extend(grown.text)
    for entry in grown.entries:
        entry.start += shift
        entry.end += shift
    grown.text = text
    return grown.entries
