"""How deep JSON text nests, found at the speed of the C library rather than token by token."""

from __future__ import annotations

import re

_CHUNKS = (16384, 128)
"""Brackets that are counted at once; where that does not decide, the next smaller number."""

_NO_BRACKET_IN_A_STRING = re.compile(
    rb'(?:[^"]*+"[^"\\\[\]{}]*+(?:\\.[^"\\\[\]{}]*+)*+")*+[^"]*+', re.DOTALL
)
_BETWEEN_BRACKETS = re.compile(
    rb'(?:[^\[\]{}"]++|"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z))++', re.DOTALL
)
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_AS_ROUND = bytes.maketrans(b"[{]}", b"(())")


def depth_exceeds(raw: bytes, limit: int) -> bool:
    """Whether arrays and objects nest deeper than `limit`, without decoding anything.

    Takes time in proportion to the length; what `raw` is if it is not JSON does not matter.
    """
    if raw.count(b"[") + raw.count(b"{") <= limit:
        return False
    if not _NO_BRACKET_IN_A_STRING.fullmatch(raw):
        raw = _BETWEEN_BRACKETS.sub(b"", raw)
    return _depth_after(raw.translate(_AS_ROUND, _NO_BRACKETS), limit, _CHUNKS) is None


def _depth_after(
    brackets: bytes, limit: int, chunks: tuple[int, ...], depth: int = 0
) -> int | None:
    """The depth after `brackets`, or None if it exceeds `limit` anywhere before."""
    if not chunks:
        for bracket in brackets:
            depth += 1 if bracket == 0x28 else -1
            if depth > limit:
                return None
        return depth
    size = chunks[0]
    for start in range(0, len(brackets), size):
        chunk = brackets[start : start + size]
        opened = chunk.count(b"(")
        if depth + opened <= limit:
            depth += 2 * opened - len(chunk)
            continue
        after = _depth_after(chunk, limit, chunks[1:], depth)
        if after is None:
            return None
        depth = after
    return depth
