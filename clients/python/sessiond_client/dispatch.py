"""Sends requests to the current process of the daemon, and restarts it after a crash.

Notifications are passed on to the sessions, subscriptions and callbacks that they are for.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
import secrets
import warnings
import weakref
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Protocol, TypeVar

from msgspec import UNSET

from sessiond_client.connection import Connection, ConnectionLost
from sessiond_client.encoding import encode
from sessiond_client.events import Lost, Reconnected
from sessiond_client.exact import Json, members, parse, read
from sessiond_client.failures import (
    ClientClosed,
    DaemonCrashed,
    DaemonMissing,
    ErrorAnswer,
    InvalidAnswer,
    SessiondError,
)
from sessiond_client.feed import Feed
from sessiond_client.generated.contract import ProgressParams
from sessiond_client.home import Home

logger = logging.getLogger("sessiond_client")

T = TypeVar("T")

CRASHES = 3
"""After this many crashes in a row without an answer, the client stops restarting."""
_ENTRY_ID_BYTES = 8


class Follower(Protocol):
    """A session or a subscription: it receives the notifications with its handle."""

    def take(self, params: Json) -> None:
        """Handle a notification."""

    async def renew(self, connection: Connection) -> None:
        """Open it again in a new process of the daemon."""

    def end(self, reason: Exception | None = None) -> None:
        """Handle that no more notifications will come."""

    @property
    def gone_file(self) -> str | None:
        """The file of a session that could not be opened again, empty without a file; else None."""


class Sender:
    """Sends requests. After a crash it restores what was open and repeats safe requests."""

    def __init__(self, connect: Callable[[Sender], Awaitable[Connection]], patience: float) -> None:
        self._connect = connect
        self._patience = patience
        self._forgotten: weakref.finalize[[Connection, Home, float], Sender] | None = None
        self._current: Connection | None = None
        self._ready: asyncio.Future[Connection] | None = None
        self._restart: asyncio.Task[None] | None = None
        self._crashes = 0
        self._numbers = itertools.count(1)
        self._progress: dict[Any, Callable[[Any], object]] = {}
        self._listeners: dict[str, tuple[Any, Feed[Any]]] = {}
        self.reconnected: Feed[Reconnected] = Feed()
        self.given_up: Feed[Lost] = Feed()
        self.closing = False
        self.followers: dict[str, Follower] = {}
        self.home: Home | None = None

    async def start(self) -> None:
        """Start the daemon once. Raises `DaemonMissing`, `DaemonCrashed`, `ErrorAnswer`."""
        if self.closing:
            raise ClientClosed("the client was closed; create a new one")
        if self.home is not None:
            self.home.check()
        if self._ready is not None:
            return
        try:
            connection = await self._connect(self)
        except ConnectionLost as error:
            raise DaemonCrashed(f"the daemon ended during its start: {error}") from error
        self.home = Home.here()
        self._ready = asyncio.get_running_loop().create_future()
        self._use(connection)

    async def close(self) -> None:
        """Shut the daemon down, after it has answered the requests in flight.

        In a forked process nothing happens: the daemon is that of the parent.
        """
        if self.home is not None:
            try:
                self.home.check()
            except ClientClosed:
                return
        self.closing = True
        self._remember()
        if self._restart is not None:
            # A task that is cancelled before its first step would leave the process that ended.
            await asyncio.sleep(0)
            self._restart.cancel()
            await asyncio.gather(self._restart, return_exceptions=True)
        try:
            if self._current is not None:
                await self._current.close(self._patience)
        finally:
            if self._current is not None:
                await self._current.ended()
            self._fail(ClientClosed("the client is closed"), quietly=True)

    async def connected(self) -> Connection:
        """Wait until a daemon is ready.

        Raises `ClientClosed`, `MisplacedCall`, or the error of a failed restart.
        """
        if self.home is None or self._ready is None:
            raise ClientClosed("the client is not open: use `async with`")
        self.home.check()
        while not self.closing:
            connection = await asyncio.shield(self._ready)
            if not connection.lost:
                return connection
        raise ClientClosed("the client is closed")

    async def send(
        self,
        method: str,
        params: dict[str, Any],
        accept: Callable[[bytes], T],
        *,
        repeat: bool,
        check: Callable[[], None] = lambda: None,
        abandoned: Callable[[T], None] | None = None,
    ) -> T:
        """Send a request and return the value of `accept`.

        Appends get an id, so that sending them again is safe. `check` runs before each sending and
        may raise. Raises `ErrorAnswer`, `DaemonCrashed`, `ClientClosed`.
        """
        if params.get("newEntryId") is UNSET:
            params = {**params, "newEntryId": secrets.token_hex(_ENTRY_ID_BYTES)}
        params, tokens = self._with_tokens(params)
        try:
            while True:
                connection = await self.connected()
                check()
                try:
                    value: T = await connection.request(method, encode(params), accept, abandoned)
                except ConnectionLost as error:
                    if self.closing:
                        raise ClientClosed("the client was closed") from error
                    if not repeat:
                        raise DaemonCrashed(
                            f"the daemon crashed during {method}, which may have been carried out"
                        ) from error
                    continue
                except ErrorAnswer:
                    self._crashes = 0
                    raise
                self._crashes = 0
                return value
        finally:
            for token in tokens:
                del self._progress[token]

    def named(self, params: dict[str, Any], member: str) -> dict[str, Any]:
        """Give what these params open a handle, which no restart changes."""
        return {**params, member: f"{member}-{next(self._numbers)}"}

    def listen(
        self, notification: str, kind: Any, callback: Callable[[T], object]
    ) -> Callable[[], None]:
        """Call `callback` with every such notification. Return a function that stops this."""
        return self._listeners.setdefault(notification, (kind, Feed()))[1].listen(callback)

    def notified(self, method: str, params: Json) -> None:
        """Pass on a notification from the daemon."""
        exact = members(params)
        if method == "$/progress":
            callback = self._progress.get(parse(exact["token"]))
            if callback is not None:
                feed: Feed[Any] = Feed()
                feed.listen(callback)
                feed.publish(read(params, ProgressParams).value)
        for name in ("session", "subscription"):
            follower = self.followers.get(parse(exact[name])) if name in exact else None
            if follower is not None:
                follower.take(params)
        if method in self._listeners:
            kind, listeners = self._listeners[method]
            listeners.publish(read(params, kind))

    def lost(self, connection: Connection) -> None:
        """Start the daemon again, if the connection that ended is the current one."""
        if connection is not self._current or self.closing:
            return
        if connection.cut:
            text = "the event loop ended before the client was closed"
            self._fail(ClientClosed(text), quietly=True)
        else:
            self._remember()
            self._current = None
            self._ready = asyncio.get_running_loop().create_future()
            self._restart = asyncio.create_task(self._restart_daemon(connection))

    async def _restart_daemon(self, connection: Connection) -> None:
        try:
            while True:
                await connection.ended()
                self._crashes += 1
                logger.warning("the daemon crashed and is started again%s", _log_of(connection))
                if self._crashes >= CRASHES:
                    text = f"the daemon crashed {CRASHES} times in a row{_log_of(connection)}"
                    self._fail(DaemonCrashed(text))
                    return
                try:
                    connection = await self._connect(self)
                    lost = await self._restore(connection)
                except ConnectionLost:
                    continue
                except (DaemonMissing, ErrorAnswer, InvalidAnswer) as error:
                    self._fail(error)
                    return
                self._use(connection)
                self.reconnected.publish(Reconnected(lost))
                return
        finally:
            # Also if the client is closed meanwhile, no process stays.
            if connection is not self._current:
                await connection.ended()

    async def _restore(self, connection: Connection) -> list[str]:
        """Open everything again. Return the files of the sessions for which this failed."""
        lost = []
        for follower in list(self.followers.values()):
            await follower.renew(connection)
            if follower.gone_file is not None:
                lost.append(follower.gone_file)
        return lost

    def _with_tokens(self, params: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
        """Replace callbacks by tokens. Return the params and the tokens."""
        tokens = {}
        for name, value in params.items():
            if name.endswith("Token") and callable(value):
                tokens[name] = f"{name}-{next(self._numbers)}"
                self._progress[tokens[name]] = value
        return {**params, **tokens}, list(tokens.values())

    def _remember(self) -> None:
        """Do without the warning of `_forget`."""
        if self._forgotten is not None:
            self._forgotten.detach()

    def _use(self, connection: Connection) -> None:
        self._current = connection
        if self.home is not None:
            self._forgotten = weakref.finalize(self, _forget, connection, self.home, self._patience)
            self._forgotten.atexit = False
        if self._ready is not None and not self._ready.done():
            self._ready.set_result(connection)
        if connection.lost:
            self.lost(connection)

    def _fail(self, error: SessiondError | InvalidAnswer, *, quietly: bool = False) -> None:
        if self._ready is None or self._ready.done():
            self._ready = asyncio.get_running_loop().create_future()
        self._ready.set_exception(error)
        # Otherwise asyncio reports an exception that was never retrieved.
        self._ready.exception()
        for follower in list(self.followers.values()):
            follower.end(None if quietly else error)
        self.followers.clear()
        if not quietly:
            self.given_up.publish(Lost(error))


def _forget(connection: Connection, home: Home, patience: float) -> None:
    """End the daemon of a client that nobody can use or close any more."""
    if os.getpid() != home.process:
        return
    with suppress(RuntimeError):  # The loop is closed, and its connections with it.
        home.loop.call_soon_threadsafe(connection.close_later, patience)
    warnings.warn(
        f"a client of daemon {connection.pid} was not closed: use `async with`",
        ResourceWarning,
        stacklevel=2,
    )


def _log_of(connection: Connection) -> str:
    words = connection.last_words
    return f"; its last log lines: {words}" if words else ""
