"""Mirrors of a directory, in this process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import attrs

from sessiond.catalog.scope import SessionScope
from sessiond.files.watcher import Watcher
from sessiond.postgres.bell import Bell
from sessiond.postgres.database import Database
from sessiond.postgres.mirror.copies import Copies
from sessiond.postgres.mirror.mirror import Mirror
from sessiond.postgres.mirror.origin import Origin
from sessiond.runtime.limits import LOCK_TIMEOUT
from support.stores import OtherHost

DEADLINE = 30.0
HEADER = (
    b'{"type":"session","version":3,"id":"m1","timestamp":"2025-06-01T10:00:00.000Z","cwd":"/w"}\n'
)


def message(number: int, text: str = "hello") -> bytes:
    above = f'"{number - 1:08x}"' if number else "null"
    return (
        f'{{"type":"message","id":"{number:08x}","parentId":{above},'
        f'"timestamp":"2025-06-01T10:00:00.000Z","message":{{"role":"user","content":"{text}"}}}}\n'
    ).encode()


@attrs.frozen
class Mirroring:
    mirror: Mirror
    origin: Origin

    def copy(self, path: Path) -> str:
        return str(self.origin.copy(str(path.resolve())))


@asynccontextmanager
async def mirroring(
    url: str,
    directory: Path,
    *,
    namespace: str = "laptop",
    masks: bool = False,
    machine: str | None = "machine",
    limit: float = LOCK_TIMEOUT,
) -> AsyncIterator[Mirroring]:
    """A mirror that does nothing yet: see `running`."""
    database = Database(url, timeout=limit)
    bell = Bell(database, lambda _: None)
    origin = Origin(namespace, "laptop", str(directory.resolve()))
    scope = SessionScope(origin.directory)
    made = Mirror(Copies(database, origin, machine), origin, scope, bell.ring, masks=masks)
    try:
        yield Mirroring(made, origin)
    finally:
        await bell.close()
        await database.close()


@asynccontextmanager
async def running(
    url: str, directory: Path, *, machine: str = "machine", limit: float = LOCK_TIMEOUT
) -> AsyncIterator[Mirroring]:
    """A mirror that follows the directory; `limit`: seconds after which it gives up a write."""
    async with mirroring(url, directory, machine=machine, limit=limit) as one:
        watcher = Watcher(one.mirror.report)
        task = asyncio.create_task(one.mirror.run(watcher))
        try:
            yield one
        finally:
            task.cancel()
            await asyncio.wait([task])
            await watcher.close()


async def until(check: Callable[[], Awaitable[bool]]) -> None:
    """Wait until a condition holds."""
    async with asyncio.timeout(DEADLINE):
        while not await check():  # noqa: ASYNC110 - the store has no event
            await asyncio.sleep(0.01)


async def becomes(host: OtherHost, name: str, data: bytes | None) -> None:
    """Wait until a session in the store has exactly these bytes; None: is not there."""

    async def same() -> bool:
        return await host.get(name) == data

    await until(same)
