"""Message framing: split bytes into bodies, and frame bodies for output. No I/O.

There are two framings: the header lines of the Language Server Protocol's base protocol, and one
JSON value per line. The first byte that is not white space tells which one the client uses.
"""

from __future__ import annotations

import re
from typing import Literal, NoReturn

import attrs

from sessiond.jsontext.spans import Buffer, Json, minify
from sessiond.limits import INLINE_READ_BYTES, MAX_HEADER_BYTES, MAX_MESSAGE_BYTES
from sessiond.rpc.events import BoundaryLost, Event, Oversized, Pieces, Unreadable

Framing = Literal["header", "line"]

_BLANK = b" \t\r\n"
_BLANKS = re.compile(rb"[ \t\r\n]++")
_NEWLINES = re.compile(rb"[\r\n]++")
_USUAL_HEADER = re.compile(rb"Content-Length: ([0-9]{1,18})\r\n\r\n")
_FIELD_NAME = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_SMALL = 4096
_LARGE = INLINE_READ_BYTES
"""Bodies with more bytes are joined where they are decoded."""
_LINE_FEED = re.compile(rb"\n")
_CHARSET = re.compile(rb"charset\s*=\s*\"?([^\s;\"]+)", re.IGNORECASE)
_UTF8 = (b"utf-8", b"utf8", b"us-ascii")


