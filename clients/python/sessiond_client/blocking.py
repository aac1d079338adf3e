"""The client without asyncio: the same calls, which block until they are answered.

    with Sessiond() as client:
        for info in client.session_list(".").sessions:
            print(info.name, info.firstMessage)

Any thread may make calls. An event loop runs in a thread of its own. Callbacks run in that thread
and must not call the client.
"""

from __future__ import annotations

from collections.abc import Coroutine, Mapping, Sequence
from typing import Any, Self, TypeVar

from sessiond_protocol.connection.lifecycle import InitializeParams

from sessiond_client import client, session, subscription
from sessiond_client.blocking_base import LoopThread
from sessiond_client.blocking_session import Session, Stream, Subscription
from sessiond_client.encoding import JsonObject
from sessiond_client.generated.blocking_client_calls import ClientCalls
from sessiond_client.generated.contract import InitializeResult

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

    @property
    def server(self) -> InitializeResult:
        """The daemon's answer to `initialize`."""
        return self._calls.server

    def connect(self) -> Self:
        """Start the daemon. Raises `DaemonMissing`, `DaemonCrashed`, `ErrorAnswer`."""
        self._thread = LoopThread()
        try:
            self._wait(self._calls.connect())
        except BaseException:
            self._thread.stop()
            raise
        return self

    def close(self) -> None:
        """Let the daemon finish the requests in flight, and end it."""
        try:
            self._wait(self._calls.close())
        finally:
            self._thread.stop()

    def __enter__(self) -> Self:
        return self.connect()

    def __exit__(self, *_: object) -> None:
        self.close()

    def call(self, method: str, params: JsonObject | None = None) -> bytes:
        """Call a method by its name and return the exact JSON of its result."""
        return self._wait(self._calls.call(method, params))

    def pid(self) -> int:
        """Return the process id of the current daemon."""
        return self._wait(self._calls.pid())

    def _opened(self, coroutine: Coroutine[Any, Any, session.Session]) -> Session:
        return Session(self._thread, self._wait(coroutine))

    def _subscribed(
        self, coroutine: Coroutine[Any, Any, subscription.Subscription[Snapshot, Change]]
    ) -> Subscription[Snapshot, Change]:
        return Subscription(self._thread, self._wait(coroutine))
