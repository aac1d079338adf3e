"""Call the daemon's methods in this process, for one command.

The RPC stack is not imported.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import attrs

from sessiond.cli.meter import Meter
from sessiond.files import disk
from sessiond.methods.client import Client, InProcess
from sessiond.methods.local import Local
from sessiond.rpc.codec import encode
from sessiond.runtime import isolation
from sessiond.runtime.config import Config
from sessiond.runtime.home import with_working_directory
from sessiond.sessions.engine import Engine
from sessiond.text.spans import loads

if TYPE_CHECKING:
    from sessiond.sessions.sources import OfFiles


class LocalCommand(Local):
    """The methods for one command, and the notifications that were sent to it."""

    def __init__(self, client: Client, notifications: asyncio.Queue[tuple[str, Any]]) -> None:
        super().__init__(client)
        self.notifications = notifications
        self.searched = 0.0
        """Seconds that searches took."""

    @property
    def in_store(self) -> bool:
        """Whether the sessions are rows of a database."""
        return self.client.engine.source.in_store

    def refuse(self, work: OfFiles, path: str) -> None:
        """Raise Unsupported for work that only files allow, if the sessions are in a store."""
        self.client.engine.source.refuse(work, path)

    async def call_raw(self, method: str, **params: Any) -> bytes:
        began = time.monotonic()
        try:
            return await super().call_raw(method, **params)
        finally:
            if method == "catalog/search":
                self.searched += time.monotonic() - began


@asynccontextmanager
async def local(config: Config, env: Mapping[str, str]) -> AsyncIterator[LocalCommand]:
    """Create an engine with a client for one command."""
    env = with_working_directory(env)
    notifications: asyncio.Queue[tuple[str, Any]] = asyncio.Queue()

    def hear(method: str, params: Any) -> None:
        notifications.put_nowait((method, loads(encode(params))))

    engine = Engine(attrs.evolve(config, is_brief=True), env)
    client = Client(engine, config, env, InProcess(hear))
    # The process serves only this command, so all its threads are confined.
    disk.confine(disk.roots(), process=True)
    command = LocalCommand(client, notifications)
    meter = Meter(sys.stderr)
    if sys.stderr.isatty():
        isolation.advanced.set(meter)
    try:
        yield command
        # The next search has less to read, and nobody waits for much longer than for the hits.
        if command.searched:
            await engine.catalogue.settle(command.searched / 4)
    finally:
        meter.end()
        client.close()
        await engine.close()
