"""Parse the bytes of a session file into entries. Does no I/O."""

from __future__ import annotations

import msgspec

from sessiond.format.entries import (
    MESSAGE,
    SESSION,
    SIDE,
    Entry,
    Facts,
    NotAnObject,
    decode_quickly,
    parse_entry_facts,
)
from sessiond.format.header import parse_header
from sessiond.format.loaded import BadLine, Loaded, NotASession
from sessiond.jsontext.lines import is_whole_object, last_newline
from sessiond.jsontext.spans import Buffer, js_trim
from sessiond.jsontext.utf8 import is_utf8

__all__ = ["CHUNK_BYTES", "BadLine", "Loaded", "Loader", "NotASession", "load"]

CHUNK_BYTES = 256 * 1024
"""Bytes to feed at a time. Chunks that fit the processor's cache are parsed twice as fast."""

_BOM = b"\xef\xbb\xbf"
_JSON_SPACE = b" \t\r\n"
_CR, _OPEN, _CLOSE = b"\r{}"


class Loader:
    """Takes the bytes of a file in chunks of any size; `finish` returns the result.

    To load the growth of a file, feed the bytes after its last whole line. Pass
    `expect_header=False`, the number of the next line as `first_line`, and the number of known
    entries as `first_index`. Pass `open_ended` if the last known line has no newline yet: the
    growth must then begin with it.
    """

    def __init__(
        self,
        *,
        expect_header: bool = True,
        first_line: int = 1,
        first_index: int = 0,
        open_ended: bool = False,
    ) -> None:
        self._expect_header = expect_header
        self._continues = open_ended
        self._first_index = first_index
        self._first_line = first_line
        self._lines = first_line - 1
        self._needs_ids = True
        self._pending: list[bytes] = []
        self._shared: dict[str, str] = {}
        """One object for each type and role."""
        self._loaded = Loaded()

    def feed(self, chunk: Buffer) -> None:
        """Parse the next bytes of the file. They are copied, so the buffer may be reused.

        Raises NotASession.
        """
        chunk = bytes(chunk)
        cut = last_newline(chunk)
        if not cut:
            self._pending.append(chunk)
            return
        # Joining releases the interpreter, which matters for a line of many megabytes.
        run = b"".join((*self._pending, chunk[:cut]))
        self._pending = [chunk[cut:]]
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
        if self._is_file_start() and rest.startswith(_BOM):
            line = rest[len(_BOM) :]
        if self._continues or not is_whole_object(line):
            loaded.torn = rest
            loaded.torn_line = self._lines + (0 if self._continues else 1)
            if self._continues and js_trim(rest.decode(errors="replace")):
                loaded.glued = True
            return
        loaded.bom |= line is not rest
        self._take_line(line)
        loaded.open_ended = True
        loaded.offset += len(rest)

    def _is_file_start(self) -> bool:
        return self._lines == 0 and self._expect_header and not self._loaded.bad

    def _take_run(self, run: bytes) -> None:
        """Parse whole lines."""
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
                self._take_line(run[start:end])
                start = end + 1
        if is_utf8(run):
            self._take_good_lines(run, start)
        else:
            for line in run[start:].split(b"\n")[:-1]:
                self._take_line(line)

    def _take_good_lines(self, run: bytes, pos: int) -> None:
        """Parse lines of valid UTF-8: quickly, except for those that need the full rules.

        The hot loop: one copy and one decode for each line.
        """
        entries, needs_ids = self._loaded.entries, self._needs_ids
        add, find, decode, share = entries.append, run.find, decode_quickly, self._shared.setdefault
        size = len(run)
        last_id = entries[-1].id if entries else None
        while pos < size:
            end = find(b"\n", pos)
            # Agents on Windows end lines with CR and LF.
            stop = end - (run[end - 1] == _CR and end > pos + 1)
            facts = None
            if run[pos] == _OPEN and run[stop - 1] == _CLOSE:
                raw = run[pos:stop]
                try:
                    facts = decode(raw)
                except (msgspec.MsgspecError, RecursionError):
                    facts = None
            if facts is None or facts.type == SESSION or (needs_ids and not facts.id):
                self._take_line(run[pos:end])
                last_id = entries[-1].id if entries else None
                pos = end + 1
                continue
            kind, role, parent = facts.type, None, facts.parent_id
            if kind == MESSAGE:
                kind = MESSAGE
                role = share(facts.message.role, facts.message.role) if facts.message else ""
            else:
                kind = share(kind, kind)
            self._lines += 1
            add(
                Entry(
                    facts.id,
                    last_id if parent == last_id else parent,
                    kind,
                    facts.timestamp,
                    role,
                    raw,
                    self._lines,
                    facts.append_mode == SIDE,
                )
            )
            last_id = facts.id
            pos = end + 1

    def _take_line(self, line: bytes) -> None:
        """Parse one line, without its newline, by all the rules."""
        self._lines += 1
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
            self._take_entry(facts, raw, None if wire is line else line)

    def _take_entry(self, facts: Facts, raw: bytes, file_line: bytes | None) -> None:
        loaded = self._loaded
        if file_line is not None:
            loaded.raw_lines[self._first_index + len(loaded.entries)] = file_line
        loaded.entries.append(
            Entry(
                facts.id or "",
                facts.parent_id,
                self._shared.setdefault(facts.type, facts.type),
                facts.timestamp,
                facts.role,
                raw,
                self._lines,
                facts.side,
            )
        )

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
