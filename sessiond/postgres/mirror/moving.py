"""Move single sessions: a file into the store, and a session of the store into a file."""

from __future__ import annotations

import attrs

from sessiond.errors import AlreadyExists, InvalidSessionFile, SessionNotFound
from sessiond.files import journal, workers
from sessiond.files.identity import OpenedFile
from sessiond.format.load import NotASession
from sessiond.isolation import Faults
from sessiond.limits import INLINE_READ_BYTES
from sessiond.postgres import rows
from sessiond.postgres.database import Database
from sessiond.postgres.faults import StoreBusy
from sessiond.postgres.mirror.origin import key_of
from sessiond.postgres.names import PREFIX, StoreName, parse_name
from sessiond.postgres.rows import Revision
from sessiond.postgres.store import DatabaseStore

_BLOCKING = INLINE_READ_BYTES + 1


async def stored_bytes(database: Database, name: StoreName) -> tuple[list[bytes], Revision] | None:
    """All bytes of a session in pieces, and its place; None if there is none.

    Raises StoreBusy if it is rewritten while it is read.
    """
    reading = await rows.read(database, name, 0, 0)
    if reading is None or reading.deleted:
        return None
    generation, pieces = reading.generation, [reading.data]
    while reading.end < reading.size:
        more = await rows.read(database, name, generation, reading.end)
        if more is None or more.deleted or more.generation != generation:
            raise StoreBusy(str(name), "the session is being rewritten")
        pieces.append(more.data)
        reading = more
    return pieces, Revision(generation, reading.size)


async def push(database: Database, path: str, name: StoreName) -> bool:
    """Store a session file, or what it has grown by since; False if it is stored already.

    From then on the session in the store is independent of the file. Raises AlreadyExists if the
    session in the store has other lines, or more; SessionNotFound, ReadFailed, InvalidSessionFile.
    """
    data = await workers.reading(_BLOCKING, _read, path)
    stored = await stored_bytes(database, name)
    if stored is not None:
        pieces, place = stored
        known = b"".join(pieces)
        if known == data:
            return False
        if not data.startswith(known):
            raise AlreadyExists(str(name))
    else:
        deleted = await rows.read(database, name, 0, 0, most=0)
        place = Revision(deleted.generation if deleted is not None else 0)
    try:
        await rows.write_all(database, name, place, data)
    except NotASession as error:
        raise InvalidSessionFile(path, error.line) from None
    return True


async def pull(database: Database, name: StoreName, path: str) -> int:
    """Write a session of the store into a new file, byte for byte; returns its length.

    Raises SessionNotFound, AlreadyExists, StoreBusy and WriteFailed; no file is left then.
    """
    stored = await stored_bytes(database, name)
    if stored is None:
        raise SessionNotFound(str(name))
    pieces, place = stored
    await workers.writing(_BLOCKING, journal.create, path, pieces)
    return place.size


@attrs.frozen
class PullSource:
    """A session of the store, and the file that it would be."""

    name: StoreName
    cwd: str | None
    file_name: str


async def find(store: DatabaseStore, session: str) -> PullSource:
    """Find a session by its id or by its name in the store. Raises SessionNotFound."""
    name = parse_name(session)
    if name is None:
        path = await store.catalogue.find(PREFIX, None, session, Faults())
        name = None if path is None else parse_name(path)
    if name is None:
        raise SessionNotFound(session)
    summary = await store.catalogue.summary(str(name))
    reading = await rows.read(store.database, name, 0, 0, most=0)
    home = None if reading is None else reading.home
    return PullSource(name, summary.header.cwd, name.key if home is None else key_of(home))


def _read(path: str) -> bytes:
    with OpenedFile(path) as (descriptor, state):
        return journal.read_from(descriptor, 0, state.size)
