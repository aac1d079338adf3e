"""Read the rows of one session."""

from __future__ import annotations

import errno
from collections.abc import Iterable
from math import inf, isfinite, isnan
from typing import NamedTuple

import attrs

from sessiond.catalog.search.folding import decode
from sessiond.catalog.summaries import Summary
from sessiond.files.identity import FileState, Home
from sessiond.format.header import parse_header
from sessiond.postgres.database import Database
from sessiond.postgres.names import StoreName
from sessiond.runtime.errors import InvalidSessionFile, ReadFailed
from sessiond.runtime.isolation import Faults

DEVICE = 0x7365737369
"""Stands for the store where files have the number of their device."""

READ_BYTES = 8 * 1024 * 1024
"""Bytes of lines that are read or written in one statement; a line may be longer."""

NO_SESSION = -1
"""The expected length where no session is expected."""


@attrs.frozen
class StoredReading:
    """The state of a session, and its bytes from an offset on."""

    generation: int
    size: int
    """Length of the whole file in bytes."""
    changed: int
    """Microseconds since the epoch."""
    deleted: bool
    home: Home | None
    """Where the session is a file; None: its home is the store."""
    start: int
    """Offset of `data`."""
    data: bytes

    @property
    def end(self) -> int:
        return self.start + len(self.data)


async def read(
    database: Database, name: StoreName, generation: int, offset: int, *, most: int | None = None
) -> StoredReading | None:
    """The state of a session and the bytes after `offset`, from 0 if it has another generation.

    At most about `most` bytes (default READ_BYTES) and one line. None if there is no such session.
    Raises ReadFailed if there are not all lines.
    """
    rows = await database.rows(
        str(name),
        "SELECT * FROM sessiond.read(%s, %s, %s, %s)",
        (name.session, generation, offset, READ_BYTES if most is None else most),
    )
    if not rows:
        return None
    now, size, changed, deleted, at, first, data = rows[0]
    home = None if at is None else Home.parse(at)
    start = offset if now == generation else 0
    if data is None:
        # No row begins there: at most the newline that has ended the last line meanwhile.
        ended = start == size - 1 and not deleted
        if not deleted and most != 0 and start + ended < size:
            raise _missing(name)
        return StoredReading(now, size, changed, deleted, home, start, b"\n" if ended else b"")
    if first - start not in (0, 1):
        raise _missing(name)
    # A line without newline was ended meanwhile: the newline belongs to no row.
    parts = [b"\n" * (first - start), data]
    if first + len(data) < size:
        parts.append(b"\n")
    return StoredReading(now, size, changed, deleted, home, start, b"".join(parts))


def _missing(name: StoreName) -> ReadFailed:
    return ReadFailed(str(name), OSError(errno.EIO, "lines of the session are missing"))


async def read_whole(database: Database, name: StoreName) -> tuple[int, list[bytes]] | None:
    """The generation of a session and all its bytes in pieces; None if it is absent or deleted.

    All pieces are of one generation: if the session is replaced meanwhile, it is read again.
    """
    pieces: list[bytes] = []
    reading = await read(database, name, 0, 0)
    while reading is not None and not reading.deleted:
        if not reading.start:
            pieces.clear()
        pieces.append(reading.data)
        if reading.end >= reading.size:
            return reading.generation, pieces
        reading = await read(database, name, reading.generation, reading.end)
    return None


@attrs.frozen
class Revision:
    """The generation and length that a session must have when all its lines are replaced."""

    generation: int = 0
    size: int = NO_SESSION


class ListedRow(NamedTuple):
    """A row of the type `sessiond.listed`: what lists show of a session."""

    namespace: str
    key: str
    generation: int
    size: int
    changed: int
    header: bytes
    name: bytes | None
    messages: int
    first_message: bytes | None
    created: float
    latest: float
    home: str | None

    @property
    def path(self) -> str:
        return str(StoreName(self.namespace, self.key))

    @property
    def modified(self) -> float:
        """The time by which lists are sorted; what is no number is later than all numbers."""
        time = self.created if self.latest <= 0 else self.latest
        return inf if isnan(time) else time


def state_of(name: StoreName, place: Revision, changed: int) -> FileState:
    """The state of a session in the form that files have: it differs after every change."""
    inode = int.from_bytes(name.digest[:8], "big")
    return FileState(DEVICE, inode, place.size, changed * 1000, place.generation)


def summary_of_row(row: ListedRow) -> Summary:
    """The summary of a session. Raises InvalidSessionFile if the row is not that of one."""
    name = StoreName(row.namespace, row.key)
    path = str(name)
    try:
        header = parse_header(row.header)
        if header is None or not isfinite(row.created + row.modified):
            raise InvalidSessionFile(path, 1)
        summary = Summary(
            path,
            header,
            state_of(name, Revision(row.generation, row.size), row.changed),
            name=None if row.name is None else decode(row.name),
            message_count=row.messages,
            first_message="" if row.first_message is None else decode(row.first_message),
            latest=row.latest,
            home=None if row.home is None else Home.parse(row.home),
        )
    except ValueError:
        raise InvalidSessionFile(path, 1) from None
    summary.created = row.created
    summary.modified = row.modified
    return summary


def summaries_of_rows(rows: Iterable[ListedRow], faults: Faults) -> list[Summary]:
    """The summaries of those rows that are rows of sessions."""
    return faults.each(rows, lambda row: row.path, summary_of_row)
