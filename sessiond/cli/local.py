"""Call the daemon's methods in this process, for commands.

A command uses few methods, and importing all of them takes longer than most of the work. So a
family of methods is imported with the first call of one of them, and each part of the engine and of
the client is created on first use. The RPC stack is not imported at all.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

import msgspec
from sessiond_protocol.method import Method

from sessiond.config import Config
from sessiond.engine import Engine
from sessiond.errors import ReadOnly
from sessiond.files import disk
from sessiond.jsontext.spans import Json, loads
from sessiond.methods.client import Client
from sessiond.methods.families import ON_FIRST_USE, SESSION
from sessiond.methods.handlers import Handlers
from sessiond.profiles import PROFILES, absolute, directories, with_working_directory
from sessiond.rpc.codec import encode
from sessiond.rpc.params import decode_params
from sessiond.session.places import Places, Roots

if TYPE_CHECKING:
    from sessiond.catalog.index.indexer import Indexer
    from sessiond.files.locks.presence import Presence
    from sessiond.notify.live import Live
    from sessiond.rpc.connection import Connection
    from sessiond.rpc.protocol import Server
    from sessiond.session.table import Sessions

_Loaded = tuple[Mapping[str, Method], Iterable[Handlers]]


class _Listener:
    """Replaces the connection to a client: keeps notifications instead of sending them."""

    def __init__(self) -> None:
        self.told: asyncio.Queue[tuple[str, Any]] = asyncio.Queue()
        self._connection: Connection | None = None

    @property
    def connection(self) -> Connection:
        if self._connection is None:
            from sessiond.rpc.connection import Connection  # noqa: PLC0415

            self._connection = Connection()
        return self._connection

    def notify(self, method: str, params: Any) -> None:
        self.told.put_nowait((method, loads(encode(params))))


class _NoIndexer:
    """Replaces the indexer: a command ends before anything could be indexed."""

    def tidy(self) -> None:
        """Do nothing."""

    async def close(self) -> None:
        """Do nothing."""


class _Client(Client):
    """Creates its parts on first use, as the engine does."""

    def __init__(self, config: Config, env: Mapping[str, str], server: _Listener) -> None:
        self._made: set[str] = set()
        self.config = config
        self.env = env = with_working_directory(env)
        self.server = cast("Server", server)
        given = None if config.roots is None else [absolute(root, env) for root in config.roots]
        roots = Roots(given)
        # The process serves only this command, so all its threads are confined.
        disk.confine(roots.real)
        disk.confine(roots.real, process=True)
        profile = PROFILES[config.profile]
        where = directories(profile, env, config.agent_dir, config.agent_id)
        self._places = Places(where, roots, env)
        self.engine = Engine(config, env, profile=config.profile)
        self.engine.indexer = cast("Indexer", _NoIndexer())
        self.attached = None
        self.initialized = False
        self.client_process = None
        self.name = ""
        self.carry_argument = bool

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


def _live(client: _Client) -> Live:
    from sessiond.notify.live import Live  # noqa: PLC0415

    return Live(client.server.connection, client.server.notify, client.engine, client.in_use)


def _in_use(_client: _Client) -> Presence:
    from sessiond.files.locks.presence import Presence  # noqa: PLC0415

    return Presence()


def _sessions(client: _Client) -> Sessions:
    from sessiond.session.table import Sessions  # noqa: PLC0415

    sessions = Sessions(
        client.places,
        client.engine.documents,
        client.engine.catalogue.find,
        read_only=client.config.read_only,
    )
    sessions.attached, sessions.closed = client.live.follow, client.live.forget
    return sessions


_PARTS: Mapping[str, Callable[[_Client], Any]] = {
    "live": _live,
    "sessions": _sessions,
    "in_use": _in_use,
}


_LIST = "session/list"


def _lists() -> _Loaded:
    """Load only the methods that list sessions, without the other methods of the family."""
    from sessiond_protocol.session import list as contract  # noqa: PLC0415

    from sessiond.methods.session import list as methods  # noqa: PLC0415

    return {method.name: method for method in contract.METHODS}, [methods.METHODS]


def _family(client: _Client, prefix: str) -> _Loaded:
    if prefix == _LIST:
        return _lists()
    if prefix == "catalog/":
        from sessiond.catalog.index.indexer import Indexer  # noqa: PLC0415

        client.engine.indexer = Indexer(client.engine.store)
    family = _FAMILIES[prefix]
    return import_module(family.contract).METHODS, import_module(family.methods).load(client)


_FAMILIES = {"session/": SESSION, **ON_FIRST_USE}


class Local:
    """Calls methods by name, with the same JSON params and results as on the wire."""

    def __init__(self, client: _Client, listener: _Listener) -> None:
        self._client = client
        self.told = listener.told
        self._loaded: dict[str, _Loaded] = {}

    @property
    def env(self) -> Mapping[str, str]:
        """The environment, with the working directory."""
        return self._client.env

    def expect_readable(self) -> str:
        """Return the directory of the sessions. Raises PathNotAllowed."""
        self._client.places.roots.check(self.sessions_dir)
        return self.sessions_dir

    def expect_writable(self) -> None:
        """Raise ReadOnly if the daemon is read-only."""
        if self._client.config.read_only:
            raise ReadOnly(self.sessions_dir)

    def writable(self, path: str) -> str:
        """The path of a file to write. Raises PathNotAllowed, and ReadOnly."""
        path = self._client.places.path(path)
        if self._client.config.read_only:
            raise ReadOnly(path)
        return path

    @property
    def sessions_dir(self) -> str:
        """The directory that contains the sessions, directly or in subdirectories."""
        return self._client.directories.sessions_dir

    async def call(self, method: str, **params: Any) -> Any:
        """Return the result; params that are None are not sent.

        Raises SessiondError and InvalidParams.
        """
        return loads(await self.call_raw(method, **params))

    async def call_raw(self, method: str, **params: Any) -> bytes:
        """Return the result as the exact JSON that a client would receive."""
        given = {name: value for name, value in params.items() if value is not None}
        prefix = next(filter(method.startswith, (_LIST, *_FAMILIES)))
        if prefix not in self._loaded:
            self._loaded[prefix] = _family(self._client, prefix)
        described, groups = self._loaded[prefix]
        handler = next(group[method] for group in groups if method in group)
        kind = described[method].params
        decoder = None if kind is None else msgspec.json.Decoder(kind)
        decoded = decode_params(decoder, msgspec.Raw(encode(given)))
        result = await handler(self._client, decoded)
        return bytes(result) if isinstance(result, Json) else encode(result)


@asynccontextmanager
async def local(
    config: Config, env: Mapping[str, str], carry_argument: Callable[[str], object] = bool
) -> AsyncIterator[Local]:
    """Create an engine with a client for one command; for `carry_argument` see `Client`."""
    listener = _Listener()
    client = _Client(config, env, listener)
    client.carry_argument = carry_argument
    client.show_profile()
    try:
        yield Local(client, listener)
    finally:
        client.close()
        await client.engine.close()
