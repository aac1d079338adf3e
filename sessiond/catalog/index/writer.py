"""Write the text of messages into the index, one file at a time; grown files from the old end."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import apsw
import attrs
import msgspec

from sessiond.catalog.index.database import Store
from sessiond.catalog.index.file_rows import is_settled, signed
from sessiond.catalog.index.reader import END, OVERLAP, PLACES, SHIFT, clean, times
from sessiond.catalog.message_text import Alive, MessageReader, MessageText
from sessiond.catalog.search.folding import decode, encode, fold
from sessiond.catalog.summaries import Summary
from sessiond.files import journal
from sessiond.files.identity import FileState, open_regular

_SEGMENT = 32 * 1024
"""Maximum number of characters in a segment."""

_STEP = 64
"""Segments written in one transaction: few enough that other daemons do not wait long."""

_TAIL_BYTES = 1024


@attrs.define
class _File:
    """How much of a file is indexed; a negative size means not all of it."""

    number: int
    size: int = -1
    mtime_ns: int = 0
    ctime_ns: int = 0
    offset: int = 0
    unended: bool = False
    tail: bytes = b""
    segments: int = 0


@attrs.define
class _Open:
    """The segment being filled: folded text, and the positions of messages in it."""

    before: str = ""
    text: str = ""
    places: list[tuple[int, int, int]] = attrs.field(factory=list)


def fill(store: Store, summary: Summary, alive: Alive) -> bool:
    """Index the current text of a file; whether the index can be trusted to have all of it.

    Raises Unavailable, ReadFailed, SessionNotFound, OSError, and whatever `alive` raises; text
    indexed before the error stays.
    """
    descriptor = open_regular(summary.path)
    try:
        state = FileState.of(os.fstat(descriptor))
        complete = False
        while not complete:
            with store.connection(writing=True) as connection:
                complete = _step(connection, summary.path, descriptor, state)
            alive()
        return is_settled(state)
    finally:
        os.close(descriptor)


def _step(connection: apsw.Connection, path: str, descriptor: int, state: FileState) -> bool:
    """Index the next part of a file; whether the file is complete now."""
    known = _known(connection, state)
    if known is not None and (known.size, known.mtime_ns, known.ctime_ns) == times(state):
        return True
    if known is not None and not _goes_on(known, descriptor, state):
        forget(connection, known.number)
        known = None
    file = known or _File(_new_number(connection))
    segment = _last_segment(connection, file)
    first = file.segments
    messages = MessageReader(descriptor, file.offset, state.size)
    complete = True
    for message in messages:
        for full in _add(segment, message):
            _write(connection, file, full)
        if file.segments - first >= _STEP and not messages.unended:
            complete = False
            break
    if segment.text:
        _write(connection, file, segment)
    file.offset, file.unended = messages.offset, messages.unended
    file.tail = journal.read_from(descriptor, max(0, file.offset - _TAIL_BYTES), file.offset)
    file.size, file.mtime_ns, file.ctime_ns = times(state) if complete else (-1, 0, 0)
    if not is_settled(state):
        # The file may change and keep its times, which must not match then.
        file.mtime_ns, file.ctime_ns = 0, 0
    key = file.number, signed(state.device), signed(state.inode)
    row = (
        *key,
        file.size,
        file.mtime_ns,
        file.ctime_ns,
        encode(path),
        file.offset,
        file.unended,
        file.tail,
        file.segments,
    )
    connection.execute(
        "INSERT OR REPLACE INTO indexed VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row
    )
    return complete


def _known(connection: apsw.Connection, state: FileState) -> _File | None:
    row = connection.execute(
        "SELECT file, size, mtime_ns, ctime_ns, offset, unended, tail, segments FROM indexed"
        " WHERE device = ? AND inode = ?",
        (signed(state.device), signed(state.inode)),
    ).fetchone()
    return None if row is None else _File(*row)


def _goes_on(known: _File, descriptor: int, state: FileState) -> bool:
    """Whether the file only grew after its indexed part."""
    if known.unended or state.size < known.offset or 0 <= known.size == state.size:
        return False
    start = known.offset - len(known.tail)
    return journal.read_from(descriptor, start, known.offset) == known.tail


def _new_number(connection: apsw.Connection) -> int:
    number: int = connection.execute("SELECT coalesce(max(file), 0) + 1 FROM indexed").get
    return number


def _last_segment(connection: apsw.Connection, file: _File) -> _Open:
    """Remove the last segment from the index and return it, to be filled up."""
    if not file.segments:
        return _Open()
    file.segments -= 1
    number = file.number << SHIFT | file.segments
    row: Any = connection.execute(
        "SELECT own, body, messages FROM segments WHERE id = ?", (number,)
    ).fetchone()
    own, body, places = row
    _remove(connection, number, body)
    segment = _Open(decode(body[:own]), decode(body[own:]))
    # Stored positions count bytes; here they count characters.
    kept = PLACES.decode(places)
    ends = [own + at for at, _, _ in kept]
    begins = _measured(ends, lambda start, end: len(decode(body[start:end])), own)
    segment.places = [(at, x, y) for at, (_, x, y) in zip(begins, kept, strict=True)]
    return segment


def _add(segment: _Open, message: MessageText) -> Iterator[_Open]:
    """Add a message; yields each full segment, which the caller writes before it continues."""
    text = fold(message.text)
    if not text:
        return
    place = message.start, message.length
    whole = f"{segment.text} " if segment.text or segment.before else ""
    segment.places.append((len(whole), *place))
    whole += text
    done = 0
    while len(whole) - done >= _SEGMENT:
        segment.text = whole[done : done + _SEGMENT]
        later = [(at - _SEGMENT, x, y) for at, x, y in segment.places if at >= _SEGMENT]
        segment.places = [item for item in segment.places if item[0] < _SEGMENT]
        yield segment
        segment.before = (segment.before + segment.text)[-OVERLAP:]
        done += _SEGMENT
        # The rest belongs to the same message.
        segment.places = later or ([(0, *place)] if done < len(whole) else [])
    segment.text = whole[done:]


def _measured(
    begins: Iterable[int], measure: Callable[[int, int], int], first: int = 0
) -> Iterator[int]:
    """Convert ascending positions to another unit by measuring the parts between them."""
    return itertools.accumulate(
        measure(start, end) for start, end in itertools.pairwise([first, *begins])
    )


def _write(connection: apsw.Connection, file: _File, segment: _Open) -> None:
    number = file.number << SHIFT | file.segments
    own = encode(segment.before)
    text, kept = segment.text, segment.places
    begins = _measured((at for at, _, _ in kept), lambda start, end: len(encode(text[start:end])))
    places = [(at, x, y) for at, (_, x, y) in zip(begins, kept, strict=True)]
    body = own + encode(segment.text)
    connection.execute(
        "INSERT INTO segments VALUES (?, ?, ?, ?)",
        (number, len(own), body, msgspec.msgpack.encode(places)),
    )
    connection.execute(
        "INSERT INTO trigrams (rowid, text) VALUES (?, ?)", (number, clean(decode(body)) + END)
    )
    file.segments += 1


def _remove(connection: apsw.Connection, number: int, body: bytes) -> None:
    connection.execute("DELETE FROM segments WHERE id = ?", (number,))
    connection.execute(
        "INSERT INTO trigrams (trigrams, rowid, text) VALUES ('delete', ?, ?)",
        (number, clean(decode(body)) + END),
    )


def forget(connection: apsw.Connection, number: int) -> None:
    """Remove a file from the index, within a transaction of the caller."""
    first, last = number << SHIFT, (number + 1 << SHIFT) - 1
    rows: Any = connection.execute(
        "SELECT id, body FROM segments WHERE id BETWEEN ? AND ?", (first, last)
    ).fetchall()
    for row in rows:
        _remove(connection, *row)
    connection.execute("DELETE FROM indexed WHERE file = ?", (number,))
