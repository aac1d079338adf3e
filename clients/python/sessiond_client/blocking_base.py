"""An event loop in a thread of its own, and the base class of the generated blocking calls."""

from __future__ import annotations

import asyncio
import os
import threading
import warnings
import weakref
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError
from typing import Any, TypeVar

from sessiond_client.failures import ClientClosed, MisplacedCall
from sessiond_client.home import refuse_fork

T = TypeVar("T")


class LoopThread:
    """An event loop in a thread of its own, from `start` to `stop`.

    Everything that makes calls in it refers to this object. When nothing does any more, `close` is
    run in the loop, and the thread ends.
    """

    def __init__(self, close: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._close = close
        self.process = os.getpid()
        self._forgotten: weakref.finalize[..., LoopThread] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        # Held while a coroutine is passed to the loop, so that none is passed to a loop that ends.
        self._passing = threading.Lock()

    def start(self) -> None:
        """Start the thread, unless it is running."""
        if self._loop is not None:
            return
        loop = asyncio.new_event_loop()
        self._loop = loop
        self._thread = threading.Thread(
            target=_run, args=(loop,), name="sessiond-client", daemon=True
        )
        self._thread.start()
        self.process = os.getpid()
        self._forgotten = weakref.finalize(self, _forget, loop, self._close, self.process)
        self._forgotten.atexit = False

    def wait(self, coroutine: Coroutine[Any, Any, T], timeout: float | None = None) -> T:
        """Run a coroutine in the loop and wait for it; a keyboard interrupt cancels it.

        Raises `TimeoutError` after `timeout` seconds, `ClientClosed` before `start`, after `stop`
        and in a forked process, and `MisplacedCall` in the thread of the loop.
        """
        try:
            # Before the lock: a thread that held it when the process was forked is not in this one.
            refuse_fork(self.process)
        except ClientClosed:
            coroutine.close()
            raise
        with self._passing:
            loop = self._loop
            if loop is None or threading.current_thread() is self._thread:
                coroutine.close()
                raise self._refusal()
            future = asyncio.run_coroutine_threadsafe(_within(coroutine, timeout), loop)
        try:
            return future.result()
        except CancelledError:
            # The loop was stopped meanwhile.
            raise self._refusal() from None
        except BaseException:
            future.cancel()
            raise

    def run(self, function: Callable[[], T]) -> T:
        """Call a function in the thread of the loop. Raises `ClientClosed`."""
        if threading.current_thread() is self._thread:
            return function()

        async def call() -> T:
            return function()

        return self.wait(call())

    def stop(self) -> None:
        """End the loop and wait for the thread, if it is running in this process."""
        if os.getpid() != self.process:
            return
        if self._forgotten is not None:
            self._forgotten.detach()
        with self._passing:
            loop, self._loop = self._loop, None
            if loop is not None:
                loop.call_soon_threadsafe(loop.stop)
        if self._thread is not None:
            self._thread.join()

    def _refusal(self) -> Exception:
        if self._thread is None:
            return ClientClosed("the client is not open: use `with`")
        if self._loop is None:
            return ClientClosed("the client is closed")
        return MisplacedCall("a callback must not call its own client; call from another thread")


class SessionBase:
    """Runs calls in the thread of the loop, and waits for them."""

    _thread: LoopThread

    def _wait(self, coroutine: Coroutine[Any, Any, T], timeout: float | None = None) -> T:
        return self._thread.wait(coroutine, timeout)


def _run(loop: asyncio.AbstractEventLoop) -> None:
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        # On exit the runner cancels the tasks that are left.
        runner.get_loop().run_forever()


def _forget(
    loop: asyncio.AbstractEventLoop, close: Callable[[], Coroutine[Any, Any, None]], process: int
) -> None:
    """End the daemon and the loop of a client that nobody can use or close any more."""
    if os.getpid() != process:
        return

    async def end() -> None:
        try:
            await close()
        finally:
            loop.stop()

    asyncio.run_coroutine_threadsafe(end(), loop)
    warnings.warn("a client was not closed: use `with`", ResourceWarning, stacklevel=2)


async def _within(coroutine: Coroutine[Any, Any, T], seconds: float | None) -> T:
    async with asyncio.timeout(seconds):
        return await coroutine
