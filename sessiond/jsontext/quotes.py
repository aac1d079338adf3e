"""Split JSON text at the quotes of its strings, in steps of limited size.

A call of a regular expression holds the interpreter until it returns, and takes many times longer
than `bytes.split`. These functions take linear time, also for text that is not JSON.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

_STEP = 256 * 1024
_CUT = re.compile(rb'[,"]')


def steps(raw: bytes) -> Iterator[bytes]:
    """Yield the text in parts of limited size. No part ends within an escape or a number.

    A part is larger if no comma and no quote follows for long.
    """
    at, size = 0, len(raw)
    while at < size:
        found = _CUT.search(raw, at + _STEP)
        end = found.end() if found else size
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


def convert_outside(raw: bytes, convert: Callable[[bytes], bytes]) -> bytes:
    """Convert the text between strings piece by piece. `raw` must be valid JSON."""
    inside = 0
    done = []
    for part in steps(raw):
        escaped = b"\\" in part
        if escaped:
            # Control characters occur nowhere in JSON, so they can stand in for escapes.
            part = part.replace(rb"\\", b"\0\0").replace(rb"\"", b"\0\1")  # noqa: PLW2901
        pieces = part.split(b'"')
        pieces[inside::2] = map(convert, pieces[inside::2])
        inside ^= (len(pieces) - 1) & 1
        part = b'"'.join(pieces)  # noqa: PLW2901
        if escaped:
            part = part.replace(b"\0\0", rb"\\").replace(b"\0\1", rb"\"")  # noqa: PLW2901
        done.append(part)
    return b"".join(done)
