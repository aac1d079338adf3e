"""Split JSON text at the quotes of its strings, in steps of limited size.

A call of a regular expression holds the interpreter until it returns, and takes many times longer
than `bytes.split`. These functions take linear time, also for text that is not JSON.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

_STEP = 128 * 1024
_NO_BRACKETS_OR_QUOTES = bytes(set(range(256)) - set(b'[]{}"'))
_CUT = re.compile(rb'[,"]')


def steps(raw: bytes) -> Iterator[bytes]:
    """Yield the text in parts of limited size. No part ends within an escape or a number.

    A part is larger if no comma and no quote follows for long.
    """
    at, size = 0, len(raw)
    while at < size:
        cut = _CUT.search(raw, at + _STEP)
        end = cut.end() if cut else size
        yield raw[at:end]
        at = end


def without_escapes(part: bytes) -> bytes:
    r"""Replace the escapes `\\` and `\"` by other bytes of the same length."""
    if b"\\" not in part:
        return part
    return part.replace(rb"\\", b"xx").replace(rb"\"", b"xx")


def _quoted_brackets(part: bytes) -> list[bytes]:
    """Return the brackets outside of strings, inside, outside, and so on."""
    quoted = without_escapes(part).translate(None, _NO_BRACKETS_OR_QUOTES)
    # Neighbours become one string; there is nothing between them.
    return quoted.replace(b'""', b"").split(b'"')


def all_brackets_outside(raw: bytes) -> Iterator[bytes]:
    """Yield the brackets between strings, in parts."""
    inside = 0
    for part in steps(raw):
        pieces = _quoted_brackets(part)
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
