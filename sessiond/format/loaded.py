"""The result of loading a session file or a part of it."""

from __future__ import annotations

from itertools import islice

import attrs
import msgspec

from sessiond.format.entries import Diagnostic, Entry
from sessiond.format.header import Header
from sessiond.jsontext.spans import js_trim


class NotASession(Exception):
    """The file is not empty and its first value is not a header; `line` is that value's line."""

    def __init__(self, line: int) -> None:
        super().__init__(f"line {line} is not the header of a session")
        self.line = line


class BadLine(msgspec.Struct, frozen=True, gc=False):
    """A line that is neither an entry nor the first header. It stays in the file unchanged.

    Excluded from garbage collection, as entries are: there may be a million.
    """

    line: int
    index: int
    """Number of entries before it."""
    raw: bytes
    """Its bytes in the file, without the line break."""
    kind: str
    """`malformedLine`, `notAnEntry`, `missingId` or `secondHeader`."""
    message: str
    counts: bool = False
    """Whether pi's loader keeps it as a value. `firstKeptEntryIndex` of version 1 counts these."""


class SeenLines(msgspec.Struct, frozen=True, gc=False):
    """How many lines of each kind have a problem, and which is the torn one; 0 if there is none."""

    bad: int = 0
    raw: int = 0
    torn_line: int = 0


_FIRST_BYTES = 100


@attrs.define
class Loaded:
    """The contents of a file, or of the part of it that was fed."""

    header: Header | None = None
    """None for an empty file and for the growth of a file."""
    header_line: bytes = b""
    """The bytes of the header in the file, without line break and byte order mark."""
    header_number: int = 0
    """Line number of the header; 0 if there is none."""
    header_at: int = 0
    """Number of bad lines before the header."""
    entries: list[Entry] = attrs.field(factory=list)
    bad: list[BadLine] = attrs.field(factory=list)
    raw_lines: dict[int, bytes] = attrs.field(factory=dict)
    """By index of the entry: the bytes of its line in the file, if they are not UTF-8."""
    offset: int = 0
    """Number of fed bytes up to the end of the last whole line."""
    torn: bytes = b""
    """Bytes after the last newline that are not a whole JSON object; may be white space only."""
    torn_line: int = 0
    """Line number of `torn`; 0 if it is empty."""
    open_ended: bool = False
    """Whether the last line is a whole object without its newline."""
    glued: bool = False
    """Whether the growth continues the open-ended line instead of ending it. That line has changed,
    so the file must be loaded from its start."""
    lines: int = 0
    """Line number of the last whole line."""
    bom: bool = False

    def copy(self) -> Loaded:
        """Copy what `diagnostics` needs."""
        return attrs.evolve(
            self,
            entries=self.entries.copy(),
            bad=self.bad.copy(),
            raw_lines=self.raw_lines.copy(),
        )

    def seen(self) -> SeenLines:
        """Return which lines with problems there are now."""
        return SeenLines(len(self.bad), len(self.raw_lines), self.torn_line * self._is_torn())

    def _is_torn(self) -> bool:
        """Whether the rest after the last line is more than white space."""
        # Mostly its first bytes tell, and it may be long.
        first = self.torn[:_FIRST_BYTES].decode(errors="ignore")
        return bool(js_trim(first) or js_trim(self.torn.decode(errors="replace")))

    def diagnostics(self, since: SeenLines | None = None) -> list[Diagnostic]:
        """Report problems of single lines, in order. `Tree.problems` reports those between entries.

        With `since`, only those of lines that came after it. `entries` must be complete: merge
        growth first.
        """
        after = since or SeenLines()
        bad_lines = islice(self.bad, after.bad, None)
        findings = [Diagnostic(bad.line, bad.kind, bad.message) for bad in bad_lines]
        raw_lines = islice(self.raw_lines, after.raw, None)
        unreadable = [self.entries[index].line for index in raw_lines]
        if self.header is not None and since is None:
            if not self.header.is_known:
                message = "The header's version is unknown; the file is read without migration."
                findings.append(Diagnostic(self.header_number, "unknownVersion", message))
            if not _is_utf8(self.header_line):
                unreadable.append(self.header_number)
        message = "The line contains bytes that are not UTF-8; readers see U+FFFD instead."
        findings += [Diagnostic(line, "invalidUtf8", message) for line in unreadable]
        if self.bom and since is None:
            message = "The file begins with a byte order mark."
            findings.append(Diagnostic(1, "byteOrderMark", message))
        if (torn_line := self.seen().torn_line) and torn_line != after.torn_line:
            message = "The last line is incomplete: a write was interrupted or has not ended yet."
            findings.append(Diagnostic(torn_line, "tornTail", message))
        return sorted(findings, key=lambda diagnostic: diagnostic.line)


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True
