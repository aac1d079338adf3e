"""Notifications that are merged: at most one of a kind at a time, and not for a while after it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from sessiond.rpc.connection import Connection

PAUSE_SECONDS = 0.25
"""Shortest time between two notifications of the same kind."""


class PacedNotice:
    """One notification that is sent again and again; `send` sends it."""

    def __init__(self, connection: Connection, send: Callable[[], None]) -> None:
        self._connection = connection
        self._send = send
        self._is_due = False
        self._is_held = True
        self._timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """Send what was due before, and from now on; without effect if it was called before."""
        if self._is_held:
            self._is_held = False
            self._next()

    def due(self) -> None:
        """Send it, now or when the pause has passed."""
        self._is_due = True
        if self._timer is None and not self._is_held:
            self._next()

    def stop(self) -> None:
        self._is_held = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _next(self) -> None:
        self._timer = None
        if not self._is_due:
            return
        # A client that does not read is notified later, once.
        if self._connection.writable:
            self._is_due = False
            self._send()
        self._timer = asyncio.get_running_loop().call_later(PAUSE_SECONDS, self._next)
