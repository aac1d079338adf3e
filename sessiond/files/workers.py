"""Run large work in threads and small work on the event loop.

Clients of a shared daemon take turns in each kind of threads: see `fair_pool`.
"""

from __future__ import annotations

import asyncio
import contextvars
import functools
import os
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future
from typing import Any, ParamSpec, TypeVar

from sessiond.fair_pool import FairPool
from sessiond.files.disk import in_context
from sessiond.limits import INLINE_ENTRIES, INLINE_PARSE_BYTES, INLINE_READ_BYTES

_P = ParamSpec("_P")
_T = TypeVar("_T")


LONG = 1 << 62
"""As a size: for work that always runs in a thread, because it may wait for others."""

_FILES = FairPool(min(8, (os.cpu_count() or 1) + 4), "files")
"""Read and write single files, often while others wait for their turn on a session."""

_SCANNING = FairPool(4, "scanning")
"""Read many files, which may take minutes. Separate, so that no read or write of a file waits."""

_COMPUTING = FairPool(2, "computing")
"""Few threads, because computing threads compete with the event loop for the interpreter; separate
from those that read files, so that long answers do not delay lists."""

_DECODING = FairPool(2, "decoding")
"""Separate from the threads above, because no message of a client is read until its large body is
decoded. A client sends one at a time; the second thread is for another one."""


def start_threads() -> None:
    """Start the threads of a daemon, so that none has to be started during a shortage."""
    for pool in (_FILES, _SCANNING, _COMPUTING, _DECODING):
        pool.start_all()


def size_of(values: Sequence[Any]) -> int:
    """Total size in bytes of values from a client, or a large number if there are very many."""
    if len(values) > INLINE_ENTRIES:
        return INLINE_READ_BYTES + 1
    return sum(len(memoryview(value)) for value in values)


announced: contextvars.ContextVar[int] = contextvars.ContextVar("announced", default=0)
"""Size of the work that a handler waits for in `computing`, which is about that of its answer."""


async def computing(
    size: int, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs
) -> _T:
    """Call a pure function on about `size` bytes; at once if that is little, else in a thread.

    Its arguments must not change meanwhile: snapshots, or documents whose turn the caller holds.
    If the caller is cancelled, the result is discarded.
    """
    if size <= INLINE_READ_BYTES:
        return function(*args, **kwargs)
    announced.set(size)
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_COMPUTING, in_context(function, *args, **kwargs))


async def decoding(function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Call a pure function that decodes a large message, in a thread."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_DECODING, functools.partial(function, *args, **kwargs))


async def reading(size: int, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Call a blocking function that reads about `size` bytes; does not suspend if that is little.

    If the caller is cancelled, the function ends at its next `isolation.go_on`, or its result is
    discarded.
    """
    if size <= INLINE_PARSE_BYTES:
        return function(*args, **kwargs)
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_FILES, in_context(function, *args, **kwargs))


async def scanning(function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Call a blocking function that may read many files, in a thread.

    If the caller is cancelled, the function ends at its next `isolation.go_on`.
    """
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_SCANNING, in_context(function, *args, **kwargs))


async def writing(size: int, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Call a blocking function that writes about `size` bytes; see `undisturbed`."""
    if size <= INLINE_READ_BYTES:
        return function(*args, **kwargs)
    return await undisturbed(function, *args, **kwargs)


async def checkpoint() -> None:
    """Suspend if the current task is being cancelled, so that the cancellation is raised here.

    For work that can be undone only while its coroutine runs: after `undisturbed`, a task counts
    as cancelled even if its coroutine returns without another suspension.
    """
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        await asyncio.sleep(0)


async def undisturbed(function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Call a blocking function in a worker thread; a cancellation waits for its end.

    For the result and the cancellation see `to_its_end`.
    """
    loop = asyncio.get_running_loop()
    return await to_its_end(loop.run_in_executor(_FILES, in_context(function, *args, **kwargs)))


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


def in_background(
    function: Callable[_P, None], *args: _P.args, **kwargs: _P.kwargs
) -> Future[None]:
    """Start a blocking function that raises nothing in a worker thread, without waiting for it."""
    return _FILES.submit(in_context(function, *args, **kwargs))


class Lane:
    """Threads reserved for one kind of long work."""

    def __init__(self, threads: int) -> None:
        self._executor = FairPool(threads)

    async def run(self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Call a blocking function as soon as a thread is free.

        If the caller is cancelled before that, it is not called; later, its result is discarded.
        """
        loop = asyncio.get_running_loop()
        work = in_context(function, *args, **kwargs)
        return await loop.run_in_executor(self._executor, work)

    def close(self) -> None:
        """Accept no more work; drop what waits for a thread."""
        self._executor.shutdown(wait=False, cancel_futures=True)
