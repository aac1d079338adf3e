"""Shorten the long strings of a JSON text, so that one call of a decoder does not take long.

A decoder holds the interpreter until it returns. That takes 0.3 s for a string of 100 MB with many
escapes, and no other thread runs meanwhile. The text is looked at here in steps of limited size.
"""

from __future__ import annotations

import re

import msgspec

STAND_IN = "\x00long string"
"""The value that replaces each long string."""

_LONG = 1024 * 1024
_STEP = 1024 * 1024
_MAX_STRINGS = 10_000
"""Strings looked at in one text; a text of many short strings is not worth the search."""

_STAND_IN = b'"\\u0000long string"'
_LONGEST_ESCAPE = 6
_HIGH_SURROGATE = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}")
_decode_raw = msgspec.json.Decoder(msgspec.Raw).decode


def condensed(raw: bytearray, start: int, end: int) -> bytes:
    """`raw[start:end]`, each string of more than 1 MiB replaced by `STAND_IN`.

    The result is valid JSON if and only if the original is: a string that is not valid stays.
    """
    parts: list[bytes | memoryview] = []
    view = memoryview(raw)
    kept = at = start
    for _ in range(_MAX_STRINGS):
        quote = raw.find(b'"', at, end)
        if quote < 0:
            break
        close = _end_of_string(raw, quote + 1, end)
        if close < 0:
            break
        at = close + 1
        if at - quote > _LONG:
            parts += [view[kept:quote], _STAND_IN]
            kept = at
    return b"".join([*parts, view[kept:end]])


def _end_of_string(raw: bytearray, at: int, end: int) -> int:
    """Position of the quote that ends the string whose text begins at `at`; -1 if it is invalid."""
    while at < end:
        part = bytes(memoryview(raw)[at : min(at + _STEP, end)])
        # Every backslash that remains begins an escape, every quote that remains ends the string.
        masked = part.replace(rb"\\", b"xx").replace(rb"\"", b"xx")
        size = masked.find(b'"')
        is_end = size >= 0
        if not is_end:
            escape = masked.rfind(b"\\", -_LONGEST_ESCAPE)
            # The step ends before an escape that may be cut.
            size = escape if escape >= 0 else len(part)
            if _HIGH_SURROGATE.fullmatch(part, max(0, size - _LONGEST_ESCAPE), size):
                size -= _LONGEST_ESCAPE
        try:
            _decode_raw(b'"%b"' % part[:size])
        except msgspec.DecodeError:
            return -1
        if is_end:
            return at + size
        if not size:
            return -1
        at += size
    return -1
