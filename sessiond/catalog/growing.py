"""Read the lines of a file that may grow, and later only those that were added."""

from __future__ import annotations

from collections.abc import Iterator

from sessiond.catalog.line_blocks import is_long_line, line_blocks
from sessiond.files.identity import FileState, Reached, read_from

_TAIL_BYTES = 1024


class Lines:
    """Iterates over the lines of a part of a file; `offset` is the end of the last whole line."""

    def __init__(self, descriptor: int, start: int, end: int) -> None:
        self.descriptor = descriptor
        self.offset = start
        self.unended = False
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
        """The end of what was read, for `has_grown`. Raises OSError."""
        return read_from(self.descriptor, max(0, self.offset - _TAIL_BYTES), self.offset)

    def _read(self, start: int, end: int) -> Iterator[bytes]:
        for block in line_blocks(self.descriptor, start, end):
            whole = block.rfind(b"\n") + 1
            if whole:
                self.offset += whole
                yield block[:whole]
            if whole < len(block):
                self.unended = True
                yield block[whole:]


def has_grown(known: Reached, descriptor: int, state: FileState) -> bool:
    """Whether the open file, now in `state`, has only grown after what is known. Raises OSError."""
    return (
        not known.unended
        and state.key == known.state.key
        and state.size > known.state.size
        and read_from(descriptor, known.offset - len(known.tail), known.offset) == known.tail
    )
