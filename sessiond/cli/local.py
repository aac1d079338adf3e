"""The daemon's methods called in this process: commands for people use the same functions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import msgspec

from sessiond.config import Config
from sessiond.daemon import build
from sessiond.jsontext.spans import Json, loads
from sessiond.rpc.codec import encode
from sessiond.rpc.protocol import Server


class _Listener(Server):
    """Keeps notifications instead of sending them."""

    def __init__(self) -> None:
        super().__init__()
        self.told: asyncio.Queue[tuple[str, Any]] = asyncio.Queue()

    def notify(self, method: str, params: Any) -> None:
        self.told.put_nowait((method, loads(encode(params))))


class Local:
    """Calls by name with params and results as JSON values, as a client over the wire has them."""

    def __init__(self, server: _Listener) -> None:
        self._server = server
        self.told = server.told

    async def call(self, method: str, **params: Any) -> Any:
        """The result; members that are None are left out. Raises SessiondError, InvalidParams."""
        return loads(await self.call_raw(method, **params))

    async def call_raw(self, method: str, **params: Any) -> bytes:
        """The result as the exact JSON that a client would get."""
        given = {name: value for name, value in params.items() if value is not None}
        found = self._server.method(method)
        assert found is not None, method  # noqa: S101 - the commands know what there is
        kind = found.params_type
        encoded = msgspec.json.encode(given)
        decoded = None if kind is None else msgspec.json.decode(encoded, type=kind)
        result = await found.run(decoded)
        return bytes(result) if isinstance(result, Json) else encode(result)


@asynccontextmanager
async def local(
    config: Config, env: Mapping[str, str], carry_argument: Callable[[str], object] = bool
) -> AsyncIterator[Local]:
    """A daemon without a client; for `carry_argument` see `App`."""
    server = _Listener()
    app = build(config, env, server)
    app.carry_argument = carry_argument
    app.show_profile()
    try:
        yield Local(server)
    finally:
        await app.live.close()
        await app.indexer.close()
        app.in_use.close()
