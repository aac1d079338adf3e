"""Fills the index beside everything else, whenever somebody has looked at sessions it lacks."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Iterable
from typing import Any

from sessiond.catalog.index import reader, writer
from sessiond.catalog.index.database import Store, Unavailable
from sessiond.catalog.index.summary_cache import signed
from sessiond.catalog.search.folding import decode
from sessiond.catalog.summaries import Summary
from sessiond.files import disk
from sessiond.isolation import Abandoned, Faults

logger = logging.getLogger(__name__)

_PAUSE = 0.05
"""Seconds before work begins: a file just written to gets time to settle."""

_SLICE = 0.25
"""Seconds of work in one go."""


class _Stopped(Abandoned):
    """The daemon ends."""


class Indexer:
    """Indexes the sessions it is told of, the latest told first; nothing without a store."""

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
        """Forget files that are gone: once in the life of a daemon, and `again` after removals."""
        self._untidy = self._untidy or again
        if self._untidy:
            self._start()

    async def idle(self) -> None:
        """Wait until there is nothing to do."""
        while self._task is not None:
            await asyncio.wait([self._task])

    async def close(self) -> None:
        """Stop in the middle, which loses nothing that is written, and close the store."""
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
                        # The rest of it needs time to settle.
                        break
            except _Stopped:
                return
            except Unavailable:
                # Whoever searches next will ask for them again.
                self._pending.clear()

    def _some(self, store: Store) -> bool:
        """Index for a while; returns whether a file changed too fast and has to be read again."""
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
        # A copy: more may be wanted meanwhile.
        faults = Faults()
        for path, (summary, _) in list(self._pending.items()):
            with faults.isolate(path):
                if reader.identity(summary.state) in known:
                    self._pending.pop(path, None)

    def _alive(self) -> None:
        if self._stopped:
            raise _Stopped


def sweep(store: Store) -> None:
    """Forget files that are no longer where they were seen. Blocking; raises Unavailable."""
    with store.connection() as connection:
        rows: Any = connection.execute(
            "SELECT path, device, inode FROM summaries"
            " UNION SELECT path, device, inode FROM indexed"
        ).fetchall()
    gone = [(device, inode) for path, device, inode in rows if not _is_there(path, device, inode)]
    if not gone:
        return
    with store.connection(writing=True) as connection:
        for key in gone:
            connection.execute("DELETE FROM summaries WHERE device = ? AND inode = ?", key)
            found = connection.execute(
                "SELECT file FROM indexed WHERE device = ? AND inode = ?", key
            ).fetchone()
            if found is not None:
                writer.forget(connection, found[0])


def _is_there(path: bytes, device: int, inode: int) -> bool:
    try:
        seen = os.stat(decode(path))
    except (OSError, ValueError):
        return False
    return (signed(seen.st_dev), signed(seen.st_ino)) == (device, inode)
