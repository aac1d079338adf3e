"""The files that wait to be compared with their copies."""

from __future__ import annotations

import asyncio

SETTLE_SECONDS = 0.5
"""A last line without newline is copied when its file did not change for this long."""


class FileQueue:
    """Names of files, each at most once, and never given to two workers at the same time."""

    def __init__(self) -> None:
        self._waiting: dict[str, bool] = {}
        """Whether an unended last line counts as settled."""
        self._busy: set[str] = set()
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._changed = asyncio.Event()

    def add(self, path: str, *, settled: bool = False) -> None:
        """Let a file be compared."""
        self._waiting[path] = settled
        self._changed.set()

    def add_again(self, path: str, *, settled: bool = False) -> None:
        """The same, unless it waits already: after a part, or a failure."""
        self._waiting.setdefault(path, settled)
        self._changed.set()

    def add_later(self, path: str) -> None:
        """Let a file be compared once more when it has settled; a report restarts the time."""
        self._drop_timer(path)
        loop = asyncio.get_running_loop()
        self._timers[path] = loop.call_later(SETTLE_SECONDS, self._settle, path)

    def _settle(self, path: str) -> None:
        self.add(path, settled=True)

    def _drop_timer(self, path: str) -> None:
        timer = self._timers.pop(path, None)
        if timer is not None:
            timer.cancel()

    async def take(self) -> tuple[str, bool]:
        """The next file, and whether it has settled; call `done` when it was compared."""
        while (taken := self.take_now()) is None:
            self._changed.clear()
            await self._changed.wait()
        return taken

    def take_now(self) -> tuple[str, bool] | None:
        """The same, or None if no file waits that no other worker has."""
        path = next((path for path in self._waiting if path not in self._busy), None)
        if path is None:
            return None
        self._busy.add(path)
        self._drop_timer(path)
        return path, self._waiting.pop(path)

    def done(self, path: str) -> None:
        self._busy.discard(path)
        self._changed.set()
