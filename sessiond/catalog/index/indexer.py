"""Fill the index in the background with sessions that a request needed and the index lacks."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Iterable
from typing import Any

from sessiond.catalog.index import reader, writer
from sessiond.catalog.index.database import Store, Unavailable
from sessiond.catalog.index.file_rows import signed
from sessiond.catalog.search.folding import decode
from sessiond.catalog.summaries import Summary
from sessiond.files import disk
from sessiond.isolation import Abandoned, Faults

logger = logging.getLogger(__name__)

_PAUSE = 0.05
"""Seconds before work begins, so that a file just written becomes stable."""

_SLICE = 0.25
"""Seconds of work in one call of a worker thread."""


class _Stopped(Abandoned):
    """The daemon stops."""


class Indexer:
    """Indexes requested sessions, the latest request first; does nothing without a store."""

    def __init__(self, store: Store | None) -> None:
        self.store = store
        self._pending: dict[str, tuple[Summary, tuple[str, ...] | None]] = {}
        """The sessions to index, by path, each with the roots of the client that listed it."""
        self._task: asyncio.Task[None] | None = None
        self._stopped = False
        self._untidy = True

    def want(self, summaries: Iterable[Summary]) -> None:
        """Index these sessions soon, the first of them first."""
        roots = disk.roots()
        for summary in reversed(list(summaries)):
            self._pending.pop(summary.path, None)
            self._pending[summary.path] = summary, roots
        if self._pending:
            self._start()

    def tidy(self, *, again: bool = False) -> None:
        """Remove files that no longer exist: once per daemon, and `again` after removals."""
        self._untidy = self._untidy or again
        if self._untidy:
            self._start()

    async def idle(self) -> None:
        """Wait until no work is left."""
        while self._task is not None:
            await asyncio.wait([self._task])

    async def close(self) -> None:
        """Stop indexing, keeping what is already written, and close the store."""
        self._stopped = True
        await self.idle()
        if self.store is not None:
            await asyncio.to_thread(self.store.close)

    def _start(self) -> None:
        if self._task is None and self.store is not None and not self._stopped:
            self._task = asyncio.create_task(self._run(self.store))
            self._task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._task = None
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("Indexing failed", exc_info=error)

    async def _run(self, store: Store) -> None:
        while (self._pending or self._untidy) and not self._stopped:
            await asyncio.sleep(_PAUSE)
            try:
                if self._untidy:
                    self._untidy = False
                    await asyncio.to_thread(sweep, store)
                while self._pending and not self._stopped:
                    if await asyncio.to_thread(self._some, store):
                        # These files need time to become stable.
                        break
            except _Stopped:
                return
            except Unavailable:
                # The next search requests them again.
                self._pending.clear()

    def _some(self, store: Store) -> bool:
        """Index for one slice of time; whether a file changed too recently and is read again."""
        self._drop_known(store)
        until = time.monotonic() + _SLICE
        moving: dict[str, tuple[Summary, tuple[str, ...] | None]] = {}
        faults = Faults()
        while self._pending and time.monotonic() < until:
            try:
                path, (summary, roots) = self._pending.popitem()
            except KeyError:
                break
            with faults.isolate(path, Unavailable), disk.confined(roots):
                if not writer.fill(store, summary, self._alive):
                    moving[path] = summary, roots
        for path, wanted in moving.items():
            self._pending.setdefault(path, wanted)
        return bool(moving)

    def _drop_known(self, store: Store) -> None:
        with store.connection() as connection:
            known = reader.numbers(connection)
        # A copy: the event loop may add requests meanwhile.
        faults = Faults()
        for path, (summary, _) in list(self._pending.items()):
            with faults.isolate(path):
                if reader.identity(summary.state) in known:
                    self._pending.pop(path, None)

    def _alive(self) -> None:
        if self._stopped:
            raise _Stopped


def sweep(store: Store) -> None:
    """Remove files that are no longer at their path. Blocking; raises Unavailable."""
    with store.connection() as connection:
        rows: Any = connection.execute(
            "SELECT path, device, inode FROM summaries"
            " UNION SELECT path, device, inode FROM usage"
            " UNION SELECT path, device, inode FROM indexed"
        ).fetchall()
    gone = [(device, inode) for path, device, inode in rows if not _is_there(path, device, inode)]
    if not gone:
        return
    with store.connection(writing=True) as connection:
        for key in gone:
            connection.execute("DELETE FROM summaries WHERE device = ? AND inode = ?", key)
            connection.execute("DELETE FROM usage WHERE device = ? AND inode = ?", key)
            row = connection.execute(
                "SELECT file FROM indexed WHERE device = ? AND inode = ?", key
            ).fetchone()
            if row is not None:
                writer.forget(connection, row[0])


def _is_there(path: bytes, device: int, inode: int) -> bool:
    try:
        seen = os.stat(decode(path))
    except (OSError, ValueError):
        return False
    return (signed(seen.st_dev), signed(seen.st_ino)) == (device, inode)
