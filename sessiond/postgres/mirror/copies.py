"""The copies of a host's session files in the store: read what is stored, and add to it."""

from __future__ import annotations

import os
import uuid
from collections.abc import Sequence
from typing import Any

import attrs
import msgspec

from sessiond.catalog.search.folding import decode
from sessiond.files.identity import FileState
from sessiond.format.describe.secrets import masked_line
from sessiond.format.header import parse_header
from sessiond.format.load import NotASession
from sessiond.postgres.database import Database
from sessiond.postgres.facts import SessionFacts, facts_added, session_facts
from sessiond.postgres.mirror.origin import Origin
from sessiond.postgres.mirror.source import CopiedBytes, FilePart
from sessiond.postgres.rows import Revision
from sessiond.postgres.writing import Copying, NewLines, Written, write
from sessiond.runtime.clock import now_ms
from sessiond.runtime.errors import InvalidSessionFile

LEASE_SECONDS = 15.0
"""Another process may mirror the directory this long after the last sign of life of the first."""


@attrs.frozen
class Copy:
    """The stored part of a file."""

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
    """Lines of a file to write, and the copy as it is with them, but for its length."""

    lines: NewLines
    replaces: bool
    expected: Revision
    copy: Copy


def addition(path: str, part: FilePart, before: Copy | None, *, masks: bool) -> Addition:
    """The lines of a part. Pure; raises InvalidSessionFile if they begin with no header."""
    continues = before is not None and not part.replaces
    data = part.data
    if before is not None and continues and not before.reached.ended:
        # The newline that ends the last line of the copy belongs to no row.
        data = data[1:]
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    if masks:
        lines = list(map(masked_line, lines))
    try:
        facts = _more(before, lines) if before and continues else session_facts(lines, now_ms())
    except NotASession as error:
        raise InvalidSessionFile(path, error.line) from None
    expected = Revision() if before is None else Revision(before.generation, before.size)
    copy = Copy(
        reached=part.reached,
        generation=expected.generation + (not continues),
        size=expected.size,
        deleted=False,
        header=facts.header,
        name=facts.name,
        masked=masks,
    )
    new = NewLines.of(lines, facts, ended=part.reached.ended)
    return Addition(new, not continues, expected, copy)


def _more(before: Copy, lines: Sequence[bytes]) -> SessionFacts:
    """The facts that lines add to those of a copy."""
    header = parse_header(before.header)
    assert header is not None, "only headers are stored"  # noqa: S101
    return facts_added(header, None if before.name is None else decode(before.name), lines)


@attrs.frozen
class Progress:
    """How far a mirror is: what `sessiond store status` shows of it."""

    waiting: int
    """Files to compare."""
    behind: float | None
    """For how many seconds something has been missing; None: nothing is."""
    failing: int
    """Files that could not be copied."""
    error: str | None
    """Why the last of them could not."""


class Copies:
    """The copies of one origin in the store, and the lease that lets this process write them.

    `machine` tells hosts of the same name apart; None: it is not known.
    """

    def __init__(self, database: Database, origin: Origin, machine: str | None) -> None:
        self._database = database
        self._origin = origin
        self._machine = machine
        self._owner = uuid.uuid4()

    async def lease(self, holder: str, progress: Progress) -> str | None:
        """Get or renew the lease; returns None, or the process or machine that has it."""
        rows = await self._database.rows(
            self._origin.name,
            "SELECT * FROM sessiond.lease_mirror(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
            (
                *(self._origin.namespace, self._origin.name, self._machine),
                *(self._owner, holder, LEASE_SECONDS, *attrs.astuple(progress)),
            ),
        )
        # A lease that ended in between has no row; the next attempt gets it.
        granted, has = rows[0] if rows else (False, "another process")
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
        rows = await self._mirrored(self._origin.copy(real).session)
        return _copy_of(rows[0])[1] if rows else None

    async def _mirrored(self, session: uuid.UUID | None) -> list[tuple[Any, ...]]:
        return await self._database.rows(
            self._origin.name,
            "SELECT * FROM sessiond.mirrored(%s, %s, %s)",
            (self._origin.namespace, self._origin.name, session),
        )

    async def add(self, real: str, new: Addition) -> Written:
        """Store an addition to the copy of a file."""
        reached = new.copy.reached
        copying = Copying(
            owner=self._owner,
            directory=self._origin.name,
            machine=self._machine,
            home=self._origin.home(real),
            path=os.fsencode(real),
            source_bytes=reached.size,
            digest=reached.tail,
            state=None if reached.state is None else list(msgspec.structs.astuple(reached.state)),
            masked=new.copy.masked,
        )
        return await write(
            self._database,
            self._origin.copy(real),
            new.expected,
            [new.lines],
            replaces=new.replaces,
            copying=copying,
        )

    async def mark_deleted(self, real: str) -> bool:
        """Mark the copy of a file that was deleted; False if another process has the lease."""
        name = self._origin.copy(real)
        rows = await self._database.rows(
            str(name),
            "SELECT sessiond.mirror_deletion(%s, %s, %s)",
            (self._owner, self._origin.name, name.session),
        )
        return bool(rows[0][0])


def _copy_of(row: tuple[Any, ...]) -> tuple[str, Copy]:
    path, generation, size, ended, deleted, header, name, source, tail, state, masked = row
    file_state = None if state is None else FileState(*state)
    # The next change was hardly made in the same tick of the clock.
    reached = CopiedBytes(source, ended, tail, file_state, is_certain=file_state is not None)
    return os.fsdecode(path), Copy(reached, generation, size, deleted, header, name, masked)
