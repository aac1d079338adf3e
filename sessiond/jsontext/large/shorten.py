"""Check a large JSON text, and shorten it so that one call can decode it.

A decoder holds the interpreter until it returns: 1 to 2 ms for each megabyte, in any thread. So a
text of many megabytes is read here in windows that end after a comma, and each is decoded alone,
between brackets that stand for the containers that are open there. Long values become stand-ins,
whose places in the text are known.
"""

from __future__ import annotations

import functools
import os
import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator

import attrs
import msgspec

from sessiond.jsontext.large.strings import end_of_string
from sessiond.jsontext.large.windows import closing, cut, open_after, opening
from sessiond.jsontext.quotes import brackets_outside
from sessiond.jsontext.spans import Buffer
from sessiond.jsontext.surrogates import without_lone_surrogates

LARGE = 1024 * 1024
"""Texts with more bytes are worth shortening; decoding a smaller one takes 2 ms at most."""

_LONG = 64 * 1024
"""Values with more bytes are replaced."""

_WINDOW = 64 * 1024
_LONGEST_STAND_IN = 64
_ARRAY_END = 0x5D
_LETTERS = str.maketrans("0123456789", "ghijklmnop")
_BATCH_LEVELS = 2
_TO_BRACKET = re.compile(rb'(?:[^\[\]{}"]++|"[^"\\]*+(?:\\.[^"\\]*+)*+")*+[\[\]{}]', re.DOTALL)
_WORD = b"-+.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_BYTE = re.compile(r"\(byte ([0-9]+)\)$")
_PADDING = b" " * 8
"""So that an escape at the end of a window is not reported as cut off."""
_END = b"\x01" + _PADDING
"""The decoder refuses it in any place, and says so if it accepts everything before it."""
_TRAILING = "trailing characters"
"""What the decoder says, one position later than where it is, if the value ended before."""

_decode_raw = msgspec.json.Decoder(msgspec.Raw).decode


class NotJson(ValueError):
    """The text is not JSON; the message is that of msgspec, with the position in the text.

    `before` is the shortened text up to about there, if more than one level was to be kept.
    """

    def __init__(self, message: str, before: bytes = b"") -> None:
        super().__init__(message)
        self.before = before


@attrs.frozen
class ShortText:
    """A JSON text whose long values are replaced by stand-ins of the same type.

    A stand-in contains a random name: the string is the name and a number, the array and object
    contain nothing else. `spans[number]` is the place of the value in the original text.
    """

    text: bytes
    name: bytes
    spans: list[tuple[int, int]]

    def place(self, value: Buffer) -> tuple[int, int] | None:
        """Return the place of the value that this one stands for; None if it is no stand-in."""
        if len(value) > _LONGEST_STAND_IN:
            return None
        name, _, number = bytes(value).strip(b'[{"}]:').partition(b" ")
        return self.spans[int(number)] if name == self.name else None


def elements_of(raw: Buffer) -> Iterator[bytes]:
    """Yield the elements of a large array, as arrays that are short unless its elements are long.

    `raw` must be valid JSON. An array without arrays and objects in it is yielded whole.
    """
    walk = _WindowWalk(memoryview(raw), 1, is_valid=True)
    walk.run()
    start = 1
    for end in (*walk.ends, len(raw) - 1):
        part = bytes(memoryview(raw)[start:end]).strip(b", \t\r\n")
        if part:
            yield b"[%b]" % part
        start = end


def shorten(raw: Buffer, *, levels: int = 1, is_valid: bool = False) -> ShortText:
    """Replace long strings and long containers in the outer `levels` of containers.

    The text must be UTF-8 and must not nest too deeply for the decoder. `is_valid` says that it is
    known to be JSON. Lone surrogates are accepted and kept. Raises NotJson.
    """
    return _WindowWalk(memoryview(raw), levels, is_valid=is_valid).run()


