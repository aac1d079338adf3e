"""Split and check bytes that are lines of JSON."""

from __future__ import annotations

from collections.abc import Iterable

from sessiond.text.spans import Buffer, loads
from sessiond.text.utf8 import readable


def last_newline(chunk: Buffer) -> int:
    """Return the position after the last newline; 0 if there is none."""
    if not isinstance(chunk, memoryview):
        return chunk.rfind(b"\n") + 1
    end = len(chunk)
    while end > 0:
        start = max(0, end - 65536)
        at = bytes(chunk[start:end]).rfind(b"\n")
        if at >= 0:
            return start + at + 1
        end = start
    return 0


def is_whole_object(line: bytes) -> bool:
    """Whether a line without newline is a complete JSON object; strings may hold any bytes."""
    if not line.rstrip().endswith(b"}"):
        return False
    try:
        return isinstance(loads(readable(line)), dict)
    except ValueError:
        return False


def split(pieces: Iterable[Buffer]) -> list[bytes]:
    """Split a file into lines without newlines; the last one follows the last newline."""
    lines: list[bytes] = []
    pending: list[bytes] = []
    for piece in pieces:
        first, *more = bytes(piece).split(b"\n")
        pending.append(first)
        if more:
            lines.append(b"".join(pending))
            lines += more[:-1]
            pending = [more[-1]]
    return [*lines, b"".join(pending)]
