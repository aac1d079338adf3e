"""Find the end of a JSON string of any length, and check the string, in steps of limited size."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from sessiond.jsontext.spans import loads
from sessiond.jsontext.surrogates import without_lone_surrogates

_STEP = 256 * 1024
_FIRST_STEP = 4096
_LONGEST_ESCAPE = 6
_BACKSLASH = 0x5C
_ESCAPED_BACKSLASH = b"\\\\"
_HIGH_SURROGATE = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}")
_BYTE = re.compile(r"\(byte ([0-9]+)\)$")
_decode_raw = msgspec.json.Decoder(msgspec.Raw).decode


def end_of_string(raw: memoryview, at: int, *, is_valid: bool = False) -> int:
    """Return the position of the quote that ends the string whose text begins at `at`.

    Lone surrogates are accepted. Raises ValueError with the message of msgspec if the string is
    invalid; `is_valid` says that it is not.
    """
    for part, is_end in parts_from(raw, at):
        if not is_valid:
            _check(part, at, is_cut=not is_end and at + len(part) == len(raw))
        at += len(part)
        if is_end:
            return at
    raise ValueError("Input data was truncated")


def parts_of_string(raw: memoryview) -> Iterator[bytes]:
    """Yield a valid string in parts, each a string of limited size. No surrogate pair is cut."""
    return (b'"%b"' % part for part, _ in parts_from(raw, 1))


def text_of(raw: memoryview) -> str:
    """Decode a valid string; it may contain lone surrogates."""
    return "".join(map(loads, parts_of_string(raw)))


def parts_from(raw: memoryview, at: int) -> Iterator[tuple[bytes, bool]]:
    """Yield the text of a string in parts, each with whether the string ends there.

    The text begins at `at`. No part cuts an escape or a surrogate pair, except where `raw` ends.
    """
    size, step = len(raw), min(_FIRST_STEP, _STEP)
    while at < size:
        part = bytes(raw[at : at + step])
        # Short steps first: most strings are short.
        step = min(4 * step, _STEP)
        length = _end_within(part)
        is_end = length >= 0
        if not is_end:
            # What is cut off at the end of the input belongs to the last part.
            length = _uncut(part) if at + len(part) < size else len(part)
        yield part[:length], is_end
        if is_end:
            return
        at += length


def _check(text: bytes, at: int, *, is_cut: bool) -> None:
    # Blanks at the end, so that a short escape is not reported as cut off where the text goes on.
    end = b"" if is_cut else b'"        '
    try:
        try:
            _decode_raw(b"".join((b'"', text, end)))
        except msgspec.DecodeError:
            _decode_raw(b"".join((b'"', without_lone_surrogates(text), end)))
    except msgspec.DecodeError as error:
        message = str(error)
        place = _BYTE.search(message)
        if place:
            message = f"{message[: place.start()]}(byte {at - 1 + int(place[1])})"
        raise ValueError(message) from None


def _end_within(part: bytes) -> int:
    """Position of the first quote that no escape contains; -1 if there is none.

    The part begins where no escape is cut.
    """
    quote = part.find(b'"')
    if quote <= 0 or part[quote - 1] != _BACKSLASH:
        return quote
    # Every quote that remains ends the string.
    return part.replace(_ESCAPED_BACKSLASH, b"xx").replace(rb"\"", b"xx").find(b'"')


def _uncut(part: bytes) -> int:
    """Size of the part without a last escape that may be cut, or half a surrogate pair."""
    size = len(part)
    escape = part.rfind(b"\\", -_LONGEST_ESCAPE)
    if escape >= 0 and _begins_escape(part, escape):
        size = escape
    high = max(0, size - _LONGEST_ESCAPE)
    if _HIGH_SURROGATE.fullmatch(part, high, size) and _begins_escape(part, high):
        size = high
    return size


def _begins_escape(part: bytes, at: int) -> bool:
    """Whether the backslash at a position begins an escape, and does not end that of another."""
    return (at + 1 - len(part[: at + 1].rstrip(b"\\"))) % 2 == 1
