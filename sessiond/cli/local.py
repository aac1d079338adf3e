"""The daemon's methods called in this process: commands for people use the same functions.

A command uses few of them, and importing all takes longer than most of the work. So each family of
methods is imported when the first of it is called, and each part of the App is made when a method
asks for it. The RPC stack is not imported at all.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

import msgspec
from sessiond_protocol.method import Method

from sessiond.catalog.index.database import Store, store_path
from sessiond.catalog.listing import Listings
from sessiond.config import Config
from sessiond.files import disk
from sessiond.files.locks.presence import Presence
from sessiond.jsontext.spans import Json, loads
from sessiond.methods.app import App, Handlers
from sessiond.methods.families import ON_FIRST_USE, SESSION
from sessiond.profiles import PROFILES, absolute, directories, with_working_directory
from sessiond.rpc.codec import encode
from sessiond.rpc.params import decode_params
from sessiond.session.places import Places, Roots

if TYPE_CHECKING:
    from sessiond.catalog.index.indexer import Indexer
    from sessiond.notify.live import Live
    from sessiond.rpc.connection import Connection
    from sessiond.rpc.protocol import Server
    from sessiond.session.table import Sessions

_Loaded = tuple[Mapping[str, Method], Iterable[Handlers]]


class _Listener:
    """Stands in for a connection to a client: keeps notifications instead of sending them."""

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
    """Lists leave the search index as it is: a command ends before anything could be indexed."""

    def tidy(self) -> None:
        """Do nothing."""

    async def close(self) -> None:
        """Do nothing."""


class _App(App):
    """Makes its parts when a method first asks for them."""

    def __init__(self, config: Config, env: Mapping[str, str], server: _Listener) -> None:
        self._made: set[str] = set()
        self.config = config
        self.env = env = with_working_directory(env)
        self.server = cast("Server", server)
        given = None if config.roots is None else [absolute(root, env) for root in config.roots]
        roots = Roots(given)
        # Commands are alone in their process: threads are confined as well.
        disk.confine(roots.real)
        disk.confine(roots.real, process=True)
        profile = PROFILES[config.profile]
        where = directories(profile, env, config.agent_dir, config.agent_id)
        self._places = Places(where, roots, env)
        self.store = Store(store_path(env)) if config.catalog_cache else None
        self.in_use = Presence()
        self.indexer = cast("Indexer", _NoIndexer())
        self.listings = Listings(self.store)
        self.attached = None
        self.started = time.monotonic()
        self.initialized = False
        self.client_process = None
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

    async def close(self) -> None:
        if "live" in self._made:
            await self.live.close()
        await self.indexer.close()
        self.in_use.close()


def _lane(_app: _App) -> Any:
    from sessiond.files.workers import Lane  # noqa: PLC0415
    from sessiond.limits import SEARCH_WORKERS  # noqa: PLC0415

    return Lane(SEARCH_WORKERS)


def _live(app: _App) -> Live:
    from sessiond.notify.live import Live  # noqa: PLC0415

    server = app.server
    return Live(server.connection, server.notify, app.config.watch, app.in_use, app.indexer)


def _sessions(app: _App) -> Sessions:
    from sessiond.files.cache import Documents  # noqa: PLC0415
    from sessiond.session.table import Sessions  # noqa: PLC0415

    config = app.config
    documents = Documents(
        limit=config.cache_bytes, lock_timeout=config.lock_timeout, product=config.profile
    )
    sessions = Sessions(app.places, documents, read_only=config.read_only)
    sessions.attached, sessions.closed = app.live.follow, app.live.forget
    return sessions


_PARTS: Mapping[str, Callable[[_App], Any]] = {
    "searching": _lane,
    "matching": _lane,
    "live": _live,
    "sessions": _sessions,
}


_LIST = "session/list"


def _lists() -> _Loaded:
    """The methods that list sessions, without the rest of their family."""
    from sessiond_protocol.session import list as contract  # noqa: PLC0415

    from sessiond.methods.session import list as methods  # noqa: PLC0415

    return {method.name: method for method in contract.METHODS}, [methods.METHODS]


def _family(app: _App, prefix: str) -> _Loaded:
    if prefix == _LIST:
        return _lists()
    if prefix == "catalog/":
        from sessiond.catalog.index.indexer import Indexer  # noqa: PLC0415

        app.indexer = Indexer(app.store)
    family = _FAMILIES[prefix]
    return import_module(family.contract).METHODS, import_module(family.methods).load(app)


_FAMILIES = {"session/": SESSION, **ON_FIRST_USE}


class Local:
    """Calls by name with params and results as JSON values, as a client over the wire has them."""

    def __init__(self, app: _App, listener: _Listener) -> None:
        self._app = app
        self.told = listener.told
        self._loaded: dict[str, _Loaded] = {}

    @property
    def sessions_dir(self) -> str:
        """The directory above the sessions, or of them."""
        return self._app.directories.sessions_dir

    async def call(self, method: str, **params: Any) -> Any:
        """The result; members that are None are left out. Raises SessiondError, InvalidParams."""
        return loads(await self.call_raw(method, **params))

    async def call_raw(self, method: str, **params: Any) -> bytes:
        """The result as the exact JSON that a client would get."""
        given = {name: value for name, value in params.items() if value is not None}
        prefix = next(filter(method.startswith, (_LIST, *_FAMILIES)))
        if prefix not in self._loaded:
            self._loaded[prefix] = _family(self._app, prefix)
        described, groups = self._loaded[prefix]
        handler = next(group[method] for group in groups if method in group)
        kind = described[method].params
        decoder = None if kind is None else msgspec.json.Decoder(kind)
        decoded = decode_params(decoder, msgspec.Raw(msgspec.json.encode(given)))
        result = await handler(self._app, decoded)
        return bytes(result) if isinstance(result, Json) else encode(result)


@asynccontextmanager
async def local(
    config: Config, env: Mapping[str, str], carry_argument: Callable[[str], object] = bool
) -> AsyncIterator[Local]:
    """A daemon without a client; for `carry_argument` see `App`."""
    listener = _Listener()
    app = _App(config, env, listener)
    app.carry_argument = carry_argument
    app.show_profile()
    try:
        yield Local(app, listener)
    finally:
        await app.close()