class Receiver:
    """Takes received bytes (`feed`, then `end`) and returns messages (`next_event`).

    `framing` is None until the first byte shows which one the client uses.
    """

    def __init__(
        self,
        framing: Literal["auto", "header", "line"] = "auto",
        max_message_bytes: int = MAX_MESSAGE_BYTES,
    ) -> None:
        self.framing: Framing | None = None if framing == "auto" else framing
        self._limit = max_message_bytes
        self._data = b""
        self._at = 0
        self.ended = False
        # The received pieces of an incomplete body or line, joined when the last one is received.
        self._pieces: list[bytes | bytearray] = []
        self._held = 0
        self._length: int | None = None
        self._to_skip = 0
        self._skipping_line = False
        self._fields: _Fields | None = None

    @property
    def wanted(self) -> int:
        """Number of bytes missing from the present body; 0 if unknown."""
        return self._to_skip or (self._length or 0) - self._held

    def feed(self, data: bytes) -> None:
        rest = self._data[self._at :]
        self._data = rest + data if rest else data
        self._at = 0

    def end(self) -> None:
        """Declare that no more bytes follow."""
        self.ended = True

    def next_event(self) -> Event | None:
        """Return the next message, or None if more bytes are needed.

        Raises BoundaryLost.
        """
        if self._at == len(self._data) and not self.ended:
            return None
        if self.framing is None:
            self._skip(_BLANKS)
            if self._at == len(self._data):
                return None
            self.framing = "line" if self._data[self._at] in b"{[" else "header"
        return self._next_line() if self.framing == "line" else self._next_message()

    def _skip(self, blank: re.Pattern[bytes]) -> None:
        match = blank.match(self._data, self._at)
        if match:
            self._at = match.end()

    def _next_message(self) -> Event | None:
        if self._to_skip and not self._skip_body():
            return None
        if self._length is None:
            usual = None if self._fields else _USUAL_HEADER.match(self._data, self._at)
            if usual:
                self._at = usual.end()
                refusal = self._expect(int(usual[1]), None)
            else:
                header = self._unusual_header()
                if header is None:
                    return None
                refusal = self._expect(*header)
            if refusal:
                return refusal
        return self._body()

    def _expect(self, length: int, charset: bytes | None) -> Event | None:
        if length > self._limit:
            self._to_skip = length
            return Oversized()
        if charset and charset.lower() not in _UTF8:
            self._to_skip = length
            return Unreadable(f"bodies must be UTF-8, not {charset.decode(errors='replace')}")
        self._length = length
        return None

    def _skip_body(self) -> bool:
        skipped = min(self._to_skip, len(self._data) - self._at)
        self._at += skipped
        self._to_skip -= skipped
        return not self._to_skip

    def _body(self) -> Event | None:
        assert self._length is not None  # noqa: S101 - for the type checker
        missing = self._length - self._held
        if self.ended and len(self._data) - self._at < missing:
            self._at = len(self._data)
            self._drop()
            return Unreadable("the input ended within a body")
        piece = self._data[self._at : self._at + missing]
        self._at += len(piece)
        if len(piece) < missing:
            self._keep(piece)
            self._held += len(piece)
            return None
        return self._join(piece)

    def _keep(self, piece: bytes) -> None:
        """Store a part of a message; small parts are joined, because each object costs memory."""
        if not piece:
            return
        if len(piece) > _SMALL:
            self._pieces.append(piece)
        elif self._pieces and isinstance(self._pieces[-1], bytearray):
            self._pieces[-1] += piece
        else:
            self._pieces.append(bytearray(piece))

    def _join(self, last: bytes) -> bytes | Pieces:
        """Join the stored pieces and the last one, and prepare for the next message."""
        body: bytes | Pieces = last
        if self._pieces:
            is_large = self._held + len(last) > _LARGE
            body = Pieces([*self._pieces, last]) if is_large else b"".join((*self._pieces, last))
        self._drop()
        return body

    def _drop(self) -> None:
        """Forget the stored pieces, and prepare for the next message."""
        self._pieces = []
        self._held = 0
        self._length = None

    def _unusual_header(self) -> tuple[int, bytes | None] | None:
        """Read lines of a header block; returns its fields at its end, None if it is incomplete.

        Every line is parsed once, when it is complete, even if the block is received slowly.
        """
        if self._fields is None:
            self._skip(_NEWLINES)
            if self._at == len(self._data):
                return None
            self._fields = _Fields()
        fields = self._fields
        while (newline := self._data.find(b"\n", self._at, self._at + MAX_HEADER_BYTES + 4)) >= 0:
            line = self._data[self._at : newline].removesuffix(b"\r")
            fields.size += newline + 1 - self._at
            if not line:
                if fields.size > MAX_HEADER_BYTES + 4:
                    break
                self._at = newline + 1
                self._fields = None
                return fields.end()
            if fields.size > MAX_HEADER_BYTES + 3:
                break
            fields.take(line)
            self._at = newline + 1
        unfinished = len(self._data) - self._at
        if fields.size + unfinished > MAX_HEADER_BYTES + 3:
            _lost(f"no header block within {MAX_HEADER_BYTES} bytes")
        if self.ended:
            _lost("the input ended within a header block")
        return None

    def _next_line(self) -> Event | None:
        while True:
            if not self._held and not self._skipping_line:
                self._skip(_BLANKS)
            newline = self._data.find(b"\n", self._at)
            start, end = self._at, newline if newline >= 0 else len(self._data)
            self._at = end + (newline >= 0)
            complete = newline >= 0 or self.ended
            if self._skipping_line:
                self._skipping_line = not complete
            elif self._held + end - start > self._limit:
                self._drop()
                self._skipping_line = not complete
                return Oversized()
            else:
                if not complete:
                    self._keep(self._data[start:end])
                elif isinstance(line := self._join(self._data[start:end]), Pieces):
                    # Not blank: blanks before a line are skipped.
                    return line
                elif line.strip(_BLANK):
                    return line
                self._held = 0 if complete else self._held + end - start
            if newline < 0:
                return None


@attrs.define
class _Fields:
    """The fields of a header block read so far; `size` is the length of its lines in bytes."""

    size: int = 0
    length: int | None = None
    charset: bytes | None = None

    def take(self, line: bytes) -> None:
        name, colon, value = line.partition(b":")
        name = name.rstrip(b" \t").lower()
        if not colon or not _FIELD_NAME.fullmatch(name):
            _lost(f"not a header line: {line[:80]!r}")
        value = value.strip(b" \t")
        if name == b"content-length":
            if not value.isdigit() or len(value) > 18 or self.length not in (None, int(value)):
                _lost(f"not a content length: {line[:80]!r}")
            self.length = int(value)
        elif name == b"content-type":
            charset = _CHARSET.search(value)
            self.charset = charset[1] if charset else None

    def end(self) -> tuple[int, bytes | None]:
        """Length and charset of the body."""
        if self.length is None:
            _lost("a header block without Content-Length")
        return self.length, self.charset


def _lost(reason: str) -> NoReturn:
    raise BoundaryLost(reason)


def frame(body: bytes | Json, framing: Framing) -> list[Buffer]:
    """The buffers to write for one outgoing message; large ones are not joined."""
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
