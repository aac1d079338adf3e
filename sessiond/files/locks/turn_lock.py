"""Turns: first-in-first-out locks between the requests of this process."""

from __future__ import annotations

import asyncio


class TurnLock(asyncio.Lock):
    """A lock that tells whether it would be acquired without waiting."""

    @property
    def is_free(self) -> bool:
        return not self.locked() and not self._waiters
