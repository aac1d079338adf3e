"""Read the lines of a file that may grow, and later only those that were added.

A file has only grown if all bytes that were read are still the same. Their checksum says so: an
editor that saves in place, or a program that blacks out a password, changes bytes anywhere, and
the agent may append before anybody looks.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator

from sessiond.catalog.line_blocks import is_long_line, line_blocks
from sessiond.files.identity import FileState, Reached, chunks, read_from

NOTHING = bytes(4)
"""The checksum of no bytes."""


def checksum(descriptor: int, start: int, end: int, before: bytes = NOTHING) -> bytes:
    """Return the checksum of the bytes up to `end`; `before` is that of those before `start`."""
    for chunk in chunks(descriptor, start, end):
        before = extended(before, chunk)
    return before


def extended(before: bytes, data: bytes) -> bytes:
    """Return the checksum of some bytes and further `data`."""
    return zlib.crc32(data, int.from_bytes(before)).to_bytes(4)


class Lines:
    """Iterates over the lines of a part of a file; `offset` is the end of the last whole line.

    `before` is the checksum of the bytes before the part, if it is known.
    """

    def __init__(self, descriptor: int, start: int, end: int, before: bytes | None = None) -> None:
        self.descriptor = descriptor
        self.offset = start
        self.unended = False
        self._checksum = before if start else NOTHING
        self._blocks = self._read(start, end)

    def __iter__(self) -> Iterator[bytes]:
        for block in self._blocks:
            if is_long_line(block):
                yield block
            elif block.endswith(b"\n"):
                yield from block.split(b"\n")[:-1]
            else:
                yield block

    def blocks(self) -> Iterator[bytes]:
        """The lines in blocks of complete lines; a last line without newline is one of its own."""
        return self._blocks

    def tail(self) -> bytes:
        """The checksum of all bytes up to `offset`, for `has_grown`. Raises OSError."""
        if self._checksum is None:
            return checksum(self.descriptor, 0, self.offset)
        return self._checksum

    def _read(self, start: int, end: int) -> Iterator[bytes]:
        for block in line_blocks(self.descriptor, start, end):
            whole = block.rfind(b"\n") + 1
            if whole:
                self.offset += whole
                lines = block[:whole]
                if self._checksum is not None:
                    self._checksum = extended(self._checksum, lines)
                yield lines
            if whole < len(block):
                self.unended = True
                yield block[whole:]


def has_grown(reached: Reached, descriptor: int, state: FileState) -> bool:
    """Whether the open file, now in `state`, has only grown after what is known. Raises OSError."""
    return (
        not reached.unended
        and state.key == reached.state.key
        and state.size > reached.state.size
        and begins_with(descriptor, state, reached.offset, reached.tail)
    )


def begins_with(descriptor: int, state: FileState, offset: int, tail: bytes) -> bool:
    """Whether the first bytes of an open session have a checksum. Raises OSError.

    The copy in memory of a translated session that has only grown has this checksum in place of
    the last of these bytes, and none of the others (`translation.copy_of`).
    """
    if state.is_of(os.fstat(descriptor)):
        return checksum(descriptor, 0, offset) == tail
    return read_from(descriptor, offset - len(tail), offset) == tail
