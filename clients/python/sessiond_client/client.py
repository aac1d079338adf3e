"""The client, which starts the daemon and calls it."""

from __future__ import annotations

import asyncio
import copy
import os
import weakref
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from importlib.metadata import version
from typing import Any, Self, TypeVar, Unpack, cast

from msgspec import UNSET

from sessiond_client.connection import Connection, ConnectionLost
from sessiond_client.dispatch import Sender
from sessiond_client.encoding import JsonObject, encode
from sessiond_client.events import Lost, Reconnected
from sessiond_client.exact import parse, read
from sessiond_client.failures import SessiondError
from sessiond_client.generated.client_calls import (
    CatalogSearchOptions,
    ClientCalls,
    SessionListAllOptions,
    SessionListOptions,
)
from sessiond_client.generated.contract import (
    ClientInfo,
    InitializeParams,
    InitializeResult,
    ListResult,
    SearchHit,
    SessionInfo,
)
from sessiond_client.generated.errors import UnsupportedVersion
from sessiond_client.pages import pages
from sessiond_client.session import Session
from sessiond_client.subscription import Subscription

PROTOCOL_VERSION = "1"

T = TypeVar("T")
Snapshot = TypeVar("Snapshot")
Change = TypeVar("Change")


class Sessiond(ClientCalls):
    """A client with its own daemon, which the context manager starts and ends.

        async with Sessiond() as client:
            sessions = await client.session_list(".")

    If the daemon crashes, the client starts it again, opens the open sessions again, each at its
    leaf, and sends reads and appends in flight again. An append carries an id that the client
    chose, so it is never carried out twice.
    """

    def __init__(
        self,
        path: str | None = None,
        *,
        arguments: Sequence[str] = (),
        settings: InitializeParams | None = None,
        environment: Mapping[str, str] | None = None,
        cwd: str | None = None,
        patience: float = 5.0,
        shared: bool | None = None,
    ) -> None:
        """Prepare a client.

        Args:
            path: The program. None: the environment variable `SESSIOND`, else the `sessiond`
                installed beside this Python, else the one on PATH.
            arguments: More arguments for the program, such as `--read-only`.
            settings: The params of `initialize`, such as the profile. The client adds `clientInfo`,
                `processId` and `protocolVersions`.
            environment: Environment of the process. None: the environment of this process.
            cwd: Working directory of the process.
            patience: Seconds after which `close` kills a daemon that has not ended.
            shared: Whether to share one daemon with the other clients of this user. None: as the
                environment variable `SESSIOND_SHARED` says, else not. A daemon that knows no
                sharing serves alone.

        """
        self._path = path
        self._arguments = tuple(arguments)
        self._settings = settings or InitializeParams()
        self._environment = environment
        if shared is not None:
            inherited = os.environ if environment is None else environment
            self._environment = {**inherited, "SESSIOND_SHARED": str(int(shared))}
        self._cwd = cwd
        self._sender = Sender(self._connect, patience)
        self._tasks: set[asyncio.Task[None]] = set()
        self.server: InitializeResult
        """The daemon's answer to `initialize`."""

    async def connect(self) -> Self:
        """Start the daemon. Raises `DaemonMissing`, `DaemonCrashed`, `ErrorAnswer`."""
        await self._sender.start()
        return self

    async def close(self) -> None:
        """Let the daemon finish the requests in flight, and end it."""
        await self._sender.close()

    async def __aenter__(self) -> Self:
        return await self.connect()

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def call(self, method: str, params: JsonObject | None = None) -> bytes:
        """Call a method by its name and return the exact JSON of its result.

        The call is never sent again. The params may hold sessions and subscriptions, which are
        sent as their handles.
        """
        connection = await self._sender.connected()
        result: bytes = await connection.request(method, encode({} if params is None else params))
        return result

    def on_reconnected(self, callback: Callable[[Reconnected], object]) -> Callable[[], None]:
        """Call `callback` after every restart of the daemon. Return a function that stops this."""
        return self._sender.reconnected.listen(callback)

    def on_lost(self, callback: Callable[[Lost], object]) -> Callable[[], None]:
        """Call `callback` when the client gives up after crashes of the daemon."""
        return self._sender.given_up.listen(callback)

    async def sessions(
        self, cwd: str | None = None, *, page_size: int = 100, **options: Unpack[SessionListOptions]
    ) -> AsyncIterator[SessionInfo]:
        """Yield the sessions of a working directory, or all, the latest first, page by page.

        The options are the arguments of `session_list`; `exact_cwd` is only about a directory.
        """
        of_all = cast(
            "SessionListAllOptions", {k: v for k, v in options.items() if k != "exact_cwd"}
        )

        async def read_page(cursor: str | None) -> ListResult:
            if cwd is None:
                return await self.session_list_all(cursor=cursor, limit=page_size, **of_all)
            return await self.session_list(cwd, cursor=cursor, limit=page_size, **options)

        async for info in pages(read_page, lambda page: page.sessions):
            yield info

    async def search(
        self, query: str, *, page_size: int = 50, **options: Unpack[CatalogSearchOptions]
    ) -> AsyncIterator[SearchHit]:
        """Yield the results of a search, page by page.

        The options are the arguments of `catalog_search`.
        """
        async for hit in pages(
            lambda cursor: self.catalog_search(query, cursor=cursor, limit=page_size, **options),
            lambda page: page.hits,
        ):
            yield hit

    async def pid(self) -> int:
        """Return the process id of the current daemon."""
        return (await self._sender.connected()).pid

    async def _request(
        self, method: str, params: dict[str, Any], result: type[T], *, repeat: bool
    ) -> T:
        return await self._sender.send(
            method, params, lambda text: read(text, result), repeat=repeat
        )

    async def _open(self, method: str, params: dict[str, Any], *, repeat: bool) -> Session:
        params = self._sender.named(params, "session")
        session = Session(self._sender, params["session"], follow=params.get("follow") is True)
        return await self._sender.send(
            method, params, session.opened, repeat=repeat, abandoned=self._close_later
        )

    async def _subscribe(
        self,
        method: str,
        params: dict[str, Any],
        snapshot: type[Snapshot],
        change: type[Change],
        *,
        ending: str,
    ) -> Subscription[Snapshot, Change]:
        params = self._sender.named(params, "subscription")
        handle = params["subscription"]
        kinds = snapshot, change
        subscription = Subscription(self._sender, handle, (method, params), kinds, ending)
        return await self._sender.send(
            method, params, subscription.begun, repeat=True, abandoned=self._close_later
        )

    def _listen(
        self, notification: str, kind: Any, callback: Callable[[T], object]
    ) -> Callable[[], None]:
        return self._sender.listen(notification, kind, callback)

    def _close_later(self, opened: Session | Subscription[Any, Any]) -> None:
        """Close a session or subscription whose caller was cancelled meanwhile."""

        async def close() -> None:
            with suppress(SessiondError):
                await opened.close()

        task = asyncio.create_task(close())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _connect(self, sender: Sender) -> Connection:
        connection = await Connection.start(
            self._path,
            self._arguments,
            environment=self._environment,
            cwd=self._cwd,
            on_notification=_weakly(sender.notified),
            on_lost=_weakly(sender.lost),
        )
        try:
            answer = await connection.request("initialize", encode(self._introduction()))
            _check_version(parse(answer)["protocolVersion"])
            self.server = read(answer, InitializeResult)
            connection.notify("initialized")
        except ConnectionLost as error:
            await connection.ended()
            raise ConnectionLost(connection.last_words or "it wrote nothing to its log") from error
        except BaseException:
            await connection.ended(grace=0)
            raise
        return connection

    def _introduction(self) -> InitializeParams:
        given = copy.copy(self._settings)
        if given.client_info is UNSET:
            given.client_info = ClientInfo(
                name="sessiond-client", version=version("sessiond-client")
            )
        if given.protocol_versions is UNSET:
            given.protocol_versions = [PROTOCOL_VERSION]
        if given.process_id is UNSET:
            given.process_id = os.getpid()
        return given


def _check_version(version: str) -> None:
    """Raise `UnsupportedVersion` for an answer of another version of the protocol."""
    if version != PROTOCOL_VERSION:
        raise UnsupportedVersion(
            1021,
            f"the daemon speaks protocol version {version}, and this client {PROTOCOL_VERSION}",
            {"kind": "UnsupportedVersion", "retryable": False, "supported": [version]},
        )


def _weakly(method: Callable[..., None]) -> Callable[..., None]:
    """Return a function that calls a method of an object as long as somebody else keeps it."""
    reference = weakref.WeakMethod(method)

    def call(*given: object) -> None:
        found = reference()
        if found is not None:
            found(*given)

    return call
