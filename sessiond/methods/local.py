"""Call the methods in this process by name, without a client at the other end of a connection.

The commands for people and the Model Context Protocol use few methods, and importing all of them
takes longer than most of the work. So a family of methods is imported with the first call of one of
them, and each part of the client is created on first use.
"""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

import msgspec
from sessiond_protocol.method import Method

from sessiond.errors import ReadOnly, profile_name
from sessiond.jsontext.spans import Json, loads
from sessiond.methods.client import Client
from sessiond.methods.families import ON_FIRST_USE, SESSION
from sessiond.methods.handlers import Handlers
from sessiond.rpc.codec import encode
from sessiond.rpc.params import decode_params
from sessiond.session.confining import places_of
from sessiond.session.places import Places

if TYPE_CHECKING:
    from sessiond.config import ClientConfig
    from sessiond.engine import Engine
    from sessiond.files.locks.presence import Presence
    from sessiond.notify.live import Live
    from sessiond.rpc.connection import Connection
    from sessiond.rpc.protocol import Server
    from sessiond.session.table import Sessions

_Loaded = tuple[Mapping[str, Method], Iterable[Handlers]]


class Listener(Protocol):
    """What takes the place of the server to which a client is connected."""

    @property
    def connection(self) -> Connection:
        """The connection whose pace and position encoding count."""

    def notify(self, method: str, params: Any) -> None:
        """Take a notification; `params` is an attrs object or a plain value."""


class LocalClient(Client):
    """A client whose parts are created on first use.

    Create it in the context of all its work, because its confinement is set there. `env` has the
    working directory as `PWD`. `pid`: the process that was started for the client, if it is not
    this one.
    """

    def __init__(
        self,
        engine: Engine,
        config: ClientConfig,
        env: Mapping[str, str],
        listener: Listener,
        pid: int | None = None,
    ) -> None:
        self._made: set[str] = set()
        self.engine = engine
        self.config = config
        self.env = env
        self.server = cast("Server", listener)
        self.pid = pid
        self._places = places_of(config, env, in_store=engine.config.store is not None)
        profile_name.set(lambda: self.directories.agent.name)
        self.attached = None
        self.initialized = False
        self.client_process = None
        self.name = ""
        self.context = contextvars.copy_context()

    @property
    def places(self) -> Places:
        return self._places

    def __getattr__(self, name: str) -> Any:
        make = _PARTS.get(name)
        if make is None:
            raise AttributeError(name)
        part = make(self)
        setattr(self, name, part)
        self._made.add(name)
        return part

    def close(self) -> None:
        if "sessions" in self._made:
            self.sessions.close_all()
        if "live" in self._made:
            self.live.close()
        if "in_use" in self._made:
            self.in_use.close()


def _live(client: LocalClient) -> Live:
    from sessiond.notify.live import Live  # noqa: PLC0415

    return Live(client.server.connection, client.server.notify, client.engine, client.in_use)


def _in_use(client: LocalClient) -> Presence:
    from sessiond.files.locks.presence import Presence  # noqa: PLC0415

    presence = Presence(pid=client.pid)
    presence.name = client.name
    return presence


def _sessions(client: LocalClient) -> Sessions:
    from sessiond.methods.handles import sessions_of  # noqa: PLC0415

    return sessions_of(client.engine, client.config, client.places, client.live)


_PARTS: Mapping[str, Callable[[LocalClient], Any]] = {
    "live": _live,
    "sessions": _sessions,
    "in_use": _in_use,
}


_LIST = "session/list"
_FAMILIES = {"session/": SESSION, **ON_FIRST_USE}


def _lists() -> _Loaded:
    """Load only the methods that list sessions, without the other methods of the family."""
    from sessiond_protocol.session import list as contract  # noqa: PLC0415

    from sessiond.methods.session import list as methods  # noqa: PLC0415

    return {method.name: method for method in contract.METHODS}, [methods.METHODS]


class Local:
    """Calls methods by name, with the same JSON params and results as on the wire."""

    def __init__(self, client: LocalClient) -> None:
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
        decoded = decode_params(decoder, msgspec.Raw(encode(given)))
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
