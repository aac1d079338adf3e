"""Call the daemon's methods in this process, for one command.

The RPC stack is not imported.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, cast

from sessiond.config import Config
from sessiond.engine import Engine
from sessiond.files import disk
from sessiond.home import with_working_directory
from sessiond.jsontext.spans import loads
from sessiond.methods.client import Client, InProcess
from sessiond.methods.local import Local
from sessiond.rpc.codec import encode

if TYPE_CHECKING:
    from sessiond.catalog.index.indexer import Indexer


class _NoIndexer:
    """Replaces the indexer: a command ends before anything could be indexed."""

    def tidy(self) -> None:
        """Do nothing."""

    async def close(self) -> None:
        """Do nothing."""


class LocalCommand(Local):
    """The methods for one command, and the notifications that were sent to it."""

    def __init__(self, client: Client, told: asyncio.Queue[tuple[str, Any]]) -> None:
        super().__init__(client)
        self.told = told

    @property
    def in_store(self) -> bool:
        """Whether the sessions are rows of a database."""
        return self.client.engine.config.store is not None

    async def call_raw(self, method: str, **params: Any) -> bytes:
        if method.startswith("catalog/") and isinstance(self.client.engine.indexer, _NoIndexer):
            from sessiond.catalog.index.indexer import Indexer  # noqa: PLC0415

            self.client.engine.indexer = Indexer(self.client.engine.store)
        return await super().call_raw(method, **params)


@asynccontextmanager
async def local(config: Config, env: Mapping[str, str]) -> AsyncIterator[LocalCommand]:
    """Create an engine with a client for one command."""
    env = with_working_directory(env)
    told: asyncio.Queue[tuple[str, Any]] = asyncio.Queue()

    def hear(method: str, params: Any) -> None:
        told.put_nowait((method, loads(encode(params))))

    engine = Engine(config, env)
    engine.indexer = cast("Indexer", _NoIndexer())
    client = Client(engine, config, env, InProcess(hear))
    # The process serves only this command, so all its threads are confined.
    disk.confine(disk.roots(), process=True)
    try:
        yield LocalCommand(client, told)
    finally:
        client.close()
        await engine.close()
