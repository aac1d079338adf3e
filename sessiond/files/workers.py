"""Big work beside the event loop, small work on it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar

from sessiond.files.disk import in_context
from sessiond.limits import INLINE_ENTRIES, INLINE_PARSE_BYTES, INLINE_READ_BYTES

_P = ParamSpec("_P")
_T = TypeVar("_T")


_COMPUTING = ThreadPoolExecutor(max_workers=2, thread_name_prefix="computing")
"""Few, because threads that compute take the interpreter from the loop by turns; and apart from
those that read files, so that long answers do not keep lists waiting."""


def size_of(values: Sequence[Any]) -> int:
    """How big a work values that a client sent are, without a look at each of very many."""
    if len(values) > INLINE_ENTRIES:
        return INLINE_READ_BYTES + 1
    return sum(len(memoryview(value)) for value in values)


async def computing(
    size: int, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs
) -> _T:
    """Call a function of values, which looks at about `size` bytes; little is done at once.

    The values must not change meanwhile: snapshots, or what the caller holds the turn of. If the
    caller is cancelled the result is thrown away.
    """
    if size <= INLINE_READ_BYTES:
        return function(*args, **kwargs)
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_COMPUTING, in_context(function, *args, **kwargs))


async def reading(size: int, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Call a blocking function that reads about `size` bytes; does not suspend if that is little.

    If the caller is cancelled the result is thrown away.
    """
    if size <= INLINE_PARSE_BYTES:
        return function(*args, **kwargs)
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(None, in_context(function, *args, **kwargs))


async def writing(size: int, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """The same for a function that writes: see `undisturbed`."""
    if size <= INLINE_READ_BYTES:
        return function(*args, **kwargs)
    return await undisturbed(function, *args, **kwargs)


async def checkpoint() -> None:
    """Suspend if a cancellation waits for that: see `undisturbed`.

    For work that can be undone only as long as its coroutine runs: a task that is to be cancelled
    counts as cancelled even if its coroutine returns without another suspension.
    """
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        await asyncio.sleep(0)


async def undisturbed(function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Call a blocking function in a worker; once it has begun, a cancellation waits for its end.

    The result is returned even then, so that memory can follow the file; the cancellation comes at
    the caller's next suspension.
    """
    loop = asyncio.get_running_loop()
    future = loop.run_in_executor(None, in_context(function, *args, **kwargs))
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


def beside(function: Callable[[str], None], argument: str) -> None:
    """Call a blocking function that raises nothing in a worker, and wait for nothing."""
    asyncio.get_running_loop().run_in_executor(None, in_context(function, argument))


class Lane:
    """Threads for one kind of long work, so that it never takes those of any other."""

    def __init__(self, threads: int) -> None:
        # They are started when there is work.
        self._executor = ThreadPoolExecutor(threads)

    async def run(self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Call a blocking function as soon as a thread is free.

        If the caller is cancelled before, it is not called; if later, its result is thrown away.
        """
        loop = asyncio.get_running_loop()
        work = in_context(function, *args, **kwargs)
        return await loop.run_in_executor(self._executor, work)

    def close(self) -> None:
        """Take no more work; what waits for a thread is dropped."""
        self._executor.shutdown(wait=False, cancel_futures=True)
