"""The schema of the store, which is made whole or not at all."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import psycopg
from psycopg import errors as pg

from sessiond.postgres.faults import said
from sessiond.postgres.texts import make_texts

VERSION = 13
"""The version of the schema that this sessiond uses."""

_FIRST = 8
"""The version of the first release."""

_LOCK = 0x73657373696F6E64
"""Key of the advisory lock that is held while the schema is made."""


async def schema_version(connection: psycopg.AsyncConnection[Any]) -> int:
    """Return the version of the schema; 0 if there is none. Raises psycopg.Error."""
    try:
        cursor = await connection.execute("SELECT sessiond.version()")
    except (pg.UndefinedFunction, pg.InvalidSchemaName):
        return 0
    row = await cursor.fetchone()
    return int(row[0]) if row and row[0] is not None else 0


async def migrate(connection: psycopg.AsyncConnection[Any]) -> tuple[int, int]:
    """Bring the schema to this version, in one transaction; return the version before and after.

    A newer schema stays as it is. Of several calls at once, the others wait and find nothing left
    to do. Raises psycopg.Error, and MigrationFailed for a schema that is older than the first
    release; nothing is changed then.
    """
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        cursor = await connection.execute("SELECT to_regclass('sessiond.schema_version')")
        row = await cursor.fetchone()
        before = await schema_version(connection) if row and row[0] else 0
        if 0 < before < _FIRST:
            raise MigrationFailed(
                f"the schema has version {before}, which is older than the first release; export"
                " its sessions with the sessiond that made it, and make a new database"
            )
        if before < VERSION:
            upgrades = range(max(before, 9) + 1, VERSION + 1)
            steps = [f"upgrade_{each}.sql" for each in upgrades] if before else ["tables.sql"]
            for step in (*steps, "functions.sql"):
                await connection.execute((files("sessiond.postgres") / step).read_bytes())
            await connection.execute(
                "INSERT INTO sessiond.schema_version (version) VALUES (%s)"
                " ON CONFLICT (one) DO UPDATE SET version = excluded.version",
                (VERSION,),
            )
    return before, max(before, VERSION)


class MigrationFailed(Exception):
    """The schema could not be migrated; it is as before."""


async def migrate_at(url: str) -> tuple[int, int]:
    """Connect, `migrate`, and make the texts that are missing. Raises MigrationFailed."""
    try:
        async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
            done = await migrate(connection)
            if done[1] == VERSION:
                await make_texts(connection)
            return done
    except psycopg.Error as error:
        raise MigrationFailed(said(error)) from None
