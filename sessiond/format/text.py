"""The bytes of a document's entry lines, addressed by offsets that never move."""

from __future__ import annotations

from bisect import bisect_right

from sessiond.jsontext.spans import Buffer

_MERGE_BELOW = 256 * 1024


class Text:
    """Append-only store of entry lines in a virtual space of offsets.

    Chunks follow each other with one virtual separator byte between them, and lines within a chunk
    are joined by a comma; so the bytes from the start of one entry to the end of a later one are
    the body of a JSON array, whatever chunks they lie in. Small chunks at the end are merged as
    further ones arrive; offsets are virtual, so merging moves nothing.
    """

    __slots__ = ("_bases", "_chunks", "_end", "nbytes")

    def __init__(self) -> None:
        self._bases: list[int] = []
        self._chunks: list[Buffer] = []
        self._end = 0
        self.nbytes = 0
        """Bytes held, without the virtual separators."""

    @property
    def end(self) -> int:
        """The offset the next chunk will start at."""
        return self._end

    def add(self, chunk: Buffer) -> int:
        """Take one or more lines already joined by commas; the offset of their first byte.

        The buffer is kept, not copied, and must not change any more.
        """
        base = self._end
        size = len(chunk)
        self._end = base + size + 1
        self.nbytes += size
        start = base
        # As a binary counter carries: a chunk swallows neighbours no larger than itself, so every
        # byte is copied a few times at most; buffers already handed out stay valid.
        while self._chunks and len(self._chunks[-1]) <= size <= _MERGE_BELOW // 2:
            chunk = b",".join((self._chunks.pop(), chunk))
            start = self._bases.pop()
            size = len(chunk)
        self._chunks.append(chunk)
        self._bases.append(start)
        return base

    def snapshot(self) -> Text:
        """The same text as it is now; chunks are shared, not copied, and offsets stay."""
        taken = Text()
        taken._bases, taken._chunks = self._bases.copy(), self._chunks.copy()
        taken._end, taken.nbytes = self._end, self.nbytes
        return taken

    def extend(self, other: Text) -> int:
        """Take over the chunks of another text; what has to be added to its offsets."""
        shift = self._end
        for chunk in other._chunks:
            self.add(chunk)
        return shift

    def slice(self, start: int, end: int) -> bytes:
        """The bytes from `start` to `end`, copied."""
        if end <= start:
            return b""
        at = bisect_right(self._bases, start) - 1
        base = self._bases[at]
        chunk = self._chunks[at]
        if end <= base + len(chunk):
            return bytes(memoryview(chunk)[start - base : end - base])
        return b"".join(self.buffers(start, end))

    def buffers(self, start: int, end: int) -> list[Buffer]:
        """The same without copying: views into the chunks, with `b","` between chunks."""
        found: list[Buffer] = []
        if end <= start:
            return found
        at = bisect_right(self._bases, start) - 1
        while at < len(self._chunks) and self._bases[at] < end:
            base = self._bases[at]
            if found:
                found.append(b",")
            found.append(memoryview(self._chunks[at])[max(start - base, 0) : end - base])
            at += 1
        return found
