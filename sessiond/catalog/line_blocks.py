"""Read the lines of a part of an open file, in blocks of complete lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sessiond.files.identity import chunks

_LONG = 1024 * 1024


def is_long_line(block: bytes) -> bool:
    """Whether a block is a single line of more than a megabyte, too long for a needless copy."""
    return len(block) > _LONG and block.find(b"\n") == len(block) - 1


def line_blocks(
    descriptor: int, start: int, end: int, alive: Callable[[], None] = lambda: None
) -> Iterator[bytes]:
    """Yield blocks of complete lines; the last block may lack its final newline.

    Every byte is copied a fixed number of times, for lines of any length. `alive` is called for
    every chunk that is read, and may raise to end the reading. Raises OSError.
    """
    pending: list[bytes] = []
    for chunk in chunks(descriptor, start, end):
        alive()
        cut = chunk.rfind(b"\n") + 1
        if not cut:
            pending.append(chunk)
            continue
        first = chunk.find(b"\n") + 1 if pending else 0
        if first:
            # Yielded separately, so that a long line need not be split from other lines later.
            pending.append(chunk[:first])
            yield b"".join(pending)
        if first < cut:
            yield chunk[first:cut]
        pending = [chunk[cut:]] if cut < len(chunk) else []
    if pending:
        yield b"".join(pending)
