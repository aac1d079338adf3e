"""Append lines to a session: one call, one commit, and all of them or none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import attrs

from sessiond.postgres import rows
from sessiond.postgres.database import Connection, Database, fetch
from sessiond.postgres.names import StoreName
from sessiond.postgres.rows import Revision
from sessiond.postgres.schema import VERSION

Outcome = Literal["written", "moved", "deleted", "elsewhere"]


@attrs.frozen
class NewLines:
    """Lines to append, without newlines, and what they change of their session."""

    lines: Sequence[bytes]
    texts: Sequence[str | None]
    """The texts of each line, as `stored_texts` makes them."""
    messages: int
    """How many of them are messages."""
    first_message: bytes | None
    latest: float
    renames: bool
    """Whether the session gets another name, or other fields that are searched."""
    name: bytes | None
    fields: str


@attrs.frozen
class Appended:
    """What became of lines: the length of the session and the time of the change with them."""

    outcome: Outcome
    size: int
    changed: int
    """Microseconds since the epoch."""
    repeated: bool
    """Whether an earlier attempt may have written them, whose answer was lost."""


_APPEND = "SELECT * FROM sessiond.append(%s, %s, %s, %b, %s, %s, %b, %s, %s, %b, %s, %s, %s)"


async def append(
    database: Database, name: StoreName, expected: Revision, new: NewLines
) -> Appended:
    """Append lines if the session has this generation and length.

    Raises what `Database.run` raises; it is then unknown whether the lines were written.
    """
    values = (
        *(name.session, expected.generation, expected.size),
        *(list(new.lines), list(new.texts)),
        *(new.messages, new.first_message, new.latest),
        *(new.renames, new.name, new.fields),
        *(database.relaxed, VERSION),
    )

    async def work(connection: Connection) -> list[tuple[Any, ...]]:
        return await fetch(connection, _APPEND, values)

    limit = rows.write_limit(database, sum(map(len, new.lines)))
    ((outcome, size, changed),), attempts = await database.run(str(name), work, limit=limit)
    return Appended(outcome, size, changed, attempts > 1)
