"""Turns: first-in-first-out locks between the requests of this process."""

from __future__ import annotations

import asyncio


class TurnLock(asyncio.Lock):
    """A lock that can also be acquired without a coroutine, if that needs no waiting."""

    _locked: bool

    @property
    def is_free(self) -> bool:
        return not self._locked and not self._waiters

    def take(self) -> bool:
        """Acquire the lock if that needs no waiting; returns whether it did."""
        if not self.is_free:
            return False
        self._locked = True
        return True

    def release(self) -> None:
        if self._waiters or not self._locked:
            super().release()
        else:
            self._locked = False
