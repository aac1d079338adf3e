"""Parse the bytes of a session file into an index and a text. Does no I/O."""

from __future__ import annotations

from sessiond.format.entries import SESSION, Entry, Facts, NotAnObject, parse_entry_facts
from sessiond.format.header import parse_header
from sessiond.format.loaded import BadLine, Hasher, Loaded, NotASession, adopt
from sessiond.format.quick_lines import QuickLines
from sessiond.format.stored_lines import Source, StoredLines
from sessiond.jsontext.lines import is_whole_object, last_newline
from sessiond.jsontext.spans import Buffer, js_trim
from sessiond.jsontext.utf8 import is_utf8

__all__ = ["CHUNK_BYTES", "BadLine", "Loaded", "Loader", "NotASession", "adopt", "load"]

CHUNK_BYTES = 256 * 1024
"""Bytes to feed at a time. Chunks that fit the processor's cache are parsed twice as fast."""

_BOM = b"\xef\xbb\xbf"
_JSON_SPACE = b" \t\r\n"


class Loader:
    """Takes the bytes of a file in chunks of any size; `finish` returns the result.

    To load the growth of a file, feed the bytes after its last whole line. Pass
    `expect_header=False`, the number of the next line as `first_line`, and the number of known
    entries as `first_index`. Pass `open_ended` if the last known line has no newline yet: the
    growth must then begin with it.

    With `source`, lines stay in that file instead of in memory; the first byte to be fed has the
    offset `at` in it. `hasher` gets all bytes up to the end of the last whole line.
    """

    def __init__(
        self,
        *,
        expect_header: bool = True,
        first_line: int = 1,
        first_index: int = 0,
        open_ended: bool = False,
        source: Source | None = None,
        at: int = 0,
        hasher: Hasher | None = None,
    ) -> None:
        self._expect_header = expect_header
        self._continues = open_ended
        self._first_index = first_index
        self._first_line = first_line
        self._lines = first_line - 1
        self._needs_ids = True
        self._pending = bytearray()
        self._source = source
        self._at = at
        self._shared: dict[str, str] = {}
        self._loaded = Loaded(hasher=hasher)

    def feed(self, chunk: Buffer) -> None:
        """Parse the next bytes of the file. They are copied, so the buffer may be reused.

        Raises NotASession.
        """
        view = memoryview(chunk)
        cut = last_newline(chunk)
        if not cut:
            self._pending += view
            return
        # Grown in steps: one copy of a long line would keep other threads waiting.
        run = self._pending
        run += view[:cut]
        self._pending = bytearray(view[cut:])
        if self._loaded.hasher is not None:
            self._loaded.hasher.update(run)
        self._take_run(run)
        self._loaded.offset += len(run)

    def finish(self) -> Loaded:
        """Return the contents of the bytes. The loader cannot be used again. Raises NotASession."""
        loaded = self._loaded
        rest = bytes(self._pending)
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
        if self._is_file_start() and rest.startswith(_BOM):
            line = rest[len(_BOM) :]
        if self._continues or not is_whole_object(line):
            loaded.torn = rest
            loaded.torn_line = self._lines + (0 if self._continues else 1)
            if self._continues and js_trim(rest.decode(errors="replace")):
                loaded.glued = True
            return
        loaded.bom |= line is not rest
        self._take_line(line, len(rest) - len(line))
        loaded.open_ended = True
        loaded.offset += len(rest)
        if loaded.hasher is not None:
            loaded.hasher.update(rest)

    def _is_file_start(self) -> bool:
        return self._lines == 0 and self._expect_header and not self._loaded.bad

    def _take_run(self, run: bytearray) -> None:
        """Parse whole lines. Newlines become commas, so that the run can be added to the Text."""
        start = 0
        if self._is_file_start() and run.startswith(_BOM):
            self._loaded.bom = True
            start = len(_BOM)
        if self._continues:
            self._continues = False
            start = run.index(b"\n") + 1
            if js_trim(run[: start - 1].decode(errors="replace")):
                self._loaded.glued = True
        if self._expect_header:
            while self._expect_header and start < len(run):
                end = run.index(b"\n", start)
                self._take_line(bytes(run[start:end]), start)
                start = end + 1
        if is_utf8(run):
            self._take_good_lines(run, start)
        else:
            for line in bytes(run[start:]).split(b"\n")[:-1]:
                self._take_line(line, start)
                start += len(line) + 1

    def _take_good_lines(self, run: bytearray, pos: int) -> None:
        """Parse lines of valid UTF-8: quickly, except for those that need the full rules."""
        loaded = self._loaded
        view = memoryview(run)
        size = len(run)
        quick = QuickLines(loaded, self._shared, needs_ids=self._needs_ids)
        while pos < size:
            first = len(loaded.entries)
            stop = quick.take(run, pos, loaded.text.end - pos, self._lines)
            if stop > pos:
                self._lines += len(loaded.entries) - first
                self._keep(view[pos : stop - 1], pos, first)
            if stop < size:
                end = run.index(b"\n", stop)
                self._take_line(bytes(view[stop:end]), stop)
                stop = end + 1
            pos = stop

    def _keep(self, lines: memoryview, at: int, first: int) -> None:
        """Add the lines of the entries from `first` on, which are at `at` in the present run."""
        loaded = self._loaded
        text, source = loaded.text, self._source
        if source is None:
            text.add(lines)
            return
        base = text.end
        bounds = [(entry.start - base, entry.end - base) for entry in loaded.entries[first:]]
        text.add(StoredLines.of(source, self._at + loaded.offset + at, lines, bounds))

    def _take_line(self, line: bytes, at: int) -> None:
        """Parse one line, without its newline, by all the rules; it is at `at` in this run."""
        self._lines += 1
        loaded = self._loaded
        if line.endswith(b"\r"):
            loaded.crlf = True
        try:
            wire = line
            text = line.decode()
        except UnicodeDecodeError:
            text = line.decode(errors="replace")
            wire = text.encode()
        if not js_trim(text):
            return
        raw = wire.strip(_JSON_SPACE)
        try:
            facts = parse_entry_facts(raw)
        except NotAnObject as error:
            self._take_value(line, error.value)
            return
        except ValueError as error:
            self._take_malformed(line, error)
            return
        if self._expect_header:
            self._take_header(line, raw)
        elif facts is None:
            self._reject(line, "notAnEntry", "The line is an object without a type.", counts=True)
        elif facts.type == SESSION:
            self._reject(
                line, "secondHeader", "Another header; only the first one counts.", counts=True
            )
        elif facts.id is None and self._needs_ids:
            self._reject(line, "missingId", "The line is an entry without an id.", counts=True)
        else:
            self._take_entry(facts, raw, at + line.find(raw), None if wire is line else line)

    def _take_entry(self, facts: Facts, raw: bytes, at: int, file_line: bytes | None) -> None:
        loaded = self._loaded
        start = loaded.text.end
        index = len(loaded.entries)
        loaded.entries.append(
            Entry(
                facts.id or "",
                facts.parent_id,
                self._shared.setdefault(facts.type, facts.type),
                facts.timestamp,
                facts.role,
                start,
                start + len(raw),
                self._lines,
                facts.side,
            )
        )
        if file_line is None:
            self._keep(memoryview(raw), at, index)
        else:
            loaded.raw_lines[self._first_index + index] = file_line
            loaded.text.add(raw)

    def _take_header(self, line: bytes, raw: bytes) -> None:
        loaded = self._loaded
        header = parse_header(raw)
        if header is None:
            raise NotASession(self._lines)
        loaded.header = header
        loaded.header_line = line
        loaded.header_at = len(loaded.bad)
        loaded.header_number = self._lines
        self._expect_header = False
        # Entries of version 1 have no ids; migration gives them some.
        self._needs_ids = not header.version < 2

    def _take_value(self, line: bytes, value: object) -> None:
        # The loader of pi drops values that are falsy in JavaScript.
        counts = isinstance(value, list) or bool(value)
        if self._expect_header and counts:
            raise NotASession(self._lines)
        self._reject(line, "notAnEntry", "The line is not a JSON object.", counts=counts)

    def _take_malformed(self, line: bytes, error: ValueError) -> None:
        message = "The line is not JSON."
        if "deep" in str(error):
            message = "The line is nested too deeply to be read."
        self._reject(line, "malformedLine", message)

    def _reject(self, line: bytes, kind: str, message: str, *, counts: bool = False) -> None:
        index = self._first_index + len(self._loaded.entries)
        self._loaded.bad.append(BadLine(self._lines, index, line, kind, message, counts))


def load(data: Buffer) -> Loaded:
    """Load a whole file. Raises NotASession."""
    loader = Loader()
    loader.feed(data)
    return loader.finish()
