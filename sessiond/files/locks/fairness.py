"""Leaving a file that others change as well alone for long enough between changes of our own."""

from __future__ import annotations

import asyncio
import time

_MEMORY = 5.0
_SHARE = 2.0
_LONGEST = 0.1


class Others:
    """Whether others use a lock of ours, and how long it is theirs to take.

    Who waits for a lock file looks again now and then, gateways at intervals that grow to a second.
    A process that changes the file a hundred times in a row would rarely leave the lock free at
    such a moment. So, for five seconds after others were noticed, the lock stays free for twice as
    long as it was held.
    """

    def __init__(self) -> None:
        self._noticed = float("-inf")
        self._began = 0.0
        self._ended = 0.0

    def notice(self) -> None:
        """Somebody else has held the lock just now."""
        self._noticed = time.monotonic()

    def begin(self) -> None:
        """The lock is ours from now on."""
        self._began = time.monotonic()

    def end(self) -> None:
        self._ended = time.monotonic()

    async def leave_room(self) -> None:
        """Wait until we may take the lock again; does not suspend if that is now."""
        now = time.monotonic()
        if now - self._noticed > _MEMORY:
            return
        free = min(_LONGEST, _SHARE * (self._ended - self._began))
        if now < self._ended + free:
            await asyncio.sleep(self._ended + free - now)
