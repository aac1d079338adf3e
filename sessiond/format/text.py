"""Store the bytes of a document's entry lines under offsets that never change."""

from __future__ import annotations

from bisect import bisect_right

from sessiond.jsontext.spans import Buffer

_MERGE_BELOW = 256 * 1024


class Text:
    """An append-only store of entry lines, addressed by virtual offsets.

    Lines in a chunk are joined by commas, and one virtual separator byte lies between chunks. The
    bytes from the start of one entry to the end of a later one are therefore the body of a JSON
    array, even across chunks. Small chunks are merged with later ones; that changes no offset.
    """

    __slots__ = ("_bases", "_chunks", "_end", "nbytes")

    def __init__(self) -> None:
        self._bases: list[int] = []
        self._chunks: list[Buffer] = []
        self._end = 0
        self.nbytes = 0
        """Number of bytes, without the virtual separators."""

    @property
    def end(self) -> int:
        """The offset at which the next chunk will start."""
        return self._end

    def add(self, chunk: Buffer) -> int:
        """Add one or more lines joined by commas, and return the offset of their first byte.

        The buffer is not copied, so it must not be changed afterwards.
        """
        base = self._end
        size = len(chunk)
        self._end = base + size + 1
        self.nbytes += size
        start = base
        # A chunk is merged with neighbours that are not larger, like the carry of a binary counter,
        # so every byte is copied a few times at most. Buffers returned before stay valid.
        while self._chunks and len(self._chunks[-1]) <= size <= _MERGE_BELOW // 2:
            chunk = b",".join((self._chunks.pop(), chunk))
            start = self._bases.pop()
            size = len(chunk)
        self._chunks.append(chunk)
        self._bases.append(start)
        return base

    def snapshot(self) -> Text:
        """Return a copy that shares the chunks; offsets are the same."""
        copy = Text()
        copy._bases, copy._chunks = self._bases.copy(), self._chunks.copy()
        copy._end, copy.nbytes = self._end, self.nbytes
        return copy

    def extend(self, other: Text) -> int:
        """Add the chunks of another text, and return the amount to add to its offsets."""
        shift = self._end
        for chunk in other._chunks:
            self.add(chunk)
        return shift

    def slice(self, start: int, end: int) -> bytes:
        """Return a copy of the bytes from `start` to `end`."""
        if end <= start:
            return b""
        at = bisect_right(self._bases, start) - 1
        base = self._bases[at]
        chunk = self._chunks[at]
        if end <= base + len(chunk):
            return bytes(memoryview(chunk)[start - base : end - base])
        return b"".join(self.buffers(start, end))

    def buffers(self, start: int, end: int) -> list[Buffer]:
        """Return views of the bytes from `start` to `end`, with `b","` between chunks."""
        views: list[Buffer] = []
        if end <= start:
            return views
        at = bisect_right(self._bases, start) - 1
        while at < len(self._chunks) and self._bases[at] < end:
            base = self._bases[at]
            if views:
                views.append(b",")
            views.append(memoryview(self._chunks[at])[max(start - base, 0) : end - base])
            at += 1
        return views
