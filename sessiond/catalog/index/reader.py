"""Search the index: which files contain a text, and in which messages."""

from __future__ import annotations

import bisect
import functools
import weakref
from collections.abc import Iterator, Mapping

import apsw
import msgspec

from sessiond.catalog.index import blocks
from sessiond.catalog.index.database import reading
from sessiond.catalog.index.file_rows import signed
from sessiond.catalog.index.words import WordBlock, bits, words_of
from sessiond.catalog.message_text import Alive
from sessiond.catalog.search.folding import encode
from sessiond.files.identity import FileState

SHIFT = 20
"""Segment ids are `file number << SHIFT | segment number`."""

OVERLAP = 255
"""Characters that a segment repeats of the one before; longer texts are compared file by file."""

PLACES = msgspec.msgpack.Decoder(list[tuple[int, int, int]])
"""Messages of a segment: position in it, position and length of the line, all in bytes."""


def times(state: FileState) -> tuple[int, int, int]:
    return state.size, state.mtime_ns, state.ctime_ns


Numbers = Mapping[tuple[int, int, int, int, int], int]
"""Completely indexed files: (device, inode, size, mtime_ns, ctime_ns) → file number."""

_numbers: weakref.WeakKeyDictionary[apsw.Connection, tuple[tuple[int, int], Numbers]] = (
    weakref.WeakKeyDictionary()
)


def numbers(connection: apsw.Connection) -> Numbers:
    """Completely indexed files. The same object if nothing was written since the last call."""
    # The first counts what other connections have written, the second what this one has.
    version = connection.pragma("data_version"), connection.total_changes()
    kept = _numbers.get(connection)
    if kept is None or kept[0] != version:
        rows = connection.execute(
            "SELECT device, inode, size, mtime_ns, ctime_ns, file FROM indexed WHERE size >= 0"
        )
        found = {(device, inode, *times): file for device, inode, *times, file in rows}
        kept = _numbers[connection] = version, found
    return kept[1]


def identity(state: FileState) -> tuple[int, int, int, int, int]:
    """The key of a file in `numbers`."""
    return signed(state.device), signed(state.inode), *times(state)


def holding(connection: apsw.Connection, text: str, wanted: set[int], alive: Alive) -> set[int]:
    """The files of `wanted` whose messages contain a folded text."""
    search = _TextSearch(connection, text, wanted, alive)
    searched: set[int] = set()
    is_whole = False
    while search.missing and not is_whole:
        with reading(connection):
            numbers, waiting = blocks.numbers(connection), blocks.waiting(connection)
        is_whole = True
        for number in numbers:
            if number in searched or not search.missing:
                continue
            alive()
            with reading(connection):
                block = blocks.block(connection, number)
                if block is None:
                    # Its segments are waiting now, or in a later block.
                    is_whole = False
                    continue
                search.look_into(block)
            searched.add(number)
        for segment in waiting:
            search.look_at(segment)
    return wanted - search.missing


class _TextSearch:
    """A text, and the files in which it was not found yet."""

    def __init__(
        self, connection: apsw.Connection, text: str, wanted: set[int], alive: Alive
    ) -> None:
        self.missing = set(wanted)
        self._connection = connection
        self._alive = alive
        self._raw = encode(text)
        self._is_long = len(text) > OVERLAP
        # One segment has this much of it. The longest part is in the fewest segments.
        parts = words_of(encode(text[:OVERLAP]))
        self._parts = sorted(filter(None, parts), key=len, reverse=True)
        self._is_word = parts == [self._raw]

    def look_into(self, block: WordBlock) -> None:
        """Search the segments of a block."""
        ids = block.ids
        missing = self.missing
        digits = bytes(49 if number >> SHIFT in missing else 48 for number in reversed(ids))
        among = int(digits, 2) if missing and digits else 0
        for part in self._parts:
            if not among:
                return
            among = block.holding(part, among, functools.partial(self._holds, part, ids))
        if self._is_word:
            missing.difference_update([ids[place] >> SHIFT for place in bits(among)])
            return
        for place in bits(among):
            self.look_at(ids[place])

    def _holds(self, part: bytes, ids: memoryview, place: int) -> bool:
        return part in _body(self._connection, ids[place])

    def look_at(self, number: int) -> None:
        """Search one segment."""
        file = number >> SHIFT
        if file not in self.missing:
            return
        self._alive()
        if self._is_long:
            held = self._raw in b"".join(_own(self._connection, file))
        else:
            held = self._raw in _body(self._connection, number)
        if held:
            self.missing.discard(file)


def _body(connection: apsw.Connection, number: int) -> bytes:
    row = connection.execute("SELECT body FROM segments WHERE id = ?", (number,)).fetchone()
    # The segment may have been removed or replaced since.
    return b"" if row is None else row[0]


def _own(connection: apsw.Connection, file: int) -> Iterator[bytes]:
    rows = connection.execute(
        "SELECT own, body FROM segments WHERE id BETWEEN ? AND ? ORDER BY id",
        (file << SHIFT, (file + 1 << SHIFT) - 1),
    )
    yield from (body[own:] for own, body in rows)


def places(
    connection: apsw.Connection, file: int, texts: list[str], most: int
) -> dict[tuple[int, int], set[str]]:
    """The messages with any of the texts: (start, length) of their lines in bytes → texts.

    Considers at most `most` occurrences of each text.
    """
    lines: dict[tuple[int, int], set[str]] = {}
    left = dict.fromkeys(texts, most)
    rows = connection.execute(
        "SELECT own, body, messages FROM segments WHERE id BETWEEN ? AND ? ORDER BY id",
        (file << SHIFT, (file + 1 << SHIFT) - 1),
    )
    for own, body, packed in rows:
        spans = PLACES.decode(packed)
        begins = [at for at, *_ in spans]
        for text in texts:
            raw = encode(text)
            at = body.find(raw)
            while at >= 0 and left[text]:
                # An occurrence that ends in the repeated part was counted in the segment before.
                end = at + len(raw) - own
                if end > 0 and spans:
                    _, *span = spans[max(0, bisect.bisect_left(begins, end) - 1)]
                    lines.setdefault((span[0], span[1]), set()).add(text)
                    left[text] -= 1
                at = body.find(raw, at + len(raw))
        if not any(left.values()):
            break
    return lines
