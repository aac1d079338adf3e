"""Fill the index in the background with sessions that a request needed and the index lacks."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
import threading
import time
from collections.abc import Collection, Iterable
from typing import Any

from sessiond.agents.sessions import stat_session
from sessiond.catalog.index import texts
from sessiond.catalog.index.database import SearchCache, Unavailable
from sessiond.catalog.index.rows import signed
from sessiond.catalog.search.folding import decode
from sessiond.catalog.summaries import Summary
from sessiond.files import disk, workers
from sessiond.files.identity import Key
from sessiond.files.workers import Pool
from sessiond.runtime.errors import SessiondError
from sessiond.runtime.isolation import Abandoned, Faults

logger = logging.getLogger(__name__)

_PAUSE = 0.05
"""Seconds before work begins, so that a file just written becomes stable."""

_BATCH = 16 * 1024 * 1024
"""Bytes of files that are indexed in one call of the thread, before later requests have a turn."""

_NICENESS = 10
"""The niceness of the thread that indexes, where threads have one."""

_TIDY_SECONDS = 20.0
"""Files that disappeared from a list that nobody asks for any more are removed this much later, at
the next request; it takes a `stat` of each file."""

_Wanted = tuple[Summary, tuple[str, ...] | None]


class _Stopped(Abandoned):
    """The daemon stops."""


class Indexer:
    """Indexes requested sessions, the latest request first; does nothing without a cache."""

    def __init__(self, cache: SearchCache | None) -> None:
        self.cache = cache
        self._pending: dict[str, _Wanted] = {}
        """The sessions to index, by path, each with the roots of the client that listed it."""
        self._task: asyncio.Task[None] | None = None
        self._stopped = False
        self._untidy = True
        self._tidy_until = 0.0
        self._thread = Pool(1, "indexing")

    def want(self, summaries: Iterable[Summary]) -> None:
        """Index these sessions soon, the first of them first."""
        roots = disk.roots()
        for summary in reversed(list(summaries)):
            self._pending.pop(summary.path, None)
            self._pending[summary.path] = summary, roots
        if self._pending:
            self._start()

    def tidy(self, *, again: bool = False) -> None:
        """Remove files that no longer exist: now and then, and `again` after removals."""
        self._untidy = self._untidy or again or time.monotonic() > self._tidy_until
        if self._untidy:
            self._start()

    async def idle(self, within: float | None = None) -> None:
        """Wait until no work is left, or for so many seconds."""
        until = None if within is None else time.monotonic() + within
        while self._task is not None:
            left = None if until is None else until - time.monotonic()
            if left is not None and left <= 0:
                return
            await asyncio.wait([self._task], timeout=left)

    async def close(self) -> None:
        """Stop indexing, keeping what is already written, and close the cache."""
        self._stopped = True
        await self.idle()
        self._thread.close()
        if self.cache is not None:
            await workers.undisturbed(self.cache.close)

    def _start(self) -> None:
        if self._task is None and self.cache is not None and not self._stopped:
            self._task = asyncio.create_task(self._run(self.cache))
            self._task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._task = None
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("Indexing failed", exc_info=error)

    async def _run(self, cache: SearchCache) -> None:
        # The index is for all clients: none of them waits longer because it asked first.
        workers.take_turns()
        await self._thread.run(_be_nice)
        while (self._pending or self._untidy) and not self._stopped:
            await asyncio.sleep(_PAUSE)
            try:
                if self._untidy:
                    self._untidy = False
                    self._tidy_until = time.monotonic() + _TIDY_SECONDS
                    await self._thread.run(sweep, cache)
                for path in await self._thread.run(_indexed, cache, dict(self._pending)):
                    self._pending.pop(path, None)
                recent: dict[str, _Wanted] = {}
                while self._pending and not self._stopped:
                    batch = self._batch()
                    paths = await self._thread.run(self._fill, cache, batch)
                    recent |= {path: batch[path] for path in paths}
                self._pending = recent | self._pending
            except _Stopped:
                return
            except Unavailable:
                # The next search requests them again.
                self._pending.clear()

    def _batch(self) -> dict[str, _Wanted]:
        """Take some files from those that are wanted, all with the same roots."""
        batch: dict[str, _Wanted] = {}
        size = 0
        while self._pending and size < _BATCH:
            path, request = self._pending.popitem()
            if batch and request[1] != next(iter(batch.values()))[1]:
                self._pending[path] = request
                break
            batch[path] = request
            size += request[0].state.size
        return batch

    def _fill(self, cache: SearchCache, batch: dict[str, _Wanted]) -> list[str]:
        """Index some files; returns those that changed too recently and are read again."""
        with disk.confined(next(iter(batch.values()))[1]):
            return texts.fill(cache, batch, self._alive, Faults())

    def _alive(self) -> None:
        if self._stopped:
            raise _Stopped


def _be_nice() -> None:
    """Let other threads of the machine go first."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)


def _indexed(cache: SearchCache, pending: dict[str, _Wanted]) -> list[str]:
    """The files whose current text is in the index."""
    with cache.connection() as connection:
        numbers = texts.numbers(connection)
    return [path for path, (item, _) in pending.items() if texts.identity(item.state) in numbers]


def sweep(cache: SearchCache) -> None:
    """Remove files that are no longer at their path. Blocking; raises Unavailable."""
    with cache.connection() as connection:
        rows: Any = connection.execute(
            "SELECT path, device, inode FROM summaries"
            " UNION SELECT path, device, inode FROM usage"
            " UNION SELECT path, device, inode FROM indexed"
        ).fetchall()
    gone = [(device, inode) for path, device, inode in rows if not _is_there(path, device, inode)]
    if gone:
        forget(cache, gone)


def forget(cache: SearchCache, keys: Collection[tuple[int, int]]) -> None:
    """Remove all that is kept of files, by device and inode. Blocking; raises Unavailable."""
    with cache.connection(writing=True) as connection:
        for key in keys:
            connection.execute("DELETE FROM summaries WHERE device = ? AND inode = ?", key)
            connection.execute("DELETE FROM usage WHERE device = ? AND inode = ?", key)
        numbers: dict[tuple[int, int], int] = {
            (device, inode): file
            for device, inode, file in connection.execute("SELECT device, inode, file FROM indexed")
        }
        texts.forget(connection, [numbers[key] for key in keys if key in numbers])


def forget_if_possible(cache: SearchCache, keys: Iterable[Key]) -> None:
    """Remove all that is kept of files; if that fails, it stays for now. Blocking."""
    try:
        forget(cache, {(signed(device), signed(inode)) for device, inode in keys})
    except Unavailable as error:
        logger.warning("What is kept of a removed text stays for now: %s", error)


def _is_there(path: bytes, device: int, inode: int) -> bool:
    try:
        status = stat_session(decode(path))
    except (SessiondError, ValueError):
        # It may be there, and cannot be examined now.
        return True
    if status is None:
        return False
    return (signed(status.st_dev), signed(status.st_ino)) == (device, inode)
