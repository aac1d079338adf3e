"""What happens, to any number of listeners: callbacks, and streams to iterate over."""

from __future__ import annotations

import asyncio
import functools
import weakref
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Feed(Generic[T]):
    """Passes on values in order, until it ends."""

    def __init__(self) -> None:
        self._callbacks: list[Callable[[T], object]] = []
        self._streams: weakref.WeakSet[Stream[T]] = weakref.WeakSet()
        self._end: BaseException | None = None

    def listen(self, callback: Callable[[T], object]) -> Callable[[], None]:
        """Call back with every value from now on, until what this returns is called."""
        # Partials differ, so that the same callable can be there twice and be taken out by itself.
        entry = functools.partial(callback)
        self._callbacks.append(entry)

        def stop() -> None:
            if entry in self._callbacks:
                self._callbacks.remove(entry)

        return stop

    def stream(self) -> Stream[T]:
        """Return a stream of every value from now on."""
        stream: Stream[T] = Stream()
        if self._end is not None:
            stream.end(self._end)
        self._streams.add(stream)
        return stream

    def publish(self, value: T) -> None:
        """Pass on a value. A callback that raises is reported to the event loop."""
        for stream in list(self._streams):
            stream.put(value)
        for callback in list(self._callbacks):
            try:
                callback(value)
            except Exception as error:  # noqa: BLE001 - it belongs to whoever wrote the callback
                asyncio.get_running_loop().call_exception_handler(
                    {"message": "a callback of a notification raised", "exception": error}
                )

    def end(self, reason: BaseException | None = None) -> None:
        """End all streams, with an error or (None) quietly."""
        self._end = reason or StopAsyncIteration()
        for stream in list(self._streams):
            stream.end(self._end)


class Stream(Generic[T]):
    """Values to come, as an async iterator. What is not taken is kept; `aclose` stops that."""

    def __init__(self) -> None:
        self._values: deque[T] = deque()
        self._end: BaseException | None = None
        self._more = asyncio.Event()

    def put(self, value: T) -> None:
        if self._end is None:
            self._values.append(value)
            self._more.set()

    def end(self, reason: BaseException) -> None:
        self._end = self._end or reason
        self._more.set()

    async def aclose(self) -> None:
        self._values.clear()
        self.end(StopAsyncIteration())

    def __aiter__(self) -> Stream[T]:
        return self

    async def __anext__(self) -> T:
        while not self._values:
            if isinstance(self._end, StopAsyncIteration):
                raise StopAsyncIteration
            if self._end is not None:
                raise self._end
            self._more.clear()
            await self._more.wait()
        return self._values.popleft()
