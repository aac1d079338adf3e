"""Call the methods in this process by name, without a client at the other end of a connection.

The commands for people and the Model Context Protocol use few methods, and importing all of them
takes longer than most of the work. So a family of methods is imported with the first call of one of
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

import msgspec
from sessiond_protocol.method import Method

from sessiond.errors import ReadOnly
from sessiond.jsontext.spans import Json, loads
from sessiond.methods.client import Client
from sessiond.methods.families import ON_FIRST_USE, SESSION
from sessiond.methods.handlers import Handlers
from sessiond.rpc.codec import encode
from sessiond.rpc.params import decode_params, members_of, refuse_unknown

_Loaded = tuple[Mapping[str, Method], Iterable[Handlers]]


_LIST = "session/list"
_FAMILIES = {"session/": SESSION, **ON_FIRST_USE}


def _lists() -> _Loaded:
    """Load only the methods that list sessions, without the other methods of the family."""
    from sessiond_protocol.session import list as contract  # noqa: PLC0415

    from sessiond.methods.session import list as methods  # noqa: PLC0415

    return {method.name: method for method in contract.METHODS}, [methods.METHODS]


class Local:
    """Calls methods by name, with the same JSON params and results as on the wire."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self._loaded: dict[str, _Loaded] = {}

    @property
    def env(self) -> Mapping[str, str]:
        """The environment, with the working directory."""
        return self.client.env

    def expect_readable(self) -> str:
        """Return the directory of the sessions. Raises PathNotAllowed."""
        self.client.places.roots.check(self.sessions_dir)
        return self.sessions_dir

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

    async def call(self, method: str, **params: Any) -> Any:
        """Return the result; params that are None are not sent.

        Raises SessiondError and InvalidParams.
        """
        return loads(await self.call_raw(method, **params))

    async def call_raw(self, method: str, **params: Any) -> bytes:
        """Return the result as the exact JSON that a client would receive."""
        given = {name: value for name, value in params.items() if value is not None}
        described, groups = self._load(self._prefix(method))
        handler = next(group[method] for group in groups if method in group)
        kind = described[method].params
        decoder = None if kind is None else msgspec.json.Decoder(kind)
        sent = msgspec.Raw(encode(given))
        decoded = decode_params(decoder, sent)
        refuse_unknown(sent, members_of(kind))
        result = await handler(self.client, decoded)
        return bytes(result) if isinstance(result, Json) else encode(result)

    def _prefix(self, method: str) -> str:
        prefix = next(filter(method.startswith, _FAMILIES))
        if prefix not in self._loaded and method.startswith(_LIST):
            return _LIST
        return prefix

    def _load(self, prefix: str) -> _Loaded:
        if prefix not in self._loaded:
            self._loaded[prefix] = _lists() if prefix == _LIST else self._family(prefix)
        return self._loaded[prefix]

    def _family(self, prefix: str) -> _Loaded:
        family = _FAMILIES[prefix]
        contract, methods = import_module(family.contract), import_module(family.methods)
        return contract.METHODS, methods.load(self.client)
