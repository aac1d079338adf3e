"""The client without asyncio: the same calls, which wait for their answers.

    with Sessiond() as client:
        for info in client.session_list(".").sessions:
            print(info.name, info.firstMessage)

Any thread may call. An event loop runs in a thread of its own; callbacks run there, too, and must
not call the client.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Generic, Self, TypeVar

from sessiond_protocol.connection.lifecycle import InitializeParams

from sessiond_client import client, feed, session, subscription
from sessiond_client.blocking_base import LoopThread
from sessiond_client.encoding import Handle, JsonObject
from sessiond_client.generated.blocking_calls import ClientCalls, SessionCalls
from sessiond_client.generated.contract import (
    InitializeResult,
    SessionDidChangeParams,
    SessionState,
)

T = TypeVar("T")
Snapshot = TypeVar("Snapshot")
Change = TypeVar("Change")


class Sessiond(ClientCalls):
    """A daemon of its own, started on entering and ended on leaving."""

    def __init__(
        self,
        path: str | None = None,
        *,
        arguments: Sequence[str] = (),
        settings: InitializeParams | None = None,
        environment: Mapping[str, str] | None = None,
        cwd: str | None = None,
        patience: float = 5.0,
    ) -> None:
        """Prepare a client; the arguments are those of `sessiond_client.Sessiond`."""
        self._calls: client.Sessiond = client.Sessiond(
            path,
            arguments=arguments,
            settings=settings,
            environment=environment,
            cwd=cwd,
            patience=patience,
        )

    @property
    def server(self) -> InitializeResult:
        """What the daemon answered to `initialize`."""
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
        """End the daemon in order, after what is in flight."""
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
        """Return the process id of the daemon that runs now."""
        return self._wait(self._calls.pid())

    def _opened(self, coroutine: Coroutine[Any, Any, session.Session]) -> Session:
        return Session(self._thread, self._wait(coroutine))

    def _subscribed(
        self, coroutine: Coroutine[Any, Any, subscription.Subscription[Snapshot, Change]]
    ) -> Subscription[Snapshot, Change]:
        return Subscription(self._thread, self._wait(coroutine))


class Session(SessionCalls, Handle):
    """One handle of the daemon: a session with a leaf of its own."""

    def __init__(self, thread: LoopThread, calls: session.Session) -> None:
        self._thread = thread
        self._calls: session.Session = calls

    @property
    def handle(self) -> str:
        return self._calls.handle

    @property
    def state(self) -> SessionState:
        """What the daemon said when it was opened, or when it was asked for its state last."""
        return self._calls.state

    @property
    def leaf_id(self) -> str | None:
        return self._calls.leaf_id

    def changes(self) -> Stream[SessionDidChangeParams]:
        """Return the changes from now on that were not made with this handle."""

        async def stream() -> feed.Stream[SessionDidChangeParams]:
            return self._calls.changes()

        return Stream(self._thread, self._wait(stream()))

    def on_change(self, callback: Callable[[SessionDidChangeParams], object]) -> Callable[[], None]:
        """Call back with every change, until what this returns is called."""
        return self._calls.on_change(callback)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return repr(self._calls)


class Subscription(Handle, Generic[Snapshot, Change]):
    """A subscription; iterate over it for changes, and new snapshots after a restart."""

    def __init__(
        self, thread: LoopThread, calls: subscription.Subscription[Snapshot, Change]
    ) -> None:
        self._thread = thread
        self._calls = calls
        self._stream = Stream(thread, calls.__aiter__())

    @property
    def handle(self) -> str:
        return self._calls.handle

    @property
    def snapshot(self) -> Snapshot:
        return self._calls.snapshot

    def __iter__(self) -> Stream[Snapshot | Change]:
        """Return the changes since the snapshot, each once however often this is called."""
        return self._stream

    def close(self) -> None:
        """Hear no more."""
        self._thread.wait(self._calls.close())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Stream(Generic[T]):
    """Values to come, as an iterator."""

    def __init__(self, thread: LoopThread, values: feed.Stream[T]) -> None:
        self._thread = thread
        self._values = values

    def get(self, timeout: float | None = None) -> T:
        """Wait for the next value. Raises `TimeoutError`, `StopIteration` at the end."""

        async def next_value() -> T:
            # Over there, so that a value which comes just in time is not lost.
            async with asyncio.timeout(timeout):
                return await anext(self._values)

        try:
            return self._thread.wait(next_value())
        except StopAsyncIteration:
            raise StopIteration from None

    def close(self) -> None:
        """Keep no more values."""
        self._thread.wait(self._values.aclose())

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> T:
        return self.get()
