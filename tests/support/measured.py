"""Call methods in this process and measure how long they block the event loop."""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
import msgspec
import orjson

from sessiond.daemon import build
from sessiond.methods.client import Client
from sessiond.methods.table import MethodTable
from sessiond.rpc import codec
from sessiond.runtime.config import Config
from support.lag import loop_lag


@attrs.frozen
class Answer:
    """A response, decoded only when a member is asked for: large ones take long."""

    raw: bytes

    def __getitem__(self, name: str) -> Any:
        return orjson.loads(self.raw)["result"][name]


@attrs.frozen
class Caller:
    """Calls methods without a connection, so that only the daemon's own work is measured."""

    client: Client
    table: MethodTable

    async def __call__(self, method: str, **params: Any) -> tuple[Answer, float]:
        """The answer, and how long the loop was blocked."""
        raw = msgspec.Raw(json.dumps(params).encode())
        served = self.table.find(method)
        assert served is not None, method
        async with loop_lag() as lag:
            result = await served.run(served.decode(raw))
            sent = codec.answer(b"1", result, plain_json=False)
        return Answer(bytes(sent)), lag.worst


@asynccontextmanager
async def measured(home: Path, **options: Any) -> AsyncIterator[Caller]:
    """A caller of a daemon with these options (names of Config).

    As in the daemon's own process, threads take turns often, and the garbage collector skips what
    was imported.
    """
    client = build(Config(watch="off", **options), {"HOME": str(home)})
    interval = sys.getswitchinterval()
    sys.setswitchinterval(0.0005)
    gc.collect()
    gc.freeze()
    try:
        yield Caller(client, MethodTable(client))
    finally:
        gc.unfreeze()
        sys.setswitchinterval(interval)
        client.close()
        await client.engine.close()
