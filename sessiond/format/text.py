"""Store the bytes of a document's entry lines under offsets that never change."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from xxhash import xxh3_64_intdigest

from sessiond.format.stored_lines import StoredLines
from sessiond.jsontext.spans import Buffer

_MERGE_BELOW = 256 * 1024

Chunk = Buffer | StoredLines


class Text:
    """An append-only store of entry lines, addressed by virtual offsets.

    Lines in a chunk are joined by commas, and one virtual separator byte lies between chunks. The
    bytes from the start of one entry to the end of a later one are therefore the body of a JSON
    array, even across chunks. Small chunks are merged with later ones; that changes no offset.

    The bytes of a chunk are in memory, or stay in the file (StoredLines). Methods that return bytes
    of the latter raise ReadFailed if the file cannot be read or was changed in place.
    """

    __slots__ = ("_bases", "_chunks", "_end", "nbytes", "stored")

    def __init__(self) -> None:
        self._bases: list[int] = []
        self._chunks: list[Chunk] = []
        self._end = 0
        self.nbytes = 0
        """Number of bytes of all lines, without the virtual separators."""
        self.stored = 0
        """Number of these bytes that stay in the file."""

    @property
    def end(self) -> int:
        """The offset at which the next chunk will start."""
        return self._end

    @property
    def chunks(self) -> Sequence[Chunk]:
        """The chunks in order. They must not be changed."""
        return self._chunks

    def add(self, chunk: Chunk) -> int:
        """Add one or more lines joined by commas, and return the offset of their first byte.

        The buffer is not copied, so it must not be changed afterwards.
        """
        base = self._end
        size = len(chunk)
        self._end = base + size + 1
        self.nbytes += size
        if isinstance(chunk, StoredLines):
            self.stored += size
            last = self._chunks[-1] if self._chunks else None
            if not (isinstance(last, StoredLines) and last.add(chunk)):
                self._chunks.append(chunk)
                self._bases.append(base)
            return base
        start = base
        # A chunk is merged with neighbours that are not larger, like the carry of a binary counter,
        # so every byte is copied a few times at most. Buffers returned before stay valid.
        while (
            self._chunks
            and not isinstance(last := self._chunks[-1], StoredLines)
            and len(last) <= size <= _MERGE_BELOW // 2
        ):
            chunk = b",".join((last, chunk))
            del self._chunks[-1]
            start = self._bases.pop()
            size = len(chunk)
        self._chunks.append(chunk)
        self._bases.append(start)
        return base

    def snapshot(self) -> Text:
        """Return a copy with equal offsets that shares the chunks. Nothing may be added to it."""
        copy = Text()
        copy._bases, copy._chunks = self._bases.copy(), self._chunks.copy()
        copy._end, copy.nbytes, copy.stored = self._end, self.nbytes, self.stored
        return copy

    def read_all(self) -> None:
        """Read all chunks in the file into memory. No other thread may use the text meanwhile."""
        for index, chunk in enumerate(self._chunks):
            if isinstance(chunk, StoredLines):
                self._chunks[index] = b",".join(chunk.runs(0, len(chunk)))
        self.stored = 0

    def extend(self, other: Text) -> int:
        """Add the chunks of another text, and return the amount to add to its offsets."""
        shift = self._end
        for chunk in other._chunks:
            self.add(chunk)
        return shift

    def slice(self, start: int, end: int) -> bytes:
        """Return a copy of the bytes from the start of a line to the end of this or a later one."""
        if end <= start:
            return b""
        at = bisect_right(self._bases, start) - 1
        base = self._bases[at]
        chunk = self._chunks[at]
        if end <= base + len(chunk):
            if isinstance(chunk, StoredLines):
                return chunk.slice(start - base, end - base)
            return bytes(memoryview(chunk)[start - base : end - base])
        return b"".join(self.buffers(start, end))

    def buffers(self, start: int, end: int) -> list[Buffer]:
        """Return views of these bytes, with `b","` between chunks."""
        views: list[Buffer] = []
        if end <= start:
            return views
        at = bisect_right(self._bases, start) - 1
        while at < len(self._chunks) and self._bases[at] < end:
            base, chunk = self._bases[at], self._chunks[at]
            begin, stop = max(start - base, 0), min(end - base, len(chunk))
            if isinstance(chunk, StoredLines):
                for run in chunk.runs(begin, stop):
                    views += (b",", run) if views else (run,)
            else:
                view = memoryview(chunk)[begin:stop]
                views += (b",", view) if views else (view,)
            at += 1
        return views

    def digest(self, start: int, end: int) -> int:
        """Return a digest of a line: equal lines have equal digests."""
        at = bisect_right(self._bases, start) - 1
        base, chunk = self._bases[at], self._chunks[at]
        if isinstance(chunk, StoredLines):
            return chunk.digest(start - base)
        return xxh3_64_intdigest(memoryview(chunk)[start - base : end - base])
