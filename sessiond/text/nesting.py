"""Check how deep JSON text nests, without a loop over tokens."""

from __future__ import annotations

from sessiond.text.quotes import all_brackets_outside

_CHUNKS = (16384, 128)
"""Numbers of brackets to count at once; the next smaller one is used if that is not decisive."""

_AS_ROUND = bytes.maketrans(b"[{]}", b"(())")


def depth_exceeds(raw: bytes, limit: int) -> bool:
    """Whether arrays and objects nest deeper than `limit`. Nothing is decoded.

    Takes linear time, also for text that is not JSON.
    """
    if raw.count(b"[") + raw.count(b"{") <= limit:
        # Too few, those in strings included.
        return False
    depth = 0
    for part in all_brackets_outside(raw):
        after = _depth_after(part.translate(_AS_ROUND), limit, _CHUNKS, depth)
        if after is None:
            return True
        depth = after
    return False


def _depth_after(brackets: bytes, limit: int, chunks: tuple[int, ...], depth: int) -> int | None:
    """Return the depth after `brackets`; None if it exceeds `limit` before."""
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
