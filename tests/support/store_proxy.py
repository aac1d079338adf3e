"""A proxy before a PostgreSQL server, which can stall, cut and swallow."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from psycopg.conninfo import conninfo_to_dict, make_conninfo

_SOCKET = ".s.PGSQL.5432"


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
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> asyncio.Server:
        return await asyncio.start_unix_server(self._accept, f"{self._directory}/{_SOCKET}")

    async def _accept(self, client: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        server, to_server = await asyncio.open_unix_connection(self._target)
        pair = {to_client, to_server}
        self._writers |= pair
        lost = asyncio.Event()
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._forward(client, to_server, lost, watched=True))
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
        raise ConnectionResetError

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


@asynccontextmanager
async def proxied(url: str) -> AsyncIterator[Proxy]:
    with tempfile.TemporaryDirectory(prefix="proxy-") as directory:
        proxy = Proxy(url, directory)
        async with await proxy.start():
            yield proxy
            await proxy.close()
