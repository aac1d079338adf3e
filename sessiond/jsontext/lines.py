"""Questions about bytes that are lines of JSON."""

from __future__ import annotations

from collections.abc import Iterable

from sessiond.jsontext.spans import Buffer, loads
from sessiond.jsontext.utf8 import readable


def last_newline(chunk: Buffer) -> int:
    """One more than the position of the last newline; 0 where there is none."""
    if not isinstance(chunk, memoryview):
        return chunk.rfind(b"\n") + 1
    end = len(chunk)
    while end > 0:
        start = max(0, end - 65536)
        found = bytes(chunk[start:end]).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def is_whole_object(line: bytes) -> bool:
    """Whether an unterminated line is a JSON object already, whatever bytes its strings hold."""
    if not line.rstrip().endswith(b"}"):
        return False
    try:
        return isinstance(loads(readable(line)), dict)
    except ValueError:
        return False


def split(pieces: Iterable[Buffer]) -> list[bytes]:
    """The lines of a file without newlines; the last is what follows the last newline."""
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
