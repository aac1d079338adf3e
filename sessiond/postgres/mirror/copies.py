"""The copies of a host's session files in the store: read what is stored, and add to it."""

from __future__ import annotations

import os
import uuid
from collections.abc import Sequence
from typing import Any, Literal

import attrs
import msgspec

from sessiond.catalog.search.folding import decode, encode
from sessiond.catalog.summaries import take_lines
from sessiond.clock import now_ms
from sessiond.errors import InvalidSessionFile
from sessiond.files.identity import FileState
from sessiond.format.describe.secrets import masked_line
from sessiond.format.header import parse_header
from sessiond.format.line import parse_lines
from sessiond.format.load import NotASession
from sessiond.postgres.database import Connection, Database, fetch
from sessiond.postgres.facts import SessionFacts, fields_of, session_facts, summary_of
from sessiond.postgres.mirror.origin import Origin
from sessiond.postgres.mirror.source import CopiedBytes, FilePart
from sessiond.postgres.rows import NO_SESSION, columns_of, write_limit
from sessiond.postgres.schema import VERSION

LEASE_SECONDS = 15.0
"""Another process may mirror the directory this long after the last sign of life of the first."""

_LINE_COLUMN = 1
"""Of `columns_of`."""

MirrorOutcome = Literal["written", "moved", "lost", "taken"]


@attrs.frozen
class Copy:
    """What is stored of a file."""

    reached: CopiedBytes
    generation: int
    size: int
    """Bytes in the store: other than in the file if secrets are masked."""
    deleted: bool
    header: bytes
    name: bytes | None
    masked: bool


@attrs.frozen
class Addition:
    """A part of a file as rows, and the copy as it is with them."""

    columns: tuple[list[Any], ...]
    facts: SessionFacts
    replaces: bool
    expected: tuple[int, int]
    """The generation and length that the copy must have."""
    copy: Copy


def addition(path: str, part: FilePart, known: Copy | None, *, masks: bool) -> Addition:
    """Make the rows of a part. Pure; raises InvalidSessionFile if they begin with no header."""
    continues = known is not None and not part.replaces
    start = known.size if known is not None and continues else 0
    data, size = part.data, start
    if known is not None and continues and not known.reached.ended:
        # The newline that ends the last line of the copy belongs to no row.
        data, size = data[1:], start + 1
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    if masks:
        lines = list(map(masked_line, lines))
    try:
        facts = _more(known, lines) if known and continues else session_facts(lines, now_ms())
    except NotASession as error:
        raise InvalidSessionFile(path, error.line) from None
    columns = columns_of(lines, size)
    unended = 0 if not lines or part.reached.ended else 1
    generation = known.generation if known is not None else 0
    made = Copy(
        reached=part.reached,
        generation=generation + (not continues),
        size=size + sum(map(len, lines)) + len(lines) - unended,
        deleted=False,
        header=facts.header,
        name=facts.name,
        masked=masks,
    )
    expected = (generation, NO_SESSION if known is None else known.size)
    return Addition(columns, facts, not continues, expected, made)


def _more(known: Copy, lines: Sequence[bytes]) -> SessionFacts:
    """The facts that lines add to those of a copy."""
    header = parse_header(known.header)
    assert header is not None, "only headers are stored"  # noqa: S101
    summary = summary_of(header, 0)
    summary.name = None if known.name is None else decode(known.name)
    take_lines(summary, parse_lines(b"".join(line + b"\n" for line in lines)))
    return SessionFacts(
        header=known.header,
        id=b"",
        cwd=b"",
        name=None if summary.name is None else encode(summary.name),
        messages=summary.message_count,
        first_message=encode(summary.first_message) if summary.first_message else None,
        created=0,
        latest=summary.latest,
        fields=fields_of(header, summary),
    )