class _WindowWalk:
    def __init__(self, raw: memoryview, levels: int, *, is_valid: bool) -> None:
        self._raw = raw
        self._levels = levels
        self._is_valid = is_valid
        # Letters, so that it cannot be mistaken for what surrounds it.
        self._name = os.urandom(8).hex().translate(_LETTERS).encode()
        self._open = bytearray()
        """The opening brackets of the containers that are open at the beginning of the window."""
        self._parts: list[Buffer] = []
        self._spans: list[tuple[int, int]] = []
        self._copied = 0
        """Up to where the original text is in `_parts`."""
        self._container = -1
        """Where the container began that may be replaced; -1 outside of such a container."""
        self.ends: list[int] = []
        """Ends of containers in the outermost levels, not closer than `_LONG`."""
        self._begin(0)

    def _begin(self, at: int) -> None:
        """Begin a window at a position of the original text."""
        self._at = at
        self._window: list[bytes] = []
        self._size = 0
        self._jumps = [(0, at)]
        """Positions in the window, and the positions in the original text from there on."""
        self._strings: deque[tuple[int, int, int]] = deque()
        """Strings of which the window has only `""`: its position there, and the place."""

    def _take(self, text: bytes) -> None:
        self._window.append(text)
        self._size += len(text)
        self._at += len(text)

    def _jump(self, at: int) -> None:
        self._at = at
        self._jumps.append((self._size, at))

    def run(self) -> ShortText:
        raw, end = self._raw, len(self._raw)
        suspicious = LARGE
        while self._at + _WINDOW < end:
            start = self._at
            part = bytes(raw[start : start + _WINDOW])
            comma, quote = cut(part)
            if comma:
                self._take(part[:comma])
                self._finish(is_last=False)
                self._begin(self._at)
                suspicious = LARGE
            elif quote >= 0:
                self._take(part[:quote])
                self._skip_string()
            elif not part.strip(b" \t\r\n") or (part.isdigit() and self._ends_with_digit()):
                # It makes no difference if there is less of it.
                self._take(part[:1])
                self._jump(start + len(part))
            else:
                self._take(part)
            if self._size > suspicious and not self._is_valid:
                # No JSON has so much without a comma, unless it nests deeply.
                # A number or a name at its end may be cut.
                self._check(b"".join(self._window).rstrip(_WORD) + _END)
                suspicious *= 2
        self._take(bytes(raw[self._at :]))
        self._finish(is_last=True)
        self._parts.append(raw[self._copied :])
        return ShortText(b"".join(self._parts), self._name, self._spans)

    def _ends_with_digit(self) -> bool:
        return bool(self._window) and self._window[-1][-1:].isdigit()

    def _skip_string(self) -> None:
        """Skip the string that begins here, which leaves `""` in the window."""
        start, position = self._at, self._size
        try:
            end = end_of_string(self._raw, start + 1, is_valid=self._is_valid) + 1
        except ValueError as error:
            # What comes before the string may be invalid, too.
            self._check(b"".join((*self._window, b'"', _END)))
            raise self._not_json(str(error)) from None
        self._take(b'""')
        self._jump(end)
        self._strings.append((position, start, end))

    def _not_json(self, message: str) -> NotJson:
        if self._levels < _BATCH_LEVELS:
            return NotJson(message)
        end = self._container if len(self._open) > self._levels else self._at
        return NotJson(message, b"".join((*self._parts, self._raw[self._copied : end])))

    def _finish(self, *, is_last: bool) -> None:
        """Check the window, and replace the long values that end in it."""
        text = b"".join(self._window)
        after, lowest = open_after(self._open, brackets_outside(text))
        if not self._is_valid:
            self._check(text if is_last else b"".join((text, closing(after), _PADDING)))
        if lowest <= self._levels:
            self._replace(text)
        self._open = after

    def _check(self, text: bytes) -> None:
        """Raise NotJson if the decoder refuses a text, unless it reaches `_END` at its end."""
        start = opening(self._open)
        try:
            try:
                _decode_raw(start + text)
            except msgspec.DecodeError:
                if self._has_null:
                    raise
                _decode_raw(start + without_lone_surrogates(text))
        except msgspec.DecodeError as error:
            message = str(error)
            place = _BYTE.search(message)
            if place:
                position = int(place[1]) - len(start)
                is_at_end = text.endswith(_END) and position >= len(text) - len(_END)
                if is_at_end and _TRAILING not in message:
                    return
                message = f"{message[: place.start()]}(byte {self._original(position)})"
            raise self._not_json(message) from None

    @functools.cached_property
    def _has_null(self) -> bool:
        """Whether there is a null byte, which JSON cannot contain."""
        steps = range(0, len(self._raw), LARGE)
        return any(b"\0" in bytes(self._raw[at : at + LARGE]) for at in steps)

    def _original(self, position: int) -> int:
        """Return the position in the original text of a position in the window."""
        jump = self._jumps[bisect_right(self._jumps, (position, len(self._raw))) - 1]
        return position - jump[0] + jump[1]

    def _replace(self, text: bytes) -> None:
        """Replace the long values of the outer levels that end in the window."""
        depth = len(self._open)
        at, strings = 0, self._strings
        while True:
            match = _TO_BRACKET.match(text, at)
            bracket = match.end() - 1 if match else len(text)
            while strings and strings[0][0] < bracket:
                _, start, end = strings.popleft()
                if depth <= self._levels and end - start > _LONG:
                    self._stand_in(b'"%b"', start, end)
            if not match:
                return
            at = match.end()
            is_end = text[bracket] in b"]}"
            depth += -1 if is_end else 1
            if depth == self._levels + (not is_end):
                self._container_at(self._original(bracket), text[bracket])

    def _container_at(self, at: int, bracket: int) -> None:
        """A container begins or ends here that is replaced if it is long."""
        if bracket in b"[{":
            self._container = at
            return
        end = at + 1
        if end - (self.ends[-1] if self.ends else 0) > _LONG:
            self.ends.append(end)
        if end - self._container > _LONG:
            form = b'["%b"]' if bracket == _ARRAY_END else b'{"%b":[]}'
            self._stand_in(form, self._container, end)

    def _stand_in(self, form: bytes, start: int, end: int) -> None:
        self._parts += (
            self._raw[self._copied : start],
            form % (b"%b %d" % (self._name, len(self._spans))),
        )
        self._spans.append((start, end))
        self._copied = end
