"""Message framing: split bytes into bodies, and frame bodies for output. No I/O.

There are two framings: the header lines of the base protocol of LSP 3.17
(https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/), and
one JSON value per line (https://jsonlines.org). The first byte that is not white space says which
one the client uses.
"""

from __future__ import annotations

import re
from typing import Literal

from sessiond.runtime.limits import MAX_HEADER_BYTES, MAX_MESSAGE_BYTES
from sessiond.text.spans import Buffer, Json, minify

Framing = Literal["header", "line"]

_BLANK = b" \t\r\n"
_LEADING_BLANK = re.compile(rb"[ \t\r\n]*")
_LEADING_LINE_ENDS = re.compile(rb"[\r\n]*")
_USUAL_HEADER = re.compile(rb"Content-Length: ([0-9]{1,18})\r\n\r\n")
_FIELD_NAME = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_LINE_FEED = re.compile(rb"\n")


class BoundaryLost(Exception):
    """The beginning of the next message cannot be determined; the connection must end."""


class TooLong(Exception):
    """A body above the size limit; it is skipped without storing it."""


class Unfinished(Exception):
    """The input ended within a body."""


class Receiver:
    """Takes received bytes (`feed`) and returns the bodies in them (`next`).

    `framing` is None until the first byte shows which one the client uses.
    """

    def __init__(
        self,
        framing: Literal["auto", "header", "line"] = "auto",
        max_message_bytes: int = MAX_MESSAGE_BYTES,
    ) -> None:
        self.framing: Framing | None = None if framing == "auto" else framing
        self.ended = False
        """Whether no more bytes follow."""
        self.skipped = 0
        """How many bytes of white space the last call of `next` has discarded."""
        self._limit = max_message_bytes
        self._data = bytearray()
        self._searched = 0
        """How many bytes at the beginning of the data have no end of line."""
        self._length: int | None = None
        """Length of the body whose header was read."""
        self._to_skip = 0
        """How many bytes of a body that is too long are still to come."""
        self._skips_line = False

    def feed(self, data: bytes) -> None:
        """Take received bytes."""
        self._data += data

    def next(self) -> bytes | None:
        """Return the next body, or None if more bytes are needed.

        Raises BoundaryLost, TooLong and Unfinished.
        """
        self.skipped = 0
        if self.framing is None:
            self._skip(_LEADING_BLANK)
            if not self._data:
                return None
            self.framing = "line" if self._data[0] in b"{[" else "header"
        return self._next_line() if self.framing == "line" else self._next_message()

    def _next_line(self) -> bytes | None:
        while True:
            if not self._searched and not self._skips_line:
                self._skip(_LEADING_BLANK)
            if not self._data:
                return None
            newline = self._data.find(b"\n", self._searched)
            if newline < 0 and not self.ended:
                self._searched = len(self._data)
                if self._skips_line:
                    self._take(self._searched)
                elif self._searched > self._limit + 1:
                    self._take(self._searched)
                    self._skips_line = True
                    raise TooLong
                return None
            line = self._take(newline + 1 if newline >= 0 else len(self._data)).strip(_BLANK)
            skipped, self._skips_line = self._skips_line, False
            if skipped:
                continue
            if len(line) > self._limit:
                raise TooLong
            return line

    def _next_message(self) -> bytes | None:
        if self._to_skip:
            self._to_skip -= len(self._take(min(self._to_skip, len(self._data))))
            if self._to_skip:
                return None
        if self._length is None and self._data:
            self._length = self._header()
        if self._length is None:
            return None
        if len(self._data) >= self._length:
            length, self._length = self._length, None
            return self._take(length)
        if self.ended:
            self._length = None
            self._take(len(self._data))
            raise Unfinished("the input ended within a body")
        return None

    def _header(self) -> int | None:
        """Read a header block; returns the length of its body, None if more bytes are needed."""
        usual = _USUAL_HEADER.match(self._data)
        if usual is not None:
            end, length = usual.end(), int(usual[1])
            # Until the match is gone, the data cannot change its size.
            del usual
        else:
            found = self._unusual_header()
            if found is None:
                return None
            end, length = found
        self._take(end)
        if length > self._limit:
            self._to_skip = length
            raise TooLong
        return length

    def _unusual_header(self) -> tuple[int, int] | None:
        """Return where a header block ends, and the length of the body; None: it is incomplete."""
        # Blank lines between messages.
        self._skip(_LEADING_LINE_ENDS)
        block, at = bytes(self._data[: MAX_HEADER_BYTES + 4]), 0
        lengths: set[bytes] = set()
        while (newline := block.find(b"\n", at)) >= 0:
            line, at = block[at:newline].removesuffix(b"\r"), newline + 1
            if not line:
                return at, _content_length(lengths)
            name, value = _field(line)
            if name == b"content-length":
                lengths.add(value)
        if len(block) == MAX_HEADER_BYTES + 4:
            raise BoundaryLost(f"no header block within {MAX_HEADER_BYTES} bytes")
        if self.ended and block:
            raise BoundaryLost("the input ended within a header block")
        return None

    def _skip(self, pattern: re.Pattern[bytes]) -> None:
        """Discard what matches at the beginning of the data, all of it at once."""
        match = pattern.match(self._data)
        end = match.end() if match else 0
        # Until the match is gone, the data cannot change its size.
        del match
        if end:
            del self._data[:end]
            self.skipped += end

    def _take(self, size: int) -> bytes:
        taken = bytes(memoryview(self._data)[:size])
        del self._data[:size]
        self._searched = 0
        return taken


def _content_length(given: set[bytes]) -> int:
    """Return the length of a body from the values of its header block. Raises BoundaryLost."""
    if not given:
        raise BoundaryLost("a header block without Content-Length")
    value = given.pop()
    if given or not value.isdigit() or len(value) > 18:
        raise BoundaryLost(f"not a content length: {value[:80]!r}")
    return int(value)


def _field(line: bytes) -> tuple[bytes, bytes]:
    name, colon, value = line.partition(b":")
    name = name.rstrip(b" \t").lower()
    if not colon or not _FIELD_NAME.fullmatch(name):
        raise BoundaryLost(f"not a header line: {line[:80]!r}")
    return name, value.strip(b" \t")


def frame(body: bytes | Json, framing: Framing) -> list[Buffer]:
    """Return the buffers to write for one outgoing message; large ones are not joined."""
    if framing == "line":
        return _line(body)
    if isinstance(body, bytes):
        return [b"Content-Length: %d\r\n\r\n%b" % (len(body), body)]
    return [b"Content-Length: %d\r\n\r\n" % body.size, *body.parts]


def _line(body: bytes | Json) -> list[Buffer]:
    parts = [body] if isinstance(body, bytes) else body.parts
    if any(map(_has_line_feed, parts)):
        # Line feeds can only be between tokens, in values that a client sent in several lines.
        return [minify(bytes(body)), b"\n"]
    return [body + b"\n"] if isinstance(body, bytes) else [*parts, b"\n"]


def _has_line_feed(part: Buffer) -> bool:
    if isinstance(part, memoryview):
        return _LINE_FEED.search(part) is not None
    return b"\n" in part
