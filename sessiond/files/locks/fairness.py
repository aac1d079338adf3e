"""Leave a lock free for long enough between our own uses that other processes can acquire it."""

from __future__ import annotations

import asyncio
import time

_MEMORY = 5.0
_SHARE = 2.0
_LONGEST = 0.1


class Others:
    """Whether other processes use the same lock, and how long to leave it free for them.

    A process that waits for a lock file tries again at intervals; a gateway's grow to a second.
    A process that changes the file a hundred times in a row would rarely leave the lock free at
    such a moment. So, for five seconds after another process was noticed, the lock stays free for
    twice as long as it was held, at most 0.1 seconds.
    """

    def __init__(self) -> None:
        self._noticed = float("-inf")
        self._began = 0.0
        self._ended = 0.0

    def notice(self) -> None:
        """Record that another process has just held the lock."""
        self._noticed = time.monotonic()

    def begin(self) -> None:
        """Record that this process has acquired the lock."""
        self._began = time.monotonic()

    def end(self) -> None:
        self._ended = time.monotonic()

    async def leave_room(self) -> None:
        """Wait until this process may acquire the lock again; does not suspend if it may now."""
        now = time.monotonic()
        if now - self._noticed > _MEMORY:
            return
        free = min(_LONGEST, _SHARE * (self._ended - self._began))
        if now < self._ended + free:
            await asyncio.sleep(self._ended + free - now)
