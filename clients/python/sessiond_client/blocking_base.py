"""An event loop in a thread of its own, and the base class of the generated blocking calls."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class LoopThread:
    """An event loop in its own thread, until it is stopped."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="sessiond-client", daemon=True)
        self._thread.start()

    def wait(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in the loop and wait for it; a keyboard interrupt cancels it.

        Raises `RuntimeError` in the thread of the loop, and after `stop`.
        """
        if threading.current_thread() is self._thread or not self._thread.is_alive():
            coroutine.close()
            raise RuntimeError(
                "the client is closed"
                if not self._thread.is_alive()
                else "a callback must not call its own client; call from another thread"
            )
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def run(self, function: Callable[[], T]) -> T:
        """Call a function in the thread of the loop. Raises `RuntimeError` after `stop`."""
        if threading.current_thread() is self._thread:
            return function()

        async def call() -> T:
            return function()

        return self.wait(call())

    def stop(self) -> None:
        """End the loop and wait for the thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            # On exit the runner cancels the tasks that are left.
            runner.get_loop().run_forever()


class SessionBase:
    """Runs calls in the thread of the loop, and waits for them."""

    _thread: LoopThread

    def _wait(self, coroutine: Coroutine[Any, Any, T], timeout: float | None = None) -> T:
        return self._thread.wait(coroutine if timeout is None else within(coroutine, timeout))


async def within(coroutine: Coroutine[Any, Any, T], seconds: float) -> T:
    """Cancel a coroutine after this time. Raises `TimeoutError`."""
    async with asyncio.timeout(seconds):
        return await coroutine
