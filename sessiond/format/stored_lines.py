"""Lines of a document that stay in their file and are read when they are needed."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import Protocol

from xxhash import xxh3_64_intdigest as digest

from sessiond.jsontext.spans import Buffer

_RUN_BYTES = 1024 * 1024
"""Bytes of a long run that are read at a time."""

_NEWLINE, _CR, _COMMA = b"\n\r,"


class Source(Protocol):
    """An open file whose bytes can be read again later; this layer does not open files itself."""

    def read(self, start: int, end: int) -> bytes:
        """Return the bytes of the file from `start` to `end`; fewer if the file ends before.

        Raises ReadFailed.
        """

    def copy(self, start: int, end: int) -> memoryview:
        """Read the same into memory that belongs to the caller, without reading ahead."""

    def changed(self) -> Exception:
        """Return the exception to raise when a line has changed."""


class StoredLines:
    """A run of lines in a file: only the start and a digest of each line are in memory.

    Offsets are relative to the first line. Each newline between lines is read as a comma. Every
    line is compared with its digest when it is read, so a line that another program has changed in
    place is never returned. A text and its snapshots share one object: lines are only added to it.
    """

    __slots__ = ("_digests", "_size", "_starts", "at", "source")

    def __init__(
        self, source: Source, at: int, size: int, starts: Sequence[int], digests: Sequence[int]
    ) -> None:
        self.source = source
        self.at = at
        """Offset of the first line in the file."""
        self._size = size
        self._starts = starts if isinstance(starts, array) else array("q", starts)
        self._digests = digests if isinstance(digests, array) else array("Q", digests)

    @classmethod
    def of(
        cls, source: Source, at: int, data: Buffer, bounds: Sequence[tuple[int, int]]
    ) -> StoredLines:
        """Lines with the bytes `data`, which are in the file from the offset `at` on.

        `bounds` are start and end of each line in `data`, without its line break.
        """
        view = memoryview(data)
        digests = [digest(view[start:end]) for start, end in bounds]
        return cls(source, at, len(view), [start for start, _ in bounds], digests)

    def __len__(self) -> int:
        return self._size

    def columns(self) -> tuple[array[int], array[int]]:
        """Return copies of the starts and digests of all lines."""
        return self._starts[:], self._digests[:]

    def add(self, other: StoredLines) -> bool:
        """Add lines if they follow these in the file after one newline; returns whether they do."""
        if self.source is not other.source or self.at + self._size + 1 != other.at:
            return False
        shift = self._size + 1
        # In this order, because another thread may read: every start has a digest.
        self._digests.extend(other._digests)
        self._starts.extend([start + shift for start in other._starts])
        self._size = shift + len(other)
        return True

    def digest(self, start: int) -> int:
        """Return the digest of the line that begins at `start`."""
        return self._digests[bisect_left(self._starts, start)]

    def slice(self, start: int, end: int) -> bytes:
        """Return the bytes from the start of a line to the end of the same or a later line.

        Raises as `Source.read` does, and the exception of `Source.changed`.
        """
        starts = self._starts
        index = bisect_left(starts, start)
        if index + 1 < len(starts) and end > starts[index + 1]:
            return b",".join(self.runs(start, end))
        line = self.source.read(self.at + start, self.at + end)
        if digest(line) != self._digests[index]:
            # What was read ahead may be older than the line.
            line = bytes(self.source.copy(self.at + start, self.at + end))
            if digest(line) != self._digests[index]:
                raise self.source.changed()
        return line

    def runs(self, start: int, end: int) -> Iterator[Buffer]:
        """Yield the same bytes in parts of about a megabyte; commas between them are left out.

        Raises as `slice` does.
        """
        starts = self._starts
        first, last = bisect_left(starts, start), bisect_left(starts, end)
        while first < last:
            after = min(last, bisect_right(starts, starts[first] + _RUN_BYTES, first + 1))
            stop = end if after == last else starts[after] - 1
            run = self.source.copy(self.at + starts[first], self.at + stop)
            if len(run) != stop - starts[first] or not self._join(run, first, after):
                raise self.source.changed()
            yield run
            first = after

    def _join(self, run: memoryview, first: int, after: int) -> bool:
        """Set commas between the lines from `first` until before `after`.

        Returns False if one of them does not match its digest.
        """
        starts, digests = self._starts, self._digests
        base = starts[first]
        at = 0
        for index in range(first, after):
            if index + 1 < after:
                stop = starts[index + 1] - base - 1
                if run[stop] != _NEWLINE:
                    return False
                run[stop] = _COMMA
            else:
                stop = len(run)
            ended = stop - 1 if run[stop - 1] == _CR else stop
            if digest(run[at:ended]) != digests[index]:
                return False
            at = stop + 1
        return True
