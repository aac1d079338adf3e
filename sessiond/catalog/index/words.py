"""The words of many segments in one block, in which any part of a word can be found.

A query may be any part of a text, so the words themselves are searched: they are few, because most
of a text repeats them. A block is immutable. It has the words of up to `MOST` segments, separated
by spaces: first those of several segments, the most frequent first, each with the places of its
segments; then, for each segment, the words that no other one has.

Trigrams of SQLite's FTS5 take half as much time again to build, and every segment that may have a
text must be read to compare it. FTS5 and Tantivy build an index of words faster, but parts of words
are found slowly: each word of the index is compared, by Tantivy in 60 ms for 100,000 words. Its
trigrams leave as much to compare, it has no checksums, and one process at a time may write.
"""

from __future__ import annotations

import itertools
import operator
from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator

import attrs

MOST = 1024
"""Maximum number of segments in a block."""

# Not the quotation mark, with which a user begins to type a phrase.
_SEPARATORS = b"()[]{},;'`=<>|/:"
_TO_SPACES = bytes.maketrans(_SEPARATORS, b" " * len(_SEPARATORS))
_CHUNK = 16_000
"""Bytes of places that are read at once."""

IDS, SHARED, SHARED_ENDS, PLACES_ENDS, OWN, OWN_ENDS, PLACES = range(7)
"""The parts of a block; those from PLACES on are chunks."""

_ONE = ord("1")
_DIGITS = bytes.maketrans(b"01", b"\0\1")
_CHECKED_EVERY = 256
_FEW = 32

Part = Callable[[int], bytes]
"""Reads a part of a block."""


def words_of(text: bytes) -> list[bytes]:
    """The words of an encoded text, as they are in blocks."""
    return text.translate(_TO_SPACES).split(b" ")


class BlockBuilder:
    """Collects segments for a block."""

    def __init__(self) -> None:
        self.segments: list[tuple[int, int]] = []
        """Number and length of each segment."""
        self._places: defaultdict[bytes, list[int]] = defaultdict(list)

    @property
    def is_full(self) -> bool:
        return len(self.segments) >= MOST

    def add(self, number: int, body: bytes) -> None:
        place = len(self.segments)
        self.segments.append((number, len(body)))
        words = set(words_of(body))
        words.discard(b"")
        for places in map(self._places.__getitem__, words):
            places.append(place)

    def parts(self) -> Iterator[tuple[int, bytes]]:
        """The parts of the block, each with its number."""
        own: list[list[bytes]] = [[] for _ in self.segments]
        shared: list[tuple[int, bytes]] = []
        for word, places in self._places.items():
            if len(places) == 1:
                own[places[0]].append(word)
            else:
                shared.append((len(places), word))
        shared.sort(key=operator.itemgetter(0), reverse=True)
        words = [word for _, word in shared]
        packed = [_packed(self._places[word], len(self.segments)) for word in words]
        owned = [b" ".join(each) for each in own]
        yield IDS, array("q", [number for number, _ in self.segments]).tobytes()
        yield SHARED, b" ".join(words)
        yield SHARED_ENDS, _ends(words, 1)
        yield PLACES_ENDS, _ends(packed, 0)
        yield OWN, b" ".join(owned)
        yield OWN_ENDS, _ends(owned, 1)
        joined = b"".join(packed)
        for chunk, start in enumerate(range(0, len(joined), _CHUNK)):
            yield PLACES + chunk, joined[start : start + _CHUNK]


def _packed(places: list[int], count: int) -> bytes:
    """Places as one bit for each segment of the block, or as a list if that is shorter."""
    size = (count + 7) // 8
    if 2 * len(places) < size:
        return array("H", places).tobytes()
    digits = bytearray(b"0") * count
    for place in places:
        digits[~place] = _ONE
    return int(digits, 2).to_bytes(size, "little")


def _ends(items: list[bytes], gap: int) -> bytes:
    """Where each item ends, with `gap` bytes after it."""
    return array("I", itertools.accumulate(len(item) + gap for item in items)).tobytes()


@attrs.define(eq=False)
class WordBlock:
    """A block that is searched; its parts are read when they are needed."""

    read: Part
    ids: memoryview = attrs.field(init=False)
    """The numbers of the segments."""
    _parts: dict[int, memoryview] = attrs.field(factory=dict)
    _chunks: dict[int, bytes] = attrs.field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self.ids = memoryview(self.read(IDS)).cast("q")

    def holding(self, text: bytes, among: int, holds: Callable[[int], bool]) -> int:
        """The segments of `among` that have a word which contains the text; both are bit masks.

        `holds` looks into one segment, for when few are left.
        """
        found = self._shared(text, among, holds)
        if among & ~found:
            found |= self._own(text)
        return found & among

    def _shared(self, text: bytes, among: int, holds: Callable[[int], bool]) -> int:
        words = self.read(SHARED)
        at, found, seen = words.find(text), 0, 0
        while at >= 0:
            ends = self._integers(SHARED_ENDS)
            word = bisect_right(ends, at)
            found |= self._places(word)
            missing = among & ~found
            if not missing:
                break
            seen += 1
            if seen % _CHECKED_EVERY == 0 and missing.bit_count() <= _FEW:
                # The other words with this text are many, and rare.
                return found | sum(1 << place for place in bits(missing) if holds(place))
            at = words.find(text, ends[word])
        return found

    def _own(self, text: bytes) -> int:
        words = self.read(OWN)
        at, found = words.find(text), 0
        while at >= 0:
            ends = self._integers(OWN_ENDS)
            place = bisect_right(ends, at)
            found |= 1 << place
            at = words.find(text, ends[place])
        return found

    def _places(self, word: int) -> int:
        ends = self._integers(PLACES_ENDS)
        start, end = ends[word - 1] if word else 0, ends[word]
        packed = self._bytes(start, end)
        if end - start == (len(self.ids) + 7) // 8:
            return int.from_bytes(packed, "little")
        mask = 0
        for place in memoryview(packed).cast("H"):
            mask |= 1 << place
        return mask

    def _bytes(self, start: int, end: int) -> bytes:
        first, last = start // _CHUNK, (end - 1) // _CHUNK
        for chunk in range(first, last + 1):
            if chunk not in self._chunks:
                self._chunks[chunk] = self.read(PLACES + chunk)
        start -= first * _CHUNK
        end -= first * _CHUNK
        if first == last:
            return self._chunks[first][start:end]
        joined = b"".join(self._chunks[chunk] for chunk in range(first, last + 1))
        return joined[start:end]

    def _integers(self, part: int) -> memoryview:
        if part not in self._parts:
            self._parts[part] = memoryview(self.read(part)).cast("I")
        return self._parts[part]


def bits(mask: int) -> Iterator[int]:
    """The positions of the bits that are set."""
    # Each digit becomes a byte, from the lowest on: no arithmetic with long integers.
    digits = format(mask, "b").encode()[::-1].translate(_DIGITS)
    return itertools.compress(itertools.count(), digits)
