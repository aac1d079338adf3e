"""Write lines to a session: after those that it has, or in their place.

Appends, pushes and parts of mirrors are all the same call (`sessiond.write`).

Theory of operation. No lock is held between reading a session and writing to it. The call names the
generation and length that the writer has read. The database locks the row, compares, and does
nothing if another writer was faster (`moved`); this one then reads on and makes its lines again. A
writer that lost the answer cannot know whether its lines were written. It sends the same call
again, and the database recognises the lines at the end of the session, or the id with which a new
generation began (`repeated`). Several parts are one transaction, whose row lock the first part
takes. A copy also needs the lease of its mirror, which the call checks (`lost`).
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from typing import Literal

import attrs

from sessiond.files import workers
from sessiond.postgres import rows
from sessiond.postgres.database import Connection, Database, fetch
from sessiond.postgres.facts import SessionFacts, session_facts, stored_texts
from sessiond.postgres.names import StoreName
from sessiond.postgres.rows import READ_BYTES, Revision
from sessiond.postgres.schema import VERSION
from sessiond.runtime.clock import now_ms
from sessiond.runtime.errors import AlreadyExists

Outcome = Literal["written", "repeated", "moved", "lost", "taken"]
"""`repeated`: an earlier attempt has written it; `lost` and `taken` are about copies alone."""


@attrs.frozen
class NewLines:
    """Lines to write, without newlines, and what they change of their session."""

    lines: Sequence[bytes]
    texts: Sequence[str | None]
    """The texts of each line, as `stored_texts` makes them."""
    ended: bool
    """Whether the last line ends with a newline."""
    facts: SessionFacts
    """The facts of the whole session, or those that the lines add."""

    @classmethod
    def of(cls, lines: Sequence[bytes], facts: SessionFacts, *, ended: bool = True) -> NewLines:
        return cls(lines, list(map(stored_texts, lines)), ended, facts)

    @property
    def size(self) -> int:
        return sum(map(len, self.lines))


@attrs.frozen
class Copying:
    """The file of which a session is a copy, and its mirror: a value of `sessiond.copying`."""

    owner: uuid.UUID
    """Has the lease of the directory."""
    directory: str
    machine: str | None
    home: str
    path: bytes
    source_bytes: int
    digest: bytes
    state: list[int] | None
    masked: bool


@attrs.frozen
class Written:
    """The outcome of writing lines: the length of the session and the time of the change with
    them.
    """

    outcome: Outcome
    size: int
    changed: int
    """Microseconds since the epoch."""
    is_uncertain: bool
    """Whether an earlier attempt may have appended them, whose answer was lost."""

    @property
    def is_done(self) -> bool:
        return self.outcome in ("written", "repeated")


_WRITE = (
    "SELECT * FROM sessiond.write(%s, %s, {}, %s, %s, %s, %s, %s, %s, %b, %s, %s,"
    " %b, %b, %b, %b, %s, %b, %s, %s, %s, %b, %b)"
)
_OF_THE_STORE = _WRITE.format("NULL")
_OF_A_COPY = _WRITE.format("ROW(%s, %s, %s, %s, %b, %s, %b, %s, %s)::sessiond.copying")


async def write(
    database: Database,
    name: StoreName,
    expected: Revision,
    parts: Sequence[NewLines],
    *,
    replaces: bool = False,
    copying: Copying | None = None,
) -> Written:
    """Write all parts or none, if the session has this generation and length.

    With `replaces` the first part begins the next generation, and its facts are those of all parts.
    Raises what `Database.run` raises; it is then unknown whether the lines were written.
    """
    statement = _OF_THE_STORE if copying is None else _OF_A_COPY
    copied = () if copying is None else attrs.astuple(copying)
    relaxed = database.relaxed and copying is None
    begin = uuid.uuid4() if replaces else None

    async def all_parts(connection: Connection) -> tuple[Outcome, int, int]:
        place, begins = expected, begin
        for part in parts:
            values = (
                *(name.namespace, name.key, *copied),
                *(place.generation, place.size, begins is not None, begins, relaxed, VERSION),
                *(list(part.lines), list(part.texts), part.ended, *attrs.astuple(part.facts)),
            )
            (done,) = await fetch(connection, statement, values)
            outcome, size, _ = done
            if outcome != "written":
                break
            place, begins = Revision(expected.generation + replaces, size), None
        return done

    async def once(connection: Connection) -> tuple[Outcome, int, int]:
        if len(parts) == 1:
            return await all_parts(connection)
        async with connection.transaction():
            return await all_parts(connection)

    limit = database.limit_for(sum(each.size for each in parts))
    done, attempts = await database.run(str(name), once, limit=limit)
    return Written(*done, is_uncertain=attempts > 1)


async def write_all(
    database: Database, name: StoreName, expected: Revision, data: bytes
) -> tuple[Revision, int]:
    """Store a session with these bytes, or replace all lines of one.

    Returns its place and the time of the change in microseconds. Raises AlreadyExists if the
    session is not in the expected place, and NotASession.
    """
    parts = await workers.computing(len(data), _whole, data)
    done = await write(database, name, expected, parts, replaces=True)
    if not done.is_done:
        raise AlreadyExists(str(name))
    return Revision(expected.generation + 1, len(data)), done.changed


def _whole(data: bytes) -> list[NewLines]:
    return parts_of(data, session_facts(data.split(b"\n"), now_ms()))


def parts_of(data: bytes, facts: SessionFacts) -> list[NewLines]:
    """Lines in parts of some megabytes, for all of which the first has the facts."""
    batches = list(_batches(data.split(b"\n")))
    rest = attrs.evolve(facts, messages=0, first_message=None, latest=0, after=None, tip=None)
    ended = [True] * (len(batches) - 1) + [data.endswith(b"\n")]
    return [
        NewLines.of(lines, rest if number else facts, ended=end)
        for number, (lines, end) in enumerate(zip(batches, ended, strict=True))
    ]


def _batches(lines: list[bytes]) -> Iterator[list[bytes]]:
    """Lines in groups of some megabytes, without the empty one after a last newline."""
    if not lines[-1]:
        lines.pop()
    batch: list[bytes] = []
    size = 0
    for line in lines:
        if size > READ_BYTES:
            yield batch
            batch, size = [], 0
        batch.append(line)
        size += len(line)
    yield batch


async def place_for_new(database: Database, name: StoreName) -> Revision:
    """Return the revision that `write_all` must find to store a new or deleted session."""
    stored = await rows.read(database, name, 0, 0, most=0)
    return Revision(stored.generation if stored is not None and stored.deleted else 0)
