"""Connections to the database: few, shared by all requests, with a limit for every wait.

Each request is one statement, or one transaction, on any free connection. So a pooler in
transaction mode can be between: nothing is prepared, and nothing is set for a whole connection.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Literal, TypeVar

import attrs
import psycopg
from psycopg import errors as pg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import tuple_row

from sessiond.format.ids import iso_now
from sessiond.postgres.faults import (
    NoSchema,
    StoreBusy,
    is_passing,
    reason_of,
    said,
    translated,
)
from sessiond.postgres.schema import VERSION, schema_version
from sessiond.runtime.errors import InvalidParams
from sessiond.runtime.limits import LOCK_TIMEOUT

T = TypeVar("T")
Connection = psycopg.AsyncConnection[Any]
Work = Callable[[Connection], Awaitable[T]]
Durability = Literal["server", "relaxed"]

# The driver logs parts of URLs that it cannot use, passwords among them. Our errors say the rest.
logging.getLogger("psycopg").setLevel(logging.CRITICAL)

_CONNECTIONS = 8
_CANCEL_SECONDS = 2.0
"""For the server to end a statement; after that the connection is given up."""

_SECONDS_PER_MEGABYTE = 2.0
"""Seconds that work on many bytes may take beyond the timeout of the store."""

_FIRST_PAUSE = 0.05
_LONGEST_PAUSE = 1.0

_log = logging.getLogger(__name__)


@attrs.frozen
class LastError:
    """Why the database did not do something, and when: ISO 8601 UTC."""

    reason: str
    at: str


class Database:
    """A store's database; connects when it is first used.

    `timeout`: seconds after which a request is answered with StoreBusy, whatever the server or the
    network do.
    """

    def __init__(
        self,
        url: str,
        *,
        timeout: float = LOCK_TIMEOUT,
        durability: Durability = "server",
        connections: int = _CONNECTIONS,
    ) -> None:
        self._conninfo = _conninfo(url)
        self.name = shown_url(url)
        self.timeout = timeout
        self.relaxed = durability == "relaxed"
        self._free: list[Connection] = []
        self._places = asyncio.Semaphore(connections)
        self._tasks: set[asyncio.Task[Any]] = set()
        self.last_error: LastError | None = None

    @property
    def requests(self) -> int:
        """How many are waiting or worked on."""
        return len(self._tasks)

    async def rows(
        self,
        path: str,
        statement: str,
        values: Sequence[Any] = (),
        *,
        limit: float | None = None,
        cancels: bool = False,
    ) -> list[tuple[Any, ...]]:
        """The rows of a statement that may be repeated; `path` is for error messages.

        `cancels`: see `run`.
        """

        async def work(connection: Connection) -> list[tuple[Any, ...]]:
            return await fetch(connection, statement, values)

        return (await self.run(path, work, limit=limit, cancels=cancels, reads=True))[0]

    def limit_for(self, size: int) -> float:
        """Seconds that work on `size` bytes may take."""
        return self.timeout + size / 1_000_000 * _SECONDS_PER_MEGABYTE

    async def run(
        self,
        path: str,
        work: Work[T],
        *,
        limit: float | None = None,
        cancels: bool = False,
        reads: bool = False,
    ) -> tuple[T, int]:
        """Do work on a connection, and again if the connection was lost before it was done.

        Returns the result and the number of attempts. After a lost connection it is unknown whether
        the server has done the work, so repeating it must do no harm. Raises StoreBusy after
        `limit` seconds (default: the store's timeout) and what `translated` returns. If the caller
        is cancelled, the work is finished all the same. With `cancels`, the server is told to end
        it, then and after `limit` seconds, which raises TimedOut. `reads`: errors without a
        kind of their own are of reading, not of writing.
        """

        async def attempt(until: float) -> T:
            return await self._attempt(work, until, cancels=cancels)

        task = asyncio.create_task(
            self._repeat(path, attempt, limit or self.timeout, writes=not reads)
        )
        self._tasks.add(task)
        task.add_done_callback(self._finished)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if cancels:
                # Not awaited: telling the server may take seconds.
                task.cancel()
            raise

    def _finished(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            # Read here in case the caller was cancelled: nobody else would.
            task.exception()

    async def _repeat(
        self, path: str, try_once: Callable[[float], Awaitable[T]], limit: float, *, writes: bool
    ) -> tuple[T, int]:
        loop = asyncio.get_running_loop()
        until = loop.time() + limit
        attempt, pause = 0, _FIRST_PAUSE
        while True:
            attempt += 1
            try:
                return await try_once(until), attempt
            except TimeoutError:
                self.last_error = LastError(f"no answer within {limit:g} s", iso_now())
                raise StoreBusy(path, self.last_error.reason) from None
            except psycopg.Error as error:
                self.last_error = LastError(reason_of(error), iso_now())
                if not is_passing(error) or loop.time() + pause > until:
                    raise translated(error, path, writes=writes) from None
                _log.info("Trying again after: %s", self.last_error.reason)
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    async def _attempt(self, work: Work[T], until: float, *, cancels: bool) -> T:
        async with asyncio.timeout_at(until):
            await self._places.acquire()
        try:
            connection = await self._connection(until)
            try:
                if cancels:
                    result = await _cancelled_at(connection, work(connection), until)
                else:
                    result = await _cut_off(connection, work(connection), until)
            except BaseException:
                await self._discard(connection)
                raise
            self._free.append(connection)
            return result
        finally:
            self._places.release()

    async def _connection(self, until: float) -> Connection:
        while self._free:
            connection = self._free.pop()
            if not connection.closed:
                return connection
        return await self.connect(until)

    async def connect(self, until: float) -> Connection:
        """Make a connection, which the caller closes. Raises NoSchema, also for an older one.

        With a newer schema, what can be read is read; writing says that it is newer.
        """
        async with asyncio.timeout_at(until):
            connection = await connect(self._conninfo)
        try:
            self._check(await _cut_off(connection, schema_version(connection), until))
        except BaseException:
            await connection.close()
            raise
        return connection

    def _check(self, version: int) -> None:
        if version < VERSION:
            raise NoSchema(self.name, version, VERSION)

    async def _discard(self, connection: Connection) -> None:
        """Close a connection after an error, and with a lost one all that are free.

        They probably lead to the same server, and each would cost another attempt.
        """
        lost = connection.closed
        await connection.close()
        if lost:
            free, self._free = self._free, []
            for other in free:
                await other.close()

    async def close(self) -> None:
        """Finish the work that has begun, then close all connections."""
        if self._tasks:
            await asyncio.wait(self._tasks)
        free, self._free = self._free, []
        for connection in free:
            await connection.close()


async def connect(conninfo: str) -> Connection:
    """Connect with the settings that all connections have. Raises psycopg.Error."""
    return await psycopg.AsyncConnection.connect(
        conninfo, autocommit=True, prepare_threshold=None, row_factory=tuple_row
    )


async def fetch(
    connection: Connection, statement: str, values: Sequence[Any] = ()
) -> list[tuple[Any, ...]]:
    """The rows of a statement, sent in binary form: half as many bytes as text."""
    async with connection.cursor(binary=True) as cursor:
        await cursor.execute(statement.encode(), values)
        return [] if cursor.description is None else await cursor.fetchall()


async def _cancelled_at(connection: Connection, work: Awaitable[T], until: float) -> T:
    """Await work on a connection; at the time `until`, tell the server to end it.

    The driver does that if it is cancelled. Raises QueryCanceled.
    """
    try:
        async with asyncio.timeout_at(until):
            return await _cut_off(connection, work, until + _CANCEL_SECONDS)
    except TimeoutError:
        raise pg.QueryCanceled("it takes too long") from None


async def _cut_off(connection: Connection, work: Awaitable[T], until: float) -> T:
    """Await work on a connection; at the time `until`, shut down the connection's socket.

    Cancelling is not enough: the driver then waits for the server's answer, which may never come.
    """
    cut = False

    def shut_down() -> None:
        nonlocal cut
        cut = True
        with (
            contextlib.suppress(OSError),
            socket.socket(fileno=os.dup(connection.pgconn.socket)) as own,
        ):
            own.shutdown(socket.SHUT_RDWR)

    timer = asyncio.get_running_loop().call_at(until, shut_down)
    try:
        return await work
    except psycopg.Error:
        if cut:
            raise TimeoutError from None
        raise
    finally:
        timer.cancel()


def _conninfo(url: str) -> str:
    """Complete the settings that the URL leaves open. Raises InvalidParams."""
    try:
        given = conninfo_to_dict(url)
    except psycopg.ProgrammingError as error:
        raise InvalidParams(
            f"expected the URL of a PostgreSQL database: {said(error)}", "--store"
        ) from None
    defaults = {"application_name": "sessiond", "client_encoding": "UTF8", "keepalives_idle": "30"}
    return make_conninfo(**{**defaults, **{name: str(value) for name, value in given.items()}})


def shown_url(url: str) -> str:
    """The URL without user and password, for messages."""
    try:
        given = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        return "postgresql:"
    return f"postgresql://{given.get('host', '')}/{given.get('dbname', '')}"
