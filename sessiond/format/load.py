"""Parse the bytes of a session file into entries. Does no I/O.

pi 1.6.0: session-manager.js, `parseSessionEntries`.
"""

from __future__ import annotations

from itertools import islice

import attrs
import msgspec

from sessiond.format.entries import (
    SESSION,
    Diagnostic,
    Entry,
    entry_of,
)
from sessiond.format.header import Header, parse_header, with_title
from sessiond.format.line import Line, decode_line, parse_line
from sessiond.format.title_slot import title_in_slot
from sessiond.text.lines import is_whole_object, last_newline
from sessiond.text.spans import Buffer, js_trim, loads
from sessiond.text.utf8 import is_utf8, readable

TITLE_SLOT = "titleSlot"
"""The kind of the line of Oh My Pi before the header, which is no damage."""

BOM = b"\xef\xbb\xbf"
JSON_SPACE = b" \t\r\n"
_FIRST_BYTES = 100


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
    raw: bytes
    """Its bytes in the file, without the line break."""
    kind: str
    """`malformedLine`, `notAnEntry`, `missingId`, `secondHeader` or `titleSlot`."""
    message: str
    counts: bool = False
    """Whether pi's loader keeps it as a value. `firstKeptEntryIndex` of version 1 counts these."""


class SeenLines(msgspec.Struct, frozen=True, gc=False):
    """How many lines of each kind have a problem, and which is the torn one; 0 if there is none."""

    bad: int = 0
    raw: int = 0
    torn_line: int = 0


