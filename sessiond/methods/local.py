"""Call the methods in this process by name, without a client at the other end of a connection.

The commands for people, the Model Context Protocol and the language server do so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from sessiond.methods.client import Client
from sessiond.methods.table import MethodTable
from sessiond.rpc.codec import encode
from sessiond.runtime.errors import ReadOnly
from sessiond.text.spans import Json, loads


class Local:
    """Calls methods by name, with the same JSON params and results as on the wire."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self._methods = MethodTable(client)

    @property
    def env(self) -> Mapping[str, str]:
        """The environment, with the working directory."""
        return self.client.env

    def expect_writable(self) -> None:
        """Raise ReadOnly if the daemon is read-only."""
        if self.client.config.read_only:
            raise ReadOnly(self.sessions_dir)

    def writable(self, path: str) -> str:
        """The path of a file to write. Raises PathNotAllowed, and ReadOnly."""
        path = self.client.places.path(path)
        if self.client.config.read_only:
            raise ReadOnly(path)
        return path

    @property
    def sessions_dir(self) -> str:
        """The directory that contains the sessions, directly or in subdirectories."""
        return self.client.places.listed_dir

    def serves(self, method: str) -> bool:
        """Whether there is a method with this name."""
        return self._methods.find(method) is not None

    async def call(self, method: str, **params: Any) -> Any:
        """Return the result; params that are None are not sent.

        Raises SessiondError and InvalidParams.
        """
        return loads(await self.call_raw(method, **params))

    async def call_raw(self, method: str, **params: Any) -> bytes:
        """Return the result as the exact JSON that a client would receive."""
        given = {name: value for name, value in params.items() if value is not None}
        method_found = self._methods.find(method)
        assert method_found is not None, method  # noqa: S101 - names are those of the contract
        result = await method_found.run(method_found.decode(msgspec.Raw(encode(given))))
        return bytes(result) if isinstance(result, Json) else encode(result)
