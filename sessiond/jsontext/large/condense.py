"""Shorten the long strings of a JSON text, so that one call of a decoder does not take long.

A decoder holds the interpreter until it returns. That takes 0.3 s for a string of 100 MB with many
escapes, and no other thread runs meanwhile. The text is processed here in steps of limited size.
"""

from __future__ import annotations

import msgspec

from sessiond.jsontext.large.strings import parts_from

STAND_IN = "\x00long string"
"""The value that replaces each long string."""

_LONG = 1024 * 1024
_MAX_STRINGS = 10_000
"""Maximum number of strings examined in one text; the search does not pay for many short ones."""

_STAND_IN = b'"\\u0000long string"'
_BACKSLASH = 0x5C
_decode_raw = msgspec.json.Decoder(msgspec.Raw).decode


def condensed(raw: bytes | bytearray, start: int, end: int) -> bytes:
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


def _end_of_string(raw: bytes | bytearray, at: int, end: int) -> int:
    """Position of the quote that ends the string whose text begins at `at`; -1 if it is invalid.

    A string that is not long is not checked, because it stays in the text.
    """
    quote = raw.find(b'"', at, min(at + _LONG - 1, end))
    if quote >= 0 and raw[quote - 1] != _BACKSLASH:
        return quote
    for part, is_end in parts_from(memoryview(raw)[:end], at):
        try:
            # Joined, because formatting takes as long as decoding.
            _decode_raw(b"".join((b'"', part, b'"')))
        except msgspec.DecodeError:
            return -1
        at += len(part)
        if is_end:
            return at
    return -1