@attrs.define
class Loaded:
    """The contents of a file, or of the part of it that was fed."""

    header: Header | None = None
    """None for an empty file and for the growth of a file."""
    header_line: bytes = b""
    """The bytes of the header in the file, without line break and byte order mark."""
    header_number: int = 0
    """Line number of the header; 0 if there is none."""
    entries: list[Entry] = attrs.field(factory=list)
    bad: list[BadLine] = attrs.field(factory=list)
    raw_lines: dict[int, bytes] = attrs.field(factory=dict)
    """By line number: the bytes in the file of the lines of entries that are not UTF-8."""
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
        return attrs.evolve(self, bad=self.bad.copy(), raw_lines=self.raw_lines.copy())

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

        With `since`, only those of lines that came after it.
        """
        after = since or SeenLines()
        bad_lines = islice(self.bad, after.bad, None)
        findings = [
            Diagnostic(bad.line, bad.kind, bad.message)
            for bad in bad_lines
            if bad.kind != TITLE_SLOT
        ]
        unreadable = list(islice(self.raw_lines, after.raw, None))
        if self.header is not None and since is None:
            if not self.header.is_known:
                message = "The header's version is unknown; the file is read without migration."
                findings.append(Diagnostic(self.header_number, "unknownVersion", message))
            if not is_utf8(self.header_line):
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


class Loader:
    """Takes the bytes of a file in chunks of any size; `finish` returns the result.

    To load the growth of a file, feed the bytes after its last whole line. Pass
    `expect_header=False`, and the number of the next line as `first_line`. Pass `open_ended` if the
    last known line has no newline yet: the growth must then begin with it.
    """

    def __init__(
        self,
        *,
        expect_header: bool = True,
        first_line: int = 1,
        open_ended: bool = False,
    ) -> None:
        self._expect_header = expect_header
        self._continues = open_ended
        self._first_line = first_line
        self._lines = first_line - 1
        self._needs_ids = True
        self._title: str | None = None
        self._pending: list[bytes] = []
        self._loaded = Loaded()

    def feed(self, chunk: Buffer) -> None:
        """Parse the next bytes of the file. They are copied, so the buffer may be reused.

        Raises NotASession.
        """
        cut, view = last_newline(chunk), memoryview(chunk)
        if not cut:
            self._pending.append(bytes(view))
            return
        # Joining releases the interpreter, which matters for a line of many megabytes.
        run = b"".join((*self._pending, view[:cut]))
        self._pending = [bytes(view[cut:])]
        self._take_run(run)
        self._loaded.offset += len(run)

    def finish(self) -> Loaded:
        """Return the contents of the bytes. The loader cannot be used again. Raises NotASession."""
        loaded = self._loaded
        rest = b"".join(self._pending)
        if rest:
            self._take_rest(rest)
        loaded.lines = self._lines
        fed = loaded.offset or loaded.torn
        if self._expect_header and fed:
            raise NotASession(self._first_line)
        return loaded

    def _take_rest(self, rest: bytes) -> None:
        loaded = self._loaded
        line = rest
        if self._is_file_start() and rest.startswith(BOM):
            line = rest[len(BOM) :]
        if self._continues or not is_whole_object(line):
            loaded.torn = rest
            loaded.torn_line = self._lines + (0 if self._continues else 1)
            if self._continues and js_trim(rest.decode(errors="replace")):
                loaded.glued = True
            return
        loaded.bom |= line is not rest
        self._take_lines(line + b"\n", 0)
        loaded.open_ended = True
        loaded.offset += len(rest)

    def _is_file_start(self) -> bool:
        return self._lines == 0 and self._expect_header and not self._loaded.bad

    def _take_run(self, run: bytes) -> None:
        """Parse whole lines."""
        start = 0
        if self._is_file_start() and run.startswith(BOM):
            self._loaded.bom = True
            start = len(BOM)
        if self._continues:
            self._continues = False
            start = run.index(b"\n") + 1
            if js_trim(run[: start - 1].decode(errors="replace")):
                self._loaded.glued = True
        self._take_lines(run, start)

    def _take_lines(self, run: bytes, start: int) -> None:
        """Parse lines, each with its newline."""
        entries, are_text = self._loaded.entries, is_utf8(run)
        last_id = entries[-1].id if entries else None
        while start < len(run):
            end = run.index(b"\n", start)
            line = run[start:end]
            start = end + 1
            self._lines += 1
            text = line if are_text else readable(line)
            raw = text.strip(JSON_SPACE)
            try:
                read = decode_line(raw)
            except (msgspec.MsgspecError, RecursionError):
                odd = self._odd(line, text, raw)
                if odd is None:
                    continue
                read = odd
            if self._expect_header:
                self._take_header(line, raw)
            elif read.type is None:
                self._reject(line, "notAnEntry", "The line is an object without a type.")
            elif read.type == SESSION:
                self._reject(line, "secondHeader", "Another header; only the first one counts.")
            elif read.id is None and self._needs_ids:
                self._reject(line, "missingId", "The line is an entry without an id.")
            else:
                if text is not line:
                    self._loaded.raw_lines[self._lines] = line
                if read.parent_id == last_id:
                    # One string for both.
                    read.parent_id = last_id
                last_id = read.id
                entries.append(entry_of(read, raw, self._lines))

    def _take_header(self, line: bytes, raw: bytes) -> None:
        loaded = self._loaded
        if self._lines == 1 and (title := title_in_slot(raw)) is not None:
            self._title = title
            self._reject(line, TITLE_SLOT, "", counts=False)
            return
        header = parse_header(raw)
        if header is None:
            raise NotASession(self._lines)
        loaded.header = header if self._title is None else with_title(header, self._title)
        loaded.header_line = line
        loaded.header_number = self._lines
        self._expect_header = False
        # Entries of version 1 have no ids; migration gives them some.
        self._needs_ids = not header.version < 2

    def _odd(self, line: bytes, text: bytes, raw: bytes) -> Line | None:
        """Decode a line that is unusual; None for one that is no object, which is mostly blank."""
        if not js_trim(text.decode()):
            return None
        try:
            value = loads(raw)
        except ValueError as error:
            message = "The line is not JSON."
            if "deep" in str(error):
                message = "The line is nested too deeply to be read."
            self._reject(line, "malformedLine", message, counts=False)
            return None
        if isinstance(value, dict):
            return parse_line(raw)
        # The loader of pi drops values that are falsy in JavaScript.
        counts = isinstance(value, list) or bool(value)
        if self._expect_header and counts:
            raise NotASession(self._lines)
        self._reject(line, "notAnEntry", "The line is not a JSON object.", counts=counts)
        return None

    def _reject(self, line: bytes, kind: str, message: str, *, counts: bool = True) -> None:
        self._loaded.bad.append(BadLine(self._lines, line, kind, message, counts))


def load(data: Buffer) -> Loaded:
    """Load a whole file. Raises NotASession."""
    loader = Loader()
    loader.feed(data)
    return loader.finish()
