"""Report databases some more times after a change.

SQLite writes to the file that is watched, perhaps waits for the disk, and only then tells other
processes of the new content, in memory that is not watched. So the content may change shortly after
the event.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

_PAUSES = (0.01, 0.03, 0.06, 0.1, 0.2)
"""Seconds from the last event of a database to the reports that repeat it."""


class Repeating:
    """Calls `report` again with databases that were reported."""

    def __init__(self, report: Callable[[set[str]], None]) -> None:
        self._report = report
        self._timers: dict[str, list[asyncio.TimerHandle]] = {}

    def begin(self, databases: Iterable[str]) -> None:
        """Repeat the report of these databases; an earlier repetition ends."""
        loop = asyncio.get_running_loop()
        for database in databases:
            self._cancel(database)
            self._timers[database] = [
                loop.call_later(pause, self._report, {database}) for pause in _PAUSES
            ]

    def close(self) -> None:
        """Report nothing any more."""
        for database in self._timers:
            self._cancel(database)

    def _cancel(self, database: str) -> None:
        for timer in self._timers.get(database, ()):
            timer.cancel()
