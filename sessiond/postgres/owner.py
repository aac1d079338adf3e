"""Work of the owner of a store: admit roles, report what there is, remove for good."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeAlias, TypeVar

import attrs
import psycopg
from psycopg.rows import class_row

from sessiond.postgres.faults import said
from sessiond.postgres.names import StoreName
from sessiond.postgres.schema import VERSION, schema_version

Connection: TypeAlias = psycopg.AsyncConnection[Any]
T = TypeVar("T")

_REMOVALS = (
    "DELETE FROM sessiond.session WHERE session = ANY (%s)",
    "DELETE FROM sessiond.line WHERE session = ANY (%s)",
    "DELETE FROM sessiond.message WHERE session = ANY (%s)",
    "DELETE FROM sessiond.origin WHERE session = ANY (%s)",
)
"""Every table with rows of a session."""


class OwnerFailed(Exception):
    """The database refused; nothing is changed."""


@attrs.frozen
class Namespace:
    """A namespace: how much it holds, and which roles may use it."""

    namespace: str
    """`*` has no sessions: its roles may use every namespace."""
    sessions: int
    deleted: int
    """How many of them are in the trash."""
    bytes: int
    """Length of the lines of all of them."""
    changed: float | None
    """The last change, in seconds since the epoch; None if it has no sessions."""
    readers: list[str]
    writers: list[str]


@attrs.frozen
class Mirrored:
    """A directory of some host whose session files are copied into the store."""

    namespace: str
    directory: str
    """The directory, with its host."""
    sessions: int
    bytes: int
    """Length of what is copied."""
    holder: str | None
    """The process that copies it, or was the last to do so; None: it has said that it ended."""
    running: bool
    until: float | None
    """Until when it holds the directory unless it says so again, in seconds since the epoch."""
    waiting: int
    """Files that it had still to compare when it said so last, a few seconds ago."""
    behind: float | None
    """For how many seconds the copies may have lacked something by now; None: they are complete."""
    failing: int
    """Files that it could not copy."""
    error: str | None
    """Why it could not copy the last of them."""


@attrs.frozen
class Status:
    """Figures of a store: its content, how much of the disk it takes, and which mirrors write to
    it.
    """

    version: int
    """The version of the schema."""
    server: str
    """The version of PostgreSQL."""
    sessions: int
    deleted: int
    changed: float | None
    """The last change, in seconds since the epoch; None: there is no session."""
    disk: dict[str, int]
    """Bytes on the disk of each table with its indexes, the largest first."""
    mirrors: list[Mirrored]


@attrs.frozen
class Doomed:
    """A session that is to be removed for good."""

    namespace: str
    key: str
    bytes: int
    is_deleted: bool
    is_mirrored: bool
    """Whether a mirror that runs would store it again."""

    @property
    def name(self) -> StoreName:
        return StoreName(self.namespace, self.key)


@attrs.frozen
class Doom:
    """Which sessions are to be removed: those to which everything applies that is given."""

    deleted: bool = False
    """Only those in the trash."""
    unchanged_since: float | None = None
    """Seconds since the epoch."""
    namespace: str | None = None
    session: StoreName | None = None


async def as_owner(url: str, work: Callable[[Connection], Awaitable[T]]) -> T:
    """Do work in one transaction. Raises OwnerFailed, also for a schema of another version."""
    try:
        async with await psycopg.AsyncConnection.connect(url) as connection:
            version = await schema_version(connection)
            if version != VERSION:
                raise OwnerFailed(
                    f"the schema has version {version}, and this sessiond needs {VERSION}"
                )
            return await work(connection)
    except psycopg.Error as error:
        raise OwnerFailed(said(error)) from None


async def admit(
    connection: Connection, role: str, namespaces: Sequence[str], *, writes: bool
) -> None:
    """Let a role read these namespaces, or write them, too."""
    for namespace in namespaces:
        await connection.execute("SELECT sessiond.admit(%s, %s, %s)", (role, namespace, writes))


async def dismiss(connection: Connection, role: str, namespaces: Sequence[str]) -> None:
    """Undo `admit`."""
    for namespace in namespaces:
        await connection.execute("SELECT sessiond.dismiss(%s, %s)", (role, namespace))


async def listed(connection: Connection) -> list[Namespace]:
    """All namespaces with sessions or roles, by their names."""
    async with connection.cursor(row_factory=class_row(Namespace)) as cursor:
        await cursor.execute(
            """
            WITH held AS (
                SELECT namespace, count(*) AS sessions, count(deleted) AS deleted,
                    sum(bytes)::bigint AS bytes, extract(epoch FROM max(changed)) AS changed
                FROM sessiond.session GROUP BY namespace
            ), used AS (
                SELECT namespace,
                    array_agg(role ORDER BY role) FILTER (WHERE NOT writes) AS readers,
                    array_agg(role ORDER BY role) FILTER (WHERE writes) AS writers
                FROM sessiond.access GROUP BY namespace
            )
            SELECT namespace, coalesce(sessions, 0) AS sessions, coalesce(deleted, 0) AS deleted,
                coalesce(bytes, 0) AS bytes, changed::double precision AS changed,
                coalesce(readers, '{}') AS readers, coalesce(writers, '{}') AS writers
            FROM held FULL JOIN used USING (namespace) ORDER BY namespace COLLATE "C"
            """
        )
        return await cursor.fetchall()


async def status(connection: Connection) -> Status:
    """Describe the whole store."""
    figures = await connection.execute(
        """
        SELECT current_setting('server_version'), count(*), count(deleted),
            extract(epoch FROM max(changed))::double precision
        FROM sessiond.session
        """
    )
    row = await figures.fetchone()
    assert row is not None  # noqa: S101 - an aggregate without groups has one row
    server, sessions, deleted, changed = row
    tables = await connection.execute(
        """
        SELECT relname, pg_total_relation_size(oid) AS size FROM pg_class
        WHERE relnamespace = 'sessiond'::regnamespace AND relkind IN ('r', 'm')
        ORDER BY size DESC, relname
        """
    )
    disk = dict(await tables.fetchall())
    async with connection.cursor(row_factory=class_row(Mirrored)) as cursor:
        await cursor.execute(
            """
            WITH copied AS (
                SELECT o.namespace, directory, count(*) AS sessions, sum(bytes)::bigint AS bytes
                FROM sessiond.origin o JOIN sessiond.session s USING (session)
                WHERE s.deleted IS NULL GROUP BY o.namespace, directory
            )
            SELECT namespace, directory, coalesce(sessions, 0) AS sessions,
                coalesce(bytes, 0) AS bytes, holder,
                coalesce(until > clock_timestamp(), false) AS running,
                extract(epoch FROM until)::double precision AS until,
                coalesce(waiting, 0) AS waiting,
                extract(epoch FROM clock_timestamp() - behind_since)::double precision AS behind,
                coalesce(failing, 0) AS failing, error
            FROM copied FULL JOIN sessiond.lease USING (namespace, directory)
            ORDER BY namespace COLLATE "C", directory
            """
        )
        mirrors = await cursor.fetchall()
    return Status(VERSION, server, sessions, deleted, changed, disk, mirrors)


async def doomed(connection: Connection, doom: Doom) -> list[Doomed]:
    """The sessions to be removed, by their names, locked until the end of the transaction."""
    name = doom.session
    async with connection.cursor(row_factory=class_row(Doomed)) as cursor:
        await cursor.execute(
            """
            SELECT s.namespace, s.key, s.bytes, s.deleted IS NOT NULL AS is_deleted,
                s.deleted IS NULL AND EXISTS (
                    SELECT FROM sessiond.origin o JOIN sessiond.lease l USING (namespace, directory)
                    WHERE o.session = s.session AND l.until > clock_timestamp()
                ) AS is_mirrored
            FROM sessiond.session s
            WHERE (NOT %(deleted)s OR s.deleted IS NOT NULL)
              AND (%(since)s::double precision IS NULL OR s.changed < to_timestamp(%(since)s))
              AND (%(namespace)s::text IS NULL OR s.namespace = %(namespace)s)
              AND (%(session)s::uuid IS NULL OR s.session = %(session)s)
            ORDER BY s.namespace, s.key FOR UPDATE
            """,
            {
                "deleted": doom.deleted,
                "since": doom.unchanged_since,
                "namespace": doom.namespace,
                "session": None if name is None else name.session,
            },
        )
        return await cursor.fetchall()


async def remove(connection: Connection, gone: Sequence[Doomed]) -> None:
    """Remove sessions for good, also deleted ones, as `sessiond.remove` does with one that is not.

    Daemons that ask, or hear a notification without a name, then look at everything.
    """
    sessions = [one.name.session for one in gone]
    for removal in _REMOVALS:
        await connection.execute(removal, (sessions,))
    await connection.execute("UPDATE sessiond.bell SET removed = removed + %s", (len(sessions),))
    await connection.execute(
        "SELECT pg_notify('sessiond', sessiond.sealed("
        "gen_random_uuid() || ' 00000000-0000-0000-0000-000000000000'))"
    )
