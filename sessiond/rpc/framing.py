"""Where one message ends and the next begins: bytes in, bodies out, no I/O.

Two framings: the header lines of the Language Server Protocol's base protocol, and one JSON value
per line. Which one a connection speaks is told by the first byte that is not white space.
"""

from __future__ import annotations

import re
from typing import Literal, NoReturn

import attrs

from sessiond.jsontext import Buffer, Json, minify
from sessiond.limits import MAX_HEADER_BYTES, MAX_MESSAGE_BYTES

Framing = Literal["header", "line"]

_BLANK = b" \t\r\n"
_USUAL_HEADER = re.compile(rb"Content-Length: ([0-9]{1,18})\r\n\r\n")
_END_OF_HEADER = re.compile(rb"\r?\n\r?\n")
_HEADER_LINE = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*:[ \t]*(.*?)[ \t]*")
_LINE_FEED = re.compile(rb"\n")
_CHARSET = re.compile(rb"charset\s*=\s*\"?([^\s;\"]+)", re.IGNORECASE)
_UTF8 = (b"utf-8", b"utf8", b"us-ascii")


@attrs.frozen
class Oversized:
    """A body above the limit. It is skipped, never held."""


@attrs.frozen
class Unreadable:
    """A body that cannot be read although its boundaries are known."""

    reason: str


Event = bytes | Oversized | Unreadable


class BoundaryLost(Exception):
    """Nothing tells any more where a message begins; the connection cannot go on."""


class Receiver:
    """Takes bytes as they come (`feed`, then `end`) and gives messages (`next_event`).

    `framing` is None until the first byte has told which one the client speaks.
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
        # A body or line that came in pieces. They are joined once, when the last one is there.
        self._pieces: list[bytes] = []
        self._held = 0
        self._length: int | None = None
        self._to_skip = 0
        self._skipping_line = False

    @property
    def wanted(self) -> int:
        """Bytes the body in hand still lacks; 0 where that is not known."""
        return self._to_skip or (self._length or 0) - self._held

    def feed(self, data: bytes) -> None:
        rest = self._data[self._at :]
        self._data = rest + data if rest else data
        self._at = 0

    def end(self) -> None:
        """Say that no more bytes will come."""
        self.ended = True

    def next_event(self) -> Event | None:
        """The next message, or None if more bytes are needed for it.

        Raises BoundaryLost.
        """
        if self.framing is None:
            self._skip(_BLANK)
            if self._at == len(self._data):
                return None
            self.framing = "line" if self._data[self._at] in b"{[" else "header"
        return self._next_line() if self.framing == "line" else self._next_message()

    def _skip(self, blank: bytes) -> None:
        while self._at < len(self._data) and self._data[self._at] in blank:
            self._at += 1

    def _next_message(self) -> Event | None:
        if self._to_skip and not self._skip_body():
            return None
        if self._length is None:
            usual = _USUAL_HEADER.match(self._data, self._at)
            if usual:
                self._at = usual.end()
                refusal = self._expect(int(usual[1]), None)
            elif not self._unusual_header():
                return None
            else:
                length, charset = self._header
                refusal = self._expect(length, charset)
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
        end = self._at + self._length - self._held
        piece = self._data[self._at : end]
        self._at = min(end, len(self._data))
        self._held += len(piece)
        if self._held == self._length:
            return self._whole(piece)
        if self.ended:
            self._whole(b"")
            return Unreadable("the input ended within a body")
        if piece:
            self._pieces.append(piece)
        return None

    def _whole(self, last: bytes) -> bytes:
        body = b"".join((*self._pieces, last)) if self._pieces else last
        self._pieces = []
        self._held = 0
        self._length = None
        return body

    _header: tuple[int, bytes | None]

    def _unusual_header(self) -> bool:
        """Read a header block that is not of the usual form; False if it is not all there."""
        self._skip(b"\r\n")
        # Four bytes more than the limit, because they may be the end of the block.
        window = self._data[self._at : self._at + MAX_HEADER_BYTES + 4]
        found = _END_OF_HEADER.search(window)
        block = window[: found.start()] if found else window
        if len(block) > MAX_HEADER_BYTES + (0 if found else 3):
            _lost(f"no header block within {MAX_HEADER_BYTES} bytes")
        lines = block.split(b"\n")
        if not found:
            # The last line is not whole, but those before it may already show there is no header.
            unfinished = lines.pop()
            if self.ended and (unfinished or lines):
                _lost("the input ended within a header block")
        self._header = _parse_header(lines, whole=found is not None)
        if found:
            self._at += found.end()
        return found is not None

    def _next_line(self) -> Event | None:
        while True:
            newline = self._data.find(b"\n", self._at)
            piece = self._data[self._at : newline if newline >= 0 else None]
            self._at += len(piece) + (newline >= 0)
            complete = newline >= 0 or self.ended
            if self._skipping_line:
                self._skipping_line = not complete
            elif self._held + len(piece) > self._limit:
                self._whole(b"")
                self._skipping_line = not complete
                return Oversized()
            elif complete:
                line = self._whole(piece)
                if line.strip(_BLANK):
                    return line
            elif piece:
                self._pieces.append(piece)
                self._held += len(piece)
            if newline < 0:
                return None


def _parse_header(lines: list[bytes], *, whole: bool) -> tuple[int, bytes | None]:
    length: int | None = None
    charset: bytes | None = None
    for line in lines:
        field = _HEADER_LINE.fullmatch(line.removesuffix(b"\r"))
        if not field:
            _lost(f"not a header line: {line[:80]!r}")
        name, value = field[1].lower(), field[2]
        if name == b"content-length":
            if not value.isdigit() or len(value) > 18 or length not in (None, int(value)):
                _lost(f"not a content length: {line[:80]!r}")
            length = int(value)
        elif name == b"content-type":
            found = _CHARSET.search(value)
            charset = found[1] if found else None
    if length is None:
        if whole:
            _lost("a header block without Content-Length")
        length = 0
    return length, charset


def _lost(reason: str) -> NoReturn:
    raise BoundaryLost(reason)


def frame(body: bytes | Json, framing: Framing) -> list[Buffer]:
    """The buffers to write for one outgoing message; big ones are not joined."""
    if framing == "line":
        return _line(body)
    if isinstance(body, bytes):
        return [b"Content-Length: %d\r\n\r\n%b" % (len(body), body)]
    return [b"Content-Length: %d\r\n\r\n" % body.size, *body.parts]


def _line(body: bytes | Json) -> list[Buffer]:
    parts = [body] if isinstance(body, bytes) else body.parts
    if any(map(_has_line_feed, parts)):
        # A line feed can only stand between tokens; what a client sent in several lines has some.
        return [minify(bytes(body)), b"\n"]
    return [body + b"\n"] if isinstance(body, bytes) else [*parts, b"\n"]


def _has_line_feed(part: Buffer) -> bool:
    if isinstance(part, memoryview):
        return _LINE_FEED.search(part) is not None
    return b"\n" in part
