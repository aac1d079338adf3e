"""When messages go out: the first at once, then no faster than a client can use them."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from typing import Protocol

PAUSE = 0.1
"""Seconds between two messages of one source; what happens meanwhile is merged."""


class Channel(Protocol):
    """Where messages go."""

    @property
    def writable(self) -> bool:
        """Whether the client keeps up."""

    async def drained(self) -> None:
        """Wait until it does."""


class Pacer:
    """Calls `send` soon after `due`, at most once per PAUSE and only while the client keeps up.

    The caller keeps what is to be said until `send` is called, so a slow client gets merged
    changes and not a growing queue. `send` runs in the context in which the pacer was made, which
    is that of its own client (and of its `--root`), whichever client made the change.
    """

    def __init__(self, channel: Channel, send: Callable[[], None]) -> None:
        self._channel = channel
        self._send = send
        self._context = contextvars.copy_context()
        self._earliest = 0.0
        self._timer: asyncio.Handle | None = None
        self._waiting: asyncio.Task[None] | None = None

    def due(self) -> None:
        """There is something to say."""
        if self._timer is not None or self._waiting is not None:
            return
        loop = asyncio.get_running_loop()
        pause = self._earliest - loop.time()
        self._timer = (
            loop.call_later(pause, self._go, context=self._context)
            if pause > 0
            else loop.call_soon(self._go, context=self._context)
        )

    def stop(self) -> None:
        """Say nothing more."""
        for pending in (self._timer, self._waiting):
            if pending is not None:
                pending.cancel()

    def _go(self) -> None:
        self._timer = None
        if not self._channel.writable:
            self._waiting = asyncio.create_task(self._go_when_drained())
            return
        self._earliest = asyncio.get_running_loop().time() + PAUSE
        self._send()

    async def _go_when_drained(self) -> None:
        await self._channel.drained()
        self._waiting = None
        self._go()
