"""A proxy before a PostgreSQL server, which can stall, cut and swallow."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from psycopg.conninfo import conninfo_to_dict, make_conninfo

_SOCKET = ".s.PGSQL.5432"
_READY = b"Z\0\0\0\5I"
"""The server waits for a request, and no transaction is open."""

_DISCARD = b"Q\0\0\0\x10DISCARD ALL\0"


class Proxy:
    """Forwards connections to a server on a Unix socket."""

    def __init__(self, url: str, directory: str) -> None:
        self._target = f"{conninfo_to_dict(url)['host']}/{_SOCKET}"
        self._directory = directory
        self.url = make_conninfo(url, host=directory)
        self.flowing = asyncio.Event()
        """While it is not set, nothing is forwarded in either direction."""
        self.flowing.set()
        self.swallows: bytes | None = None
        """The first answer to a request with these bytes is lost, and the connection with it."""
        self.swallowed = 0
        self.stalls: bytes | None = None
        """After the first request with these bytes nothing is forwarded any more: see `flowing`."""
        self.discards = False
        """Whether new connections lose everything that was set or prepared, after each transaction.

        As behind a pooler in transaction mode, which gives each transaction any connection.
        """
        self.discarded = 0
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> asyncio.Server:
        return await asyncio.start_unix_server(self._accept, f"{self._directory}/{_SOCKET}")

    async def _accept(self, client: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            server, to_server = await asyncio.open_unix_connection(self._target)
        except OSError:
            # The server is away.
            to_client.close()
            self._tasks.discard(task)
            return
        pair = {to_client, to_server}
        self._writers |= pair
        lost = asyncio.Event()
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._forward(client, to_server, lost, watched=True))
                if self.discards:
                    group.create_task(self._answer(server, to_server, to_client))
                else:
                    group.create_task(self._forward(server, to_client, lost, watched=False))
        except* OSError:
            pass
        finally:
            self._writers -= pair
            for writer in pair:
                writer.close()
            self._tasks.discard(task)

    async def _forward(
        self,
        source: asyncio.StreamReader,
        target: asyncio.StreamWriter,
        lost: asyncio.Event,
        *,
        watched: bool,
    ) -> None:
        while data := await source.read(65536):
            await self.flowing.wait()
            if watched and self.swallows is not None and self.swallows in data:
                self.swallows = None
                lost.set()
            if not watched and lost.is_set():
                self.swallowed += 1
                break
            target.write(data)
            await target.drain()
            if watched and self.stalls is not None and self.stalls in data:
                self.stalls = None
                self.flowing.clear()
        raise ConnectionResetError

    async def _answer(
        self,
        server: asyncio.StreamReader,
        to_server: asyncio.StreamWriter,
        to_client: asyncio.StreamWriter,
    ) -> None:
        """Forward what the server sends; before it is ready for the next transaction, discard."""
        while True:
            message = await _message(server)
            if message == _READY:
                to_server.write(_DISCARD)
                while await _message(server) != _READY:
                    pass
                self.discarded += 1
            to_client.write(message)
            await to_client.drain()

    def cut(self) -> None:
        """Break all connections."""
        for writer in self._writers:
            writer.transport.abort()

    async def close(self) -> None:
        self.flowing.set()
        self.cut()
        for task in list(self._tasks):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


async def _message(server: asyncio.StreamReader) -> bytes:
    """One message of the server. Raises ConnectionResetError at the end."""
    try:
        head = await server.readexactly(5)
        return head + await server.readexactly(int.from_bytes(head[1:], "big") - 4)
    except asyncio.IncompleteReadError as error:
        raise ConnectionResetError from error


@asynccontextmanager
async def proxied(url: str) -> AsyncIterator[Proxy]:
    with tempfile.TemporaryDirectory(prefix="proxy-") as directory:
        proxy = Proxy(url, directory)
        async with await proxy.start():
            yield proxy
            await proxy.close()