class Copies:
    """The copies of one origin in the store, and the lease that lets this process write them.

    `machine` tells hosts of the same name apart; None: it is not known.
    """

    def __init__(self, database: Database, origin: Origin, machine: str | None) -> None:
        self._database = database
        self._origin = origin
        self._machine = machine
        self._owner = uuid.uuid4()

    async def lease(self, holder: str) -> str | None:
        """Get or renew the lease; returns None, or the process or machine that has it."""
        found = await self._database.rows(
            self._origin.name,
            "SELECT * FROM sessiond.lease_mirror(%s, %s, %s, %s, %s, %s)",
            (
                *(self._origin.namespace, self._origin.name, self._machine),
                *(self._owner, holder, LEASE_SECONDS),
            ),
        )
        # A lease that ended in between has no row; the next attempt gets it.
        granted, has = found[0] if found else (False, "another process")
        return None if granted else str(has)

    async def end_lease(self) -> None:
        """Let another process mirror the directory at once; a later lease is that of a new owner.

        So what was written with this lease is in the store when this returns, or never will be,
        also if its answer was given up.
        """
        await self._database.rows(
            self._origin.name,
            "SELECT sessiond.end_lease(%s, %s, %s)",
            (self._origin.namespace, self._origin.name, self._owner),
        )
        self._owner = uuid.uuid4()

    async def read_all(self) -> dict[str, Copy]:
        """All copies by the real paths of their files, also of files that were deleted."""
        return dict(map(_copy_of, await self._mirrored(None)))

    async def read(self, real: str) -> Copy | None:
        """The copy of one file."""
        found = await self._mirrored(self._origin.copy(real).session)
        return _copy_of(found[0])[1] if found else None

    async def _mirrored(self, session: uuid.UUID | None) -> list[tuple[Any, ...]]:
        return await self._database.rows(
            self._origin.name,
            "SELECT * FROM sessiond.mirrored(%s, %s, %s)",
            (self._origin.namespace, self._origin.name, session),
        )

    async def add(self, real: str, new: Addition) -> MirrorOutcome:
        """Store an addition to the copy of a file, in one call."""
        copy, name = new.copy, self._origin.copy(real)
        state = copy.reached.state
        facts = attrs.astuple(new.facts)
        values = (
            *(self._owner, self._origin.name, self._machine, os.fsencode(real)),
            *(name.namespace, name.key, self._origin.home(real)),
            *(*new.expected, new.replaces),
            *new.columns,
            *(copy.size, copy.reached.ended),
            *(copy.reached.size, copy.reached.tail),
            state and list(msgspec.structs.astuple(state)),
            copy.masked,
            *(*facts, VERSION),
        )

        async def work(connection: Connection) -> list[tuple[Any, ...]]:
            return await fetch(connection, _MIRROR, values)

        size = sum(map(len, new.columns[_LINE_COLUMN]))
        limit = write_limit(self._database, size)
        rows, _ = await self._database.run(str(name), work, limit=limit)
        outcome: MirrorOutcome = rows[0][0]
        return outcome

    async def mark_deleted(self, real: str) -> bool:
        """Mark the copy of a file that was deleted; False if another process has the lease."""
        name = self._origin.copy(real)
        found = await self._database.rows(
            str(name),
            "SELECT sessiond.mirror_deletion(%s, %s, %s)",
            (self._owner, self._origin.name, name.session),
        )
        return bool(found[0][0])


_MIRROR = (
    "SELECT * FROM sessiond.mirror(%s, %s, %s, %b, %s, %s, %s, %s, %s, %s, %s, %b, %s, %s, %s,"
    " %s, %b, %s, %s, %b, %b, %b, %b, %s, %b, %s, %s, %s, %s)"
)


def _copy_of(row: tuple[Any, ...]) -> tuple[str, Copy]:
    path, generation, size, ended, deleted, header, name, source, tail, state, masked = row
    known = None if state is None else FileState(*state)
    # The next change was hardly made in the same tick of the clock.
    reached = CopiedBytes(source, ended, tail, known, is_certain=known is not None)
    return os.fsdecode(path), Copy(reached, generation, size, deleted, header, name, masked)
