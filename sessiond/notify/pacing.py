"""Limit the rate of notifications: send them while the client reads, else merge them."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from typing import Protocol

PAUSE = 0.1
"""Seconds after which another message of the same source may always be sent."""

_GAP = 1 / 400
_AT_ONCE = 40


class Channel(Protocol):
    """What this layer needs of `methods.client.Listener`, which belongs to a layer above."""

    @property
    def has_drained(self) -> bool:
        """Whether the client has read nearly everything that was sent to it."""

    async def drained(self) -> None:
        """Wait until `has_drained`."""


class Pace:
    """The rate limit of one client: 400 messages per second, in bursts of at most 40.

    Only messages that follow the previous one of their source within PAUSE are counted, so the
    first message of a source, and those of slow sources, are never delayed.
    """

    def __init__(self) -> None:
        self._next = 0.0

    def claim(self, now: float) -> float:
        """Reserve the next time to send; returns the seconds until then."""
        place = max(self._next, now - _AT_ONCE * _GAP)
        self._next = place + _GAP
        return max(0.0, place - now)


class Pacer:
    """Calls `send` soon after `due`, but not before the client has read what was sent.

    The caller merges its changes until `send` is called, so a client that does not read gets merged
    changes instead of a growing queue. Another message within PAUSE waits for a time reserved in
    `pace`; without `pace`, for sources with expensive messages, it waits until PAUSE has passed.
    `send` runs in the context in which the pacer was created: that of its client, with its
    `--root`, also if another client made the change.
    """

    def __init__(
        self, channel: Channel, send: Callable[[], None], pace: Pace | None = None
    ) -> None:
        self._channel = channel
        self._send = send
        self._pace = pace
        self._context = contextvars.copy_context()
        self._earliest = 0.0
        """Time at which PAUSE ends."""
        self._timer: asyncio.Handle | None = None
        self._waiting: asyncio.Task[None] | None = None

    def due(self) -> None:
        """Request a call of `send`."""
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
        """Cancel the pending call."""
        for pending in (self._timer, self._waiting):
            if pending is not None:
                pending.cancel()

    def _go(self) -> None:
        self._timer = None
        if not self._channel.has_drained:
            self._waiting = asyncio.create_task(self._go_when_drained())
            return
        self._earliest = asyncio.get_running_loop().time() + PAUSE
        self._send()

    async def _go_when_drained(self) -> None:
        await self._channel.drained()
        self._waiting = None
        self._go()
