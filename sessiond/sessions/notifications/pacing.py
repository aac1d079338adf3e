"""Limit the rate of notifications: send them while the client reads, else merge them."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from typing import Protocol

PAUSE = 0.1
"""Seconds between two messages of a source that reads files for each of them."""

SHORT_PAUSE = 0.005
"""The same for one that only tells what it has heard."""


class Channel(Protocol):
    """The part that this layer needs of `methods.client.Listener`, which belongs to a layer
    above.
    """

    @property
    def has_drained(self) -> bool:
        """Whether the client has read nearly everything that was sent to it."""

    async def drained(self) -> None:
        """Wait until `has_drained`."""


class Pacer:
    """Calls `send` soon after `due`, but not before the client has read what was sent.

    The caller merges its changes until `send` is called, so a client that does not read gets merged
    changes instead of a growing queue. Between two calls are at least `pause` seconds. `send` runs
    in the context in which the pacer was created: that of its client, with its `--root`, also if
    another client made the change.
    """

    def __init__(self, channel: Channel, send: Callable[[], None], pause: float = PAUSE) -> None:
        self._channel = channel
        self._send = send
        self._pause = pause
        self._context = contextvars.copy_context()
        self._earliest = 0.0
        """When `send` is called again at the earliest."""
        self._timer: asyncio.Handle | None = None
        self._waiting: asyncio.Task[None] | None = None

    def due(self) -> None:
        """Request a call of `send`."""
        if self._timer is None and self._waiting is None:
            loop = asyncio.get_running_loop()
            pause = self._earliest - loop.time()
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
        self._earliest = asyncio.get_running_loop().time() + self._pause
        self._send()

    async def _go_when_drained(self) -> None:
        await self._channel.drained()
        self._waiting = None
        self._go()
