"""Read the text of messages for the index, and write it; of grown files only the new part."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import apsw
import attrs
import msgspec

from sessiond.agents.sessions import SessionBytes
from sessiond.catalog.index.file_rows import is_settled, signed
from sessiond.catalog.index.reader import OVERLAP, PLACES, SHIFT, times
from sessiond.catalog.message_text import MessageReader, MessageText
from sessiond.catalog.search.folding import decode, encode, fold
from sessiond.files import journal
from sessiond.files.identity import FileState

_SEGMENT = 32 * 1024
"""Maximum number of characters in a segment."""

_STEP = 64
"""Segments written in one transaction: few enough that other daemons do not wait long."""

_TAIL_BYTES = 1024


@attrs.define
class _File:
    """How much of a file is indexed; a negative size means not all of it."""

    number: int = 0
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
    parts: list[str] = attrs.field(factory=list)
    length: int = 0
    """Of the parts, in characters."""
    places: list[tuple[int, int, int]] = attrs.field(factory=list)

    @property
    def text(self) -> str:
        return "".join(self.parts)

    @text.setter
    def text(self, text: str) -> None:
        self.parts = [text] if text else []
        self.length = len(text)


@attrs.frozen
class _Segment:
    """A row of the table of segments."""

    number: int
    """Its number in the file."""
    own: int
    body: bytes
    messages: bytes


@attrs.frozen
class Step:
    """What the next part of a file adds to the index."""

    state: FileState
    """That of the file."""
    before: _File | None
    """What the index has of the file now."""
    goes_on: bool
    """Whether that is the beginning of the file; otherwise it is removed."""
    after: _File
    segments: list[_Segment]
    is_complete: bool


def next_step(connection: apsw.Connection, opened: SessionBytes) -> Step | None:
    """Read the next part of a file; None if the index has all of it.

    Nothing is locked, so that others write while the file is read and its text is folded.
    """
    descriptor, state, end = opened
    connection.execute("BEGIN")
    known = _known(connection, state)
    goes_on = known is not None and _goes_on(known, opened)
    file = attrs.evolve(known) if known is not None and goes_on else _File()
    segment = _last_segment(connection, file)
    connection.execute("COMMIT")
    if known is not None and (known.size, known.mtime_ns, known.ctime_ns) == times(state):
        return None
    first = file.segments
    segments: list[_Segment] = []
    messages = MessageReader(descriptor, file.offset, end)
    complete = True
    for message in messages:
        for full in _add(segment, message):
            segments.append(_closed(first + len(segments), full))
        if len(segments) >= _STEP and not messages.unended:
            complete = False
            break
    if segment.length:
        segments.append(_closed(first + len(segments), segment))
    file.segments = first + len(segments)
    file.offset, file.unended = messages.offset, messages.unended
    file.tail = journal.read_from(descriptor, max(0, file.offset - _TAIL_BYTES), file.offset)
    file.size, file.mtime_ns, file.ctime_ns = times(state) if complete else (-1, 0, 0)
    if not is_settled(state):
        # The file may change and keep its times, which must not match then.
        file.mtime_ns, file.ctime_ns = 0, 0
    return Step(state, known, goes_on, file, segments, complete)


def write_step(connection: apsw.Connection, path: str, step: Step) -> int | None:
    """Write a step; returns the file's number, or None if the index has changed since."""
    state = step.state
    known, file = step.before, step.after
    if _known(connection, state) != known:
        return None
    if known is not None and not step.goes_on:
        forget(connection, known.number)
    if known is None or not step.goes_on:
        file.number = _new_number(connection)
    for segment in step.segments:
        number = file.number << SHIFT | segment.number
        connection.execute(
            "INSERT OR REPLACE INTO segments VALUES (?, ?, ?, ?)",
            (number, segment.own, segment.body, segment.messages),
        )
        connection.execute(
            "INSERT OR REPLACE INTO placed VALUES (?, 0, ?)", (number, len(segment.body))
        )
    row = (
        file.number,
        signed(state.device),
        signed(state.inode),
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
    return file.number


def _known(connection: apsw.Connection, state: FileState) -> _File | None:
    row = connection.execute(
        "SELECT file, size, mtime_ns, ctime_ns, offset, unended, tail, segments FROM indexed"
        " WHERE device = ? AND inode = ?",
        (signed(state.device), signed(state.inode)),
    ).fetchone()
    return None if row is None else _File(*row)


def _goes_on(known: _File, opened: SessionBytes) -> bool:
    """Whether the file only grew after its indexed part."""
    if known.unended or opened.end < known.offset or 0 <= known.size == opened.state.size:
        return False
    start = known.offset - len(known.tail)
    return journal.read_from(opened.descriptor, start, known.offset) == known.tail


def _new_number(connection: apsw.Connection) -> int:
    number: int = connection.execute(
        "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'indexed'), 0) + 1"
    ).get
    return number


def _last_segment(connection: apsw.Connection, file: _File) -> _Open:
    """The last segment, to be filled up; the file is then without it."""
    if not file.segments:
        return _Open()
    file.segments -= 1
    number = file.number << SHIFT | file.segments
    row: Any = connection.execute(
        "SELECT own, body, messages FROM segments WHERE id = ?", (number,)
    ).fetchone()
    own, body, places = row
    segment = _Open(decode(body[:own]))
    segment.text = decode(body[own:])
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
    if segment.length or segment.before:
        segment.parts.append(" ")
        segment.length += 1
    segment.places.append((segment.length, *place))
    segment.parts.append(text)
    segment.length += len(text)
    if segment.length < _SEGMENT:
        return
    whole = segment.text
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


def _closed(number: int, segment: _Open) -> _Segment:
    own = encode(segment.before)
    text, kept = segment.text, segment.places
    if text.isascii():
        places = kept
    else:
        begins = _measured(
            (at for at, _, _ in kept), lambda start, end: len(encode(text[start:end]))
        )
        places = [(at, x, y) for at, (_, x, y) in zip(begins, kept, strict=True)]
    return _Segment(number, len(own), own + encode(text), msgspec.msgpack.encode(places))


def blocks_of(connection: apsw.Connection, number: int) -> list[int]:
    """The blocks that have words of a file."""
    ids = number << SHIFT, (number + 1 << SHIFT) - 1
    rows = connection.execute(
        "SELECT DISTINCT block FROM placed WHERE block > 0 AND segment BETWEEN ? AND ?", ids
    )
    return [block for (block,) in rows]


def forget(connection: apsw.Connection, number: int) -> None:
    """Remove a file from the index, within a transaction of the caller."""
    ids = number << SHIFT, (number + 1 << SHIFT) - 1
    connection.execute("DELETE FROM segments WHERE id BETWEEN ? AND ?", ids)
    connection.execute("DELETE FROM placed WHERE segment BETWEEN ? AND ?", ids)
    connection.execute("DELETE FROM indexed WHERE file = ?", (number,))
