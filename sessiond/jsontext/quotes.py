"""Split JSON text at the quotes of its strings, in steps of limited size.

A call of a regular expression holds the interpreter until it returns, and takes many times longer
than `bytes.split`. These functions take linear time, also for text that is not JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_STEP = 256 * 1024
_BACKSLASHES = re.compile(rb"\\*+")


def steps(raw: bytes) -> Iterator[bytes]:
    """Yield the text in parts of limited size. No part ends within an escape of two characters.

    Only a part that ends in a very long run of backslashes is larger.
    """
    at, size = 0, len(raw)
    while at < size:
        end = min(at + _STEP, size)
        if end < size and raw[end - 1] == 0x5C:
            backslashes = _BACKSLASHES.match(raw, end)
            # With the character after the last backslash, which may be escaped by it.
            end = min((backslashes.end() if backslashes else end) + 1, size)
        yield raw[at:end]
        at = end


def outside_strings(raw: bytes) -> Iterator[bytes]:
    """Yield the text between strings, in parts."""
    inside = 0
    for part in steps(raw):
        if b"\\" in part:
            part = part.replace(rb"\\", b"").replace(rb"\"", b"")  # noqa: PLW2901
        pieces = part.split(b'"')
        yield b"".join(pieces[inside::2])
        # One quote fewer than pieces.
        inside ^= (len(pieces) - 1) & 1


def without_spaces(raw: bytes) -> bytes:
    """Remove the white space between strings. `raw` must not contain control characters."""
    inside = 0
    done = []
    for part in steps(raw):
        escaped = b"\\" in part
        if escaped:
            part = part.replace(rb"\\", b"\0\0").replace(rb"\"", b"\0\1")  # noqa: PLW2901
        pieces = part.split(b'"')
        pieces[inside::2] = [piece.translate(None, b" \t\r\n") for piece in pieces[inside::2]]
        inside ^= (len(pieces) - 1) & 1
        part = b'"'.join(pieces)  # noqa: PLW2901
        if escaped:
            part = part.replace(b"\0\0", rb"\\").replace(b"\0\1", rb"\"")  # noqa: PLW2901
        done.append(part)
    return b"".join(done)
