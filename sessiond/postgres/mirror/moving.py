"""Move single sessions: a file into the store, and a session of the store into a file."""

from __future__ import annotations

import attrs

from sessiond.files import journal, workers
from sessiond.files.identity import OpenedFile, read_from
from sessiond.format.describe.secrets import masked_line
from sessiond.format.header import parse_header
from sessiond.format.load import NotASession
from sessiond.postgres import rows
from sessiond.postgres.catalog.scope import NamespaceScope
from sessiond.postgres.database import Database
from sessiond.postgres.facts import facts_added, session_facts
from sessiond.postgres.mirror.origin import key_of
from sessiond.postgres.names import PREFIX, StoreName, parse_name
from sessiond.postgres.rows import Revision
from sessiond.postgres.store import DatabaseStore
from sessiond.postgres.writing import NewLines, parts_of, place_for_new, write, write_all
from sessiond.runtime.clock import now_ms
from sessiond.runtime.errors import (
    AlreadyExists,
    InvalidParams,
    InvalidSessionFile,
    SessionNotFound,
)


async def push(database: Database, path: str, name: StoreName, *, masks: bool = False) -> bool:
    """Store a session file, or append what it has grown by since; False if it is stored already.

    From then on the session in the store is independent of the file. `masks`: secrets of known
    forms are masked in it. Raises AlreadyExists if the session in the store has other lines, or
    more; SessionNotFound, ReadFailed and InvalidSessionFile.
    """
    data = await workers.reading(workers.LONG, _read, path)
    if masks:
        data = await workers.computing(len(data), _masked, data)
    stored = await rows.read_whole(database, name)
    try:
        if stored is None:
            await write_all(database, name, await place_for_new(database, name), data)
            return True
        stored_bytes = b"".join(stored[1])
        if stored_bytes == data:
            return False
        if not data.startswith(stored_bytes):
            raise AlreadyExists(str(name))
        place = Revision(stored[0], len(stored_bytes))
        if await _append(database, name, place, stored_bytes, data):
            return True
        await write_all(database, name, place, data)
    except NotASession as error:
        raise InvalidSessionFile(path, error.line) from None
    return True


async def _append(
    database: Database, name: StoreName, place: Revision, stored_bytes: bytes, data: bytes
) -> bool:
    """Append what a session has not yet; returns whether it is stored. Raises NotASession."""
    if not stored_bytes.endswith(b"\n"):
        # The last line may go on.
        return False
    done = await write(
        database, name, place, await workers.computing(len(data), _added, stored_bytes, data)
    )
    if done.is_uncertain and not done.is_done:
        # Perhaps an earlier attempt has appended them, and its answer was lost.
        stored = await rows.read_whole(database, name)
        return stored is not None and b"".join(stored[1]) == data
    return done.is_done


def _added(stored_bytes: bytes, data: bytes) -> list[NewLines]:
    """The lines of `data` after `stored_bytes`."""
    after = session_facts(data.split(b"\n"), now_ms())
    header = parse_header(after.header)
    assert header is not None, "it was just read"  # noqa: S101
    new = facts_added(header, None, data[len(stored_bytes) :].split(b"\n"))
    # Name and title are those of all lines.
    return parts_of(
        data[len(stored_bytes) :], attrs.evolve(new, name=after.name, fields=after.fields)
    )


async def pull(database: Database, name: StoreName, path: str) -> int:
    """Write a session of the store into a new file, byte for byte; returns its length.

    Raises SessionNotFound, AlreadyExists, StoreBusy and WriteFailed; no file is left then.
    """
    stored = await rows.read_whole(database, name)
    if stored is None:
        raise SessionNotFound(str(name))
    _, pieces = stored
    await workers.writing(workers.LONG, journal.create, path, pieces, settled=True)
    return sum(map(len, pieces))


_SHOWN = 3
"""Sessions that are named where an id can mean several."""


@attrs.frozen
class PullSource:
    """A session of the store, and the file that it would be."""

    name: StoreName
    cwd: str | None
    file_name: str


async def find(store: DatabaseStore, session: str) -> PullSource:
    """Find a session by its id, the beginning of its id, HOST:ID, or its name in the store.

    Raises SessionNotFound, and InvalidParams if several ids begin so.
    """
    name = parse_name(session)
    if name is None:
        summaries, _ = await store.catalogue.with_id(NamespaceScope(PREFIX), session)
        if len({each.header.id for each in summaries}) > 1:
            paths = ", ".join(each.path for each in summaries[:_SHOWN])
            raise InvalidParams(
                f"several ids begin with {session}, for example of {paths}", "SESSION"
            )
        name = parse_name(summaries[0].path) if summaries else None
    if name is None:
        raise SessionNotFound(session)
    summary = await store.catalogue.summary(str(name))
    file_name = name.key if summary.home is None else key_of(summary.home.path)
    return PullSource(name, summary.header.cwd, file_name)


def _masked(data: bytes) -> bytes:
    return b"\n".join(map(masked_line, data.split(b"\n")))


def _read(path: str) -> bytes:
    with OpenedFile(path) as (descriptor, state):
        return read_from(descriptor, 0, state.size)
