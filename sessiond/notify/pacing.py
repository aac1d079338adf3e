"""When messages go out: at once while the client reads them, merged while it does not."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from typing import Protocol

PAUSE = 0.1
"""Seconds after which a further message of one source may always go out."""

_GAP = 1 / 400
_AT_ONCE = 40


class Channel(Protocol):
    """Where messages go."""

    @property
    def queued(self) -> int:
        """How many bytes were queued so far."""

    def has_sent(self, mark: int) -> bool:
        """Whether the client keeps up and has been sent the first `mark` bytes."""

    async def drained(self, mark: int) -> None:
        """Wait until `has_sent(mark)`."""


class Pace:
    """The rate at which the sources of one client send: 400 a second, of which 40 at once.

    Only messages that follow the previous one of their source within PAUSE count, so the first
    message of a source, and those of slow sources, never wait for others.
    """

    def __init__(self) -> None:
        self._next = 0.0

    def claim(self, now: float) -> float:
        """Take the next place; returns the seconds until then."""
        place = max(self._next, now - _AT_ONCE * _GAP)
        self._next = place + _GAP
        return max(0.0, place - now)


class Pacer:
    """Calls `send` soon after `due`, but not before the client has been sent the last message.

    The caller merges what it has to tell until `send` is called, so a client that does not read
    gets merged changes and not a growing queue. A further message within PAUSE waits for its place
    in `pace`, or for the end of PAUSE if there is no `pace`: for sources whose messages cost much.
    `send` runs in the context in which the pacer was made, which is that of its own client (and of
    its `--root`), whichever client made the change.
    """

    def __init__(
        self, channel: Channel, send: Callable[[], None], pace: Pace | None = None
    ) -> None:
        self._channel = channel
        self._send = send
        self._pace = pace
        self._context = contextvars.copy_context()
        self._earliest = 0.0
        """When PAUSE ends."""
        self._mark = 0
        """Bytes in the channel up to the end of the last message."""
        self._timer: asyncio.Handle | None = None
        self._waiting: asyncio.Task[None] | None = None

    def due(self) -> None:
        """There is something to tell."""
        if self._timer is not None or self._waiting is not None:
            return
        loop = asyncio.get_running_loop()
        now = loop.time()
        pause = self._earliest - now
        if pause > 0 and self._pace is not None:
            pause = min(pause, self._pace.claim(now))
        self._timer = (
            loop.call_later(pause, self._go, context=self._context)
            if pause > 0
            else loop.call_soon(self._go, context=self._context)
        )

    def stop(self) -> None:
        """Send nothing more."""
        for pending in (self._timer, self._waiting):
            if pending is not None:
                pending.cancel()

    def _go(self) -> None:
        self._timer = None
        if not self._channel.has_sent(self._mark):
            self._waiting = asyncio.create_task(self._go_when_drained())
            return
        self._earliest = asyncio.get_running_loop().time() + PAUSE
        self._send()
        self._mark = self._channel.queued

    async def _go_when_drained(self) -> None:
        await self._channel.drained(self._mark)
        self._waiting = None
        self._go()
