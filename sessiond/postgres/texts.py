"""Make the texts of sessions that were stored by a version without them."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from itertools import accumulate, groupby
from operator import itemgetter
from typing import Any
from uuid import UUID

import psycopg

from sessiond.catalog.search.folding import decode
from sessiond.format.header import parse_header
from sessiond.postgres.facts import fields_of, stored_texts, summary_of

_SESSIONS, _BYTES = 20, 8 * 1024 * 1024
"""Sessions of one transaction, to which nobody can append meanwhile, and bytes of several."""

_LINES = 64
"""Lines in memory at once."""

_PAUSE = 1.0
"""Seconds between two reports of how much is done."""


def tell_at_stderr(done: int, total: int) -> None:
    """Say how many sessions have their texts."""
    sys.stderr.write(f"Texts for searches: {done:,} of {total:,} sessions\n")


async def make_texts(
    connection: psycopg.AsyncConnection[Any], tell: Callable[[int, int], None] = tell_at_stderr
) -> None:
    """Make the texts of all sessions that lack them. What is made stays, whenever this ends.

    Raises psycopg.Error.
    """
    cursor = await connection.execute("SELECT count(*) FROM sessiond.session WHERE NOT has_texts")
    row = await cursor.fetchone()
    total = row[0] if row else 0
    done, progress = 0, float("-inf")
    last: tuple[str, UUID] | None = ("", UUID(int=0))
    while last is not None:
        batch, last = await _make_some(connection, last)
        done += batch
        if batch and (time.monotonic() - progress >= _PAUSE or done >= total):
            progress = time.monotonic()
            tell(done, max(total, done))


async def _make_some(
    connection: psycopg.AsyncConnection[Any], after: tuple[str, UUID]
) -> tuple[int, tuple[str, UUID] | None]:
    """Make the texts of some sessions after one; return their number and the last, if any."""
    async with connection.transaction():
        # What a crash undoes is made again.
        await connection.execute("SET LOCAL synchronous_commit = off")
        cursor = await connection.execute(
            "SELECT namespace, session, header, name, first_message, bytes"
            " FROM sessiond.session"
            " WHERE NOT has_texts AND (namespace, session) > (%s, %s)"
            " ORDER BY namespace, session LIMIT %s FOR UPDATE",
            (*after, _SESSIONS),
        )
        rows = await cursor.fetchall()
        sizes = accumulate(size for *_, size in rows)
        batch = [
            row
            for number, (row, size) in enumerate(zip(rows, sizes, strict=True))
            if not number or size <= _BYTES
        ]
        sessions = [session for _, session, *_ in batch]
        await connection.execute(
            "DELETE FROM sessiond.message WHERE session = ANY (%s)", [sessions]
        )
        async with connection.cursor("lines") as lines:
            await lines.execute(
                "SELECT l.session, l.generation, l.start, l.line"
                " FROM sessiond.line l JOIN sessiond.session s USING (session, generation)"
                " WHERE l.session = ANY (%s) ORDER BY l.session, l.start",
                (sessions,),
            )
            while some := await lines.fetchmany(_LINES):
                for (session, generation), group in groupby(some, itemgetter(0, 1)):
                    pairs = [(start, stored_texts(line)) for _, _, start, line in group]
                    await connection.execute(
                        "SELECT sessiond.add_texts(%s, %s, %s, %s)",
                        (session, generation, *map(list, zip(*pairs, strict=True))),
                    )
        for _, session, header, name, message, _ in batch:
            fields, parsed = None, parse_header(header)
            if parsed is not None:
                summary = summary_of(parsed, 0)
                summary.name, summary.first_message = name and decode(name), decode(message or b"")
                fields = fields_of(parsed, summary)
            await connection.execute(
                "UPDATE sessiond.session SET has_texts = true, fields = coalesce(%s, fields)"
                " WHERE session = %s",
                (fields, session),
            )
    return len(batch), (batch[-1][0], batch[-1][1]) if batch else None
