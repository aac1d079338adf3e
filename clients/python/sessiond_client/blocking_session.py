"""Sessions, subscriptions and streams without asyncio."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from typing import Generic, Self, TypeVar, Unpack

from sessiond_client import feed, session, subscription
from sessiond_client.blocking_base import LoopThread
from sessiond_client.encoding import Handle
from sessiond_client.events import Lost, SessionChange, SubscriptionReconnected
from sessiond_client.failures import ClientClosed, StreamEnded
from sessiond_client.generated.blocking_session_calls import SessionCalls
from sessiond_client.generated.contract import Entry, SessionState
from sessiond_client.generated.session_calls import GetEntriesOptions
from sessiond_client.home import refuse_fork

T = TypeVar("T")
Snapshot = TypeVar("Snapshot")
Change = TypeVar("Change")


class Session(SessionCalls, Handle):
    """An open session, with its own leaf."""

    def __init__(self, thread: LoopThread, calls: session.Session) -> None:
        self._thread = thread
        self._calls: session.Session = calls

    @property
    def handle(self) -> str:
        return self._calls.handle

    @property
    def state(self) -> SessionState:
        """The last state that the daemon reported, on opening or in answer to `get_state`."""
        return self._calls.state

    @property
    def leaf_id(self) -> str | None:
        return self._calls.leaf_id

    @property
    def tip_id(self) -> str | None:
        return self._calls.tip_id

    def entries(
        self,
        *,
        page_size: int = 500,
        timeout: float | None = None,
        **options: Unpack[GetEntriesOptions],
    ) -> Iterator[Entry]:
        """Yield all entries of the file, which are read page by page.

        The options are the arguments of `get_entries`; `timeout` is for each page.
        """
        return each(self._thread, self._calls.entries(page_size=page_size, **options), timeout)

    def changes(self) -> Stream[SessionChange]:
        """Return a stream of the changes that were not made with this handle.

        The first stream begins with the opening of the session; later ones begin now.
        """
        return Stream(self._thread, self._thread.run(self._calls.changes))

    def on_change(self, callback: Callable[[SessionChange], object]) -> Callable[[], None]:
        """Call `callback` with every change. Return a function that stops this."""
        return self._thread.run(lambda: self._calls.on_change(callback))

    def close(self, *, timeout: float | None = None) -> None:
        """Close the session. Its file stays."""
        with suppress(ClientClosed):
            super().close(timeout=timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return repr(self._calls)


class Subscription(Handle, Generic[Snapshot, Change]):
    """A subscription. Iterate over it for changes, as with asyncio."""

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

    def __iter__(self) -> Stream[Change | SubscriptionReconnected[Snapshot] | Lost]:
        """Return the stream of changes since the snapshot: always the same one."""
        return self._stream

    def close(self, *, timeout: float | None = None) -> None:
        """End the subscription."""
        with suppress(ClientClosed):
            self._thread.wait(self._calls.close(), timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def each(thread: LoopThread, values: AsyncIterator[T], timeout: float | None = None) -> Iterator[T]:
    """Yield the values of an async iterator that works in the thread of the loop."""

    async def next_value() -> T:
        return await anext(values)

    while True:
        try:
            value = thread.wait(next_value(), timeout)
        except StopAsyncIteration:
            return
        yield value


class Stream(Generic[T]):
    """An iterator over values as they arrive."""

    def __init__(self, thread: LoopThread, values: feed.Stream[T]) -> None:
        self._thread = thread
        self._values = values

    def get(self, timeout: float | None = None) -> T:
        """Wait for the next value, at most `timeout` seconds.

        Raises `TimeoutError`, and `StreamEnded` at the end.
        """

        async def next_value() -> T:
            return await anext(self._values)

        refuse_fork(self._thread.process)
        try:
            # The time limit runs in the event loop, so that no value is lost between threads.
            return self._thread.wait(next_value(), timeout)
        except ClientClosed:
            # No more values come, and no thread but this one uses the stream.
            if not self._values.left:
                raise StreamEnded("the stream has ended") from None
            return self._values.left.popleft()
        except StopAsyncIteration:
            raise StreamEnded("the stream has ended") from None

    def close(self) -> None:
        """End the stream, and drop the values that were not read."""
        with suppress(ClientClosed):
            self._thread.wait(self._values.aclose())

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> T:
        try:
            return self.get()
        except StreamEnded:
            raise StopIteration from None
