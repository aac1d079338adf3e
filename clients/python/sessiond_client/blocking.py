"""The client without asyncio: the same calls, which block until they are answered.

    with Sessiond() as client:
        for info in client.session_list(".").sessions:
            print(info.name, info.first_message)

Any thread may make calls. An event loop runs in a thread of its own. Callbacks run in that thread
and must not call the client.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Self, TypeVar, Unpack

from sessiond_client import client, session, subscription
from sessiond_client.blocking_base import LoopThread
from sessiond_client.blocking_session import Session, Stream, Subscription, each
from sessiond_client.encoding import JsonObject
from sessiond_client.events import Lost, Reconnected
from sessiond_client.failures import ClientClosed
from sessiond_client.generated.blocking_client_calls import ClientCalls
from sessiond_client.generated.client_calls import CatalogSearchOptions, SessionListOptions
from sessiond_client.generated.contract import (
    InitializeParams,
    InitializeResult,
    SearchHit,
    SessionInfo,
)

__all__ = ["Session", "Sessiond", "Stream", "Subscription"]

Snapshot = TypeVar("Snapshot")
Change = TypeVar("Change")


class Sessiond(ClientCalls):
    """A client with its own daemon, which the context manager starts and ends."""

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
        """Take the same arguments as `sessiond_client.Sessiond`."""
        self._calls: client.Sessiond = client.Sessiond(
            path,
            arguments=arguments,
            settings=settings,
            environment=environment,
            cwd=cwd,
            patience=patience,
            shared=shared,
        )
        self._thread = LoopThread(self._calls.close)

    @property
    def server(self) -> InitializeResult:
        """The daemon's answer to `initialize`."""
        return self._calls.server

    def connect(self, *, timeout: float | None = None) -> Self:
        """Start the daemon, within `timeout` seconds.

        Raises `DaemonMissing`, `DaemonCrashed`, `ErrorAnswer`, `TimeoutError`.
        """
        self._thread.start()
        try:
            self._wait(self._calls.connect(), timeout)
        except BaseException:
            self._thread.stop()
            raise
        return self

    def close(self) -> None:
        """Let the daemon finish the requests in flight, and end it."""
        try:
            with suppress(ClientClosed):
                self._wait(self._calls.close())
        finally:
            self._thread.stop()

    def __enter__(self) -> Self:
        return self.connect()

    def __exit__(self, *_: object) -> None:
        self.close()

    def call(
        self, method: str, params: JsonObject | None = None, *, timeout: float | None = None
    ) -> bytes:
        """Call a method by its name and return the exact JSON of its result."""
        return self._wait(self._calls.call(method, params), timeout)

    def pid(self, *, timeout: float | None = None) -> int:
        """Return the process id of the current daemon."""
        return self._wait(self._calls.pid(), timeout)

    def on_reconnected(self, callback: Callable[[Reconnected], object]) -> Callable[[], None]:
        """Call `callback` after every restart of the daemon, in the client's thread."""
        return self._calls.on_reconnected(callback)

    def on_lost(self, callback: Callable[[Lost], object]) -> Callable[[], None]:
        """Call `callback` when the client gives up after crashes, in the client's thread."""
        return self._calls.on_lost(callback)

    def sessions(
        self,
        cwd: str | None = None,
        *,
        page_size: int = 100,
        timeout: float | None = None,
        **options: Unpack[SessionListOptions],
    ) -> Iterator[SessionInfo]:
        """Yield the sessions of a working directory, or all, the latest first, page by page.

        The options are the arguments of `session_list`; `timeout` is for each page.
        """
        values = self._calls.sessions(cwd, page_size=page_size, **options)
        return each(self._thread, values, timeout)

    def search(
        self,
        query: str,
        *,
        page_size: int = 50,
        timeout: float | None = None,
        **options: Unpack[CatalogSearchOptions],
    ) -> Iterator[SearchHit]:
        """Yield the results of a search, page by page.

        The options are the arguments of `catalog_search`; `timeout` is for each page.
        """
        values = self._calls.search(query, page_size=page_size, **options)
        return each(self._thread, values, timeout)

    def _opened(
        self, coroutine: Coroutine[Any, Any, session.Session], timeout: float | None = None
    ) -> Session:
        return Session(self._thread, self._wait(coroutine, timeout))

    def _subscribed(
        self,
        coroutine: Coroutine[Any, Any, subscription.Subscription[Snapshot, Change]],
        timeout: float | None = None,
    ) -> Subscription[Snapshot, Change]:
        return Subscription(self._thread, self._wait(coroutine, timeout))
