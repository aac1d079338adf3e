"""Pass values on to any number of callbacks and streams."""

from __future__ import annotations

import asyncio
import functools
import weakref
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

from sessiond_client.home import Home

T = TypeVar("T")

KEPT = 1024
"""How many values a stream keeps."""


class Feed(Generic[T]):
    """Passes on values in order until it is ended."""

    def __init__(self, *, keep: bool = False, home: Home | None = None) -> None:
        """Create a feed.

        Args:
            keep: Whether the values before the first callback or stream are kept for it, at most
                1,024: the latest.
            home: Where its streams may be read.

        """
        self._home = home
        self._early: deque[T] | None = deque(maxlen=KEPT) if keep else None
        self._callbacks: list[Callable[[T], object]] = []
        self._streams: weakref.WeakSet[Stream[T]] = weakref.WeakSet()
        self._end: BaseException | None = None

    def listen(self, callback: Callable[[T], object]) -> Callable[[], None]:
        """Call `callback` with every value that follows. Return a function that stops this."""
        # Each partial is a different object, so that one callable can be added and removed twice.
        entry = functools.partial(callback)
        self._callbacks.append(entry)
        for value in self._take_early():
            self._call(entry, value)

        def stop() -> None:
            if entry in self._callbacks:
                self._callbacks.remove(entry)

        return stop

    def stream(self) -> Stream[T]:
        """Return a stream of every value that follows."""
        stream: Stream[T] = Stream(self._home)
        for value in self._take_early():
            stream.put(value)
        if self._end is not None:
            stream.end(self._end)
        self._streams.add(stream)
        return stream

    def publish(self, value: T) -> None:
        """Pass on a value. A callback that raises is reported to the event loop."""
        if self._early is not None:
            self._early.append(value)
        for stream in list(self._streams):
            stream.put(value)
        for callback in list(self._callbacks):
            self._call(callback, value)

    def end(self, reason: BaseException | None = None) -> None:
        """End all streams: with an error, or normally if `reason` is None."""
        self._end = reason or StopAsyncIteration()
        for stream in list(self._streams):
            stream.end(self._end)

    def _take_early(self) -> deque[T]:
        early, self._early = self._early or deque(), None
        return early

    def _call(self, callback: Callable[[T], object], value: T) -> None:
        try:
            callback(value)
        except Exception as error:  # noqa: BLE001 - any error of the callback
            asyncio.get_running_loop().call_exception_handler(
                {"message": "a callback of a notification raised", "exception": error}
            )


class Stream(Generic[T]):
    """An async iterator over values as they arrive.

    It keeps 1,024 of them until they are read, then drops the oldest. Changes have a `sequence`,
    in which a gap shows how many were dropped.
    """

    def __init__(self, home: Home | None = None) -> None:
        self._home = home
        self.left: deque[T] = deque(maxlen=KEPT)
        """The values that were not read yet."""
        self._end: BaseException | None = None
        self._more = asyncio.Event()

    def put(self, value: T) -> None:
        if self._end is None:
            self.left.append(value)
            self._more.set()

    def end(self, reason: BaseException) -> None:
        self._end = self._end or reason
        self._more.set()

    async def aclose(self) -> None:
        self.left.clear()
        self.end(StopAsyncIteration())

    def __aiter__(self) -> Stream[T]:
        return self

    async def __anext__(self) -> T:
        if self._home is not None:
            self._home.check()
        while not self.left:
            if isinstance(self._end, StopAsyncIteration):
                raise StopAsyncIteration
            if self._end is not None:
                raise self._end
            self._more.clear()
            await self._more.wait()
        return self.left.popleft()
