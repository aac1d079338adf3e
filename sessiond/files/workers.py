"""Run large work in threads and small work on the event loop.

Clients of a shared daemon take turns in each kind of threads: none of them has more than half.
"""

from __future__ import annotations

import asyncio
import contextvars
import functools
import os
import threading
import weakref
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar

from sessiond.files.disk import in_context
from sessiond.runtime import isolation
from sessiond.runtime.limits import INLINE_ENTRIES, INLINE_PARSE_BYTES, INLINE_READ_BYTES

_P = ParamSpec("_P")
_T = TypeVar("_T")


class _Client:
    """For whom a context works."""


_client: contextvars.ContextVar[_Client | None] = contextvars.ContextVar("client", default=None)
"""None in a process for one client, which may have all threads."""


def take_turns() -> None:
    """Make this context, and all copies of it, take turns as one client with others."""
    _client.set(_Client())


class Pool:
    """Threads for one kind of work."""

    def __init__(self, threads: int, name: str) -> None:
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._share = max(1, threads // 2)
        self._turns: weakref.WeakKeyDictionary[_Client, asyncio.Semaphore] = (
            weakref.WeakKeyDictionary()
        )

    async def run(self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Call a blocking function as soon as the client of this context gets a thread.

        If the caller is cancelled, the function ends at its next `isolation.go_on`, or its result
        is discarded. Raises RuntimeError if no thread can be started; it is not called then.
        """
        client = _client.get()
        if client is None:
            return await self._call(functools.partial(function, *args, **kwargs))
        if client not in self._turns:
            self._turns[client] = asyncio.Semaphore(self._share)
        async with self._turns[client]:
            return await self._call(functools.partial(function, *args, **kwargs))

    async def _call(self, function: Callable[[], _T]) -> _T:
        event = threading.Event()

        def call() -> _T:
            # Also work that could not get a thread of its own may be taken by one that gets free.
            isolation.abandoned.set(event)
            isolation.go_on()
            return function()

        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._executor, in_context(call))
        except (asyncio.CancelledError, RuntimeError):
            event.set()
            raise

    def close(self) -> None:
        """Accept no more work; drop what waits for a thread."""
        self._executor.shutdown(wait=False, cancel_futures=True)


LONG = 1 << 62
"""As a size: for work that always runs in a thread, because it may wait for others."""

_FILES = Pool(min(8, (os.cpu_count() or 1) + 4), "files")
"""Read and write single files, often while others wait for their turn on a session."""

_SCANNING = Pool(4, "scanning")
"""Read many files, which may take minutes. Separate, so that no read or write of a file waits."""

_COMPUTING = Pool(2, "computing")
"""Few threads, because computing threads compete with the event loop for the interpreter; separate
from those that read files, so that long answers do not delay lists."""


def size_of(values: Sequence[Any]) -> int:
    """Total size in bytes of values from a client, or a large number if there are very many."""
    if len(values) > INLINE_ENTRIES:
        return INLINE_READ_BYTES + 1
    return sum(len(memoryview(value)) for value in values)


async def computing(
    size: int, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs
) -> _T:
    """Call a pure function on about `size` bytes; at once if that is little, else in a thread.

    Its arguments must not change meanwhile: snapshots, or documents whose turn the caller holds.
    If the caller is cancelled, the result is discarded.
    """
    if size <= INLINE_READ_BYTES:
        return function(*args, **kwargs)
    return await _COMPUTING.run(function, *args, **kwargs)


async def reading(size: int, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Call a blocking function that reads about `size` bytes; does not suspend if that is little.

    If the caller is cancelled, the function ends at its next `isolation.go_on`, or its result is
    discarded.
    """
    if size <= INLINE_PARSE_BYTES:
        return function(*args, **kwargs)
    return await _FILES.run(function, *args, **kwargs)


async def scanning(function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Call a blocking function that may read many files, in a thread.

    If the caller is cancelled, the function ends at its next `isolation.go_on`.
    """
    return await _SCANNING.run(function, *args, **kwargs)


async def writing(size: int, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Call a blocking function that writes about `size` bytes; see `undisturbed`."""
    if size <= INLINE_READ_BYTES:
        return function(*args, **kwargs)
    return await undisturbed(function, *args, **kwargs)


async def undisturbed(function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Call a blocking function in a worker thread; a cancellation waits for its end.

    For the result and the cancellation see `to_its_end`.
    """
    return await to_its_end(_FILES.run(function, *args, **kwargs))


async def to_its_end(work: Awaitable[_T]) -> _T:
    """Await work that changes a store; a cancellation waits for its end.

    The result is returned even then, so that memory can follow the store; the cancellation is
    raised at the caller's next suspension.
    """
    future = asyncio.ensure_future(work)
    cancelled: asyncio.Task[object] | None = None
    while not future.done():
        try:
            await asyncio.wait([future])
        except asyncio.CancelledError:
            cancelled = asyncio.current_task()
    if cancelled is not None:
        cancelled.uncancel()
        cancelled.cancel()
    return future.result()
