"""Turns: first-in-first-out locks between the requests of this process."""

from __future__ import annotations

import asyncio
from collections import deque
from types import TracebackType


class TurnLock:
    """A lock that can also be acquired without a coroutine, if that needs no waiting.

    `asyncio.Lock` cannot do that. A released lock is handed to the one that has waited longest.
    """

    def __init__(self) -> None:
        self._is_held = False
        self._waiting: deque[asyncio.Future[None]] = deque()

    def locked(self) -> bool:
        """Return whether somebody holds the lock."""
        return self._is_held

    def take(self) -> bool:
        """Acquire the lock if that needs no waiting; returns whether it did."""
        if self._is_held:
            return False
        self._is_held = True
        return True

    async def acquire(self) -> None:
        """Acquire the lock after all that have asked before."""
        if self.take():
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                # It was handed over in the same moment.
                self.release()
            raise

    def release(self) -> None:
        """Give the lock away. Raises RuntimeError if nobody holds it."""
        if not self._is_held:
            raise RuntimeError("the lock is not held")
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._is_held = False

    async def __aenter__(self) -> None:
        await self.acquire()

    async def __aexit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self.release()
