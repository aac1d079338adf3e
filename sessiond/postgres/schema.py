"""The schema of the store and its migrations, which only go forward."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import psycopg
from psycopg import errors as pg

VERSION = 7
"""The version of the schema that this sessiond uses."""

_LOCK = 0x73657373696F6E64
"""Key of the advisory lock that migrations hold."""


async def schema_version(connection: psycopg.AsyncConnection[Any]) -> int:
    """The version of the schema; 0 if there is none. Raises psycopg.Error."""
    try:
        cursor = await connection.execute("SELECT sessiond.version()")
    except (pg.UndefinedFunction, pg.InvalidSchemaName):
        return 0
    row = await cursor.fetchone()
    return int(row[0]) if row and row[0] is not None else 0


async def migrate(connection: psycopg.AsyncConnection[Any]) -> tuple[int, int]:
    """Bring the schema to this version, in one transaction; returns the version before and after.

    Does nothing to a newer schema. Of several that run at once, the others wait and find nothing
    left to do. Raises psycopg.Error; nothing is changed then.
    """
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        cursor = await connection.execute("SELECT to_regclass('sessiond.schema_version')")
        row = await cursor.fetchone()
        before = await schema_version(connection) if row and row[0] else 0
        for version in range(before + 1, VERSION + 1):
            await connection.execute(_statements(version))
            await connection.execute(
                "INSERT INTO sessiond.schema_version (version) VALUES (%s)"
                " ON CONFLICT (one) DO UPDATE SET version = excluded.version",
                (version,),
            )
    return before, max(before, VERSION)


class MigrationFailed(Exception):
    """The schema could not be migrated; it is as before."""


async def migrate_at(url: str) -> tuple[int, int]:
    """Connect and `migrate`. Raises MigrationFailed."""
    try:
        async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
            return await migrate(connection)
    except psycopg.Error as error:
        raise MigrationFailed(str(error).strip()) from error


def _statements(version: int) -> bytes:
    return (files("sessiond.postgres") / "migrations" / f"{version:03}.sql").read_bytes()
