"""What the generated blocking calls are made of: an event loop in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from abc import ABC, abstractmethod
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from sessiond_client import session, subscription
    from sessiond_client.blocking import Session, Subscription

T = TypeVar("T")
Snapshot = TypeVar("Snapshot")
Change = TypeVar("Change")


class LoopThread:
    """An event loop that runs in a thread until it is stopped."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="sessiond-client", daemon=True)
        self._thread.start()

    def wait(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine there and wait for it; an interrupt cancels it."""
        if threading.current_thread() is self._thread or not self._thread.is_alive():
            coroutine.close()
            raise RuntimeError(
                "the client is closed"
                if not self._thread.is_alive()
                else "a callback must not wait for the client that calls it; use another thread"
            )
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def stop(self) -> None:
        """End the loop and wait for the thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            # The runner is there for its orderly end.
            runner.get_loop().run_forever()


class SessionBase:
    """Waits for calls that run in the thread of the loop."""

    _thread: LoopThread

    def _wait(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return self._thread.wait(coroutine)


class ClientBase(SessionBase, ABC):
    """Begins sessions and subscriptions."""

    @abstractmethod
    def _opened(self, coroutine: Coroutine[Any, Any, session.Session]) -> Session: ...

    @abstractmethod
    def _subscribed(
        self, coroutine: Coroutine[Any, Any, subscription.Subscription[Snapshot, Change]]
    ) -> Subscription[Snapshot, Change]: ...
