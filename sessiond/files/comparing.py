"""Compare documents in full with their files, after other programs have written to them.

Growth is notified at once, although only the end of what was known is compared then. An editor that
saves in place may have changed an earlier line before the agent appended the next one, so all lines
are compared when the growth pauses, or some time after it began.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
import time
from typing import Protocol

import attrs

PAUSE = 0.5
"""Seconds without growth after which a document is compared."""
_SMALL_BYTES = 16 * 1024 * 1024
_SMALL_SECONDS, _LARGE_SECONDS = 10.0, 60.0
"""The latest time for a document that does not stop to grow, up to that size and above it."""
_SHARE = 0.02
"""The part of a processor that all comparisons may take together."""


logger = logging.getLogger(__name__)


class Comparable(Protocol):
    """A document that can be compared with its file."""

    @property
    def nbytes(self) -> int:
        """About the size of the file."""

    @property
    def is_compared(self) -> bool:
        """Whether all lines were compared after the last growth."""

    async def compare(self) -> float:
        """Compare all lines; returns for how many seconds a worker was busy."""


@attrs.define
class _Waiting:
    latest: float
    """When it is compared even if it still grows."""
    paused: float
    """When it is compared if it does not grow until then."""
    context: contextvars.Context
    """Carries the confinement in which the file is read."""

    @property
    def due(self) -> float:
        return min(self.latest, self.paused)


class Comparisons:
    """The documents of a process that are to be compared, one after another."""

    def __init__(self) -> None:
        self._waiting: dict[Comparable, _Waiting] = {}
        self._task: asyncio.Task[None] | None = None
        self._rested = 0.0
        """When the next comparison may begin."""

    def want(self, document: Comparable) -> None:
        """Compare a document that has grown, soon."""
        now = time.monotonic()
        waiting = self._waiting.get(document)
        if waiting is None:
            is_small = document.nbytes <= _SMALL_BYTES
            latest = now + (_SMALL_SECONDS if is_small else _LARGE_SECONDS)
            waiting = _Waiting(latest, now, contextvars.copy_context())
            self._waiting[document] = waiting
        waiting.paused = now + PAUSE
        if self._task is None:
            self._task = asyncio.create_task(self._run())

    async def idle(self) -> None:
        """Wait until every document was compared."""
        while self._task is not None:
            await asyncio.wait([self._task])

    def close(self) -> None:
        """Compare no more."""
        if self._task is not None:
            self._task.cancel()

    async def _run(self) -> None:
        try:
            while self._waiting:
                document, first = min(self._waiting.items(), key=lambda each: each[1].due)
                left = max(first.due, self._rested) - time.monotonic()
                if left > 0:
                    # Another document may be due earlier, which was not waiting before.
                    await asyncio.sleep(min(left, PAUSE))
                    continue
                del self._waiting[document]
                if not document.is_compared:
                    await self._compare(document, first.context)
        finally:
            self._task = None

    async def _compare(self, document: Comparable, context: contextvars.Context) -> None:
        try:
            seconds = await asyncio.create_task(document.compare(), context=context)
        except Exception:
            logger.exception("A session could not be compared with its file")
        else:
            self._rested = time.monotonic() + seconds / _SHARE
