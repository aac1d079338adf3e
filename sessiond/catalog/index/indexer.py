"""Fill the index in the background with sessions that a request needed and the index lacks."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
from collections.abc import Iterable
from typing import Any

from sessiond.agents.sessions import stat_session
from sessiond.catalog.index import blocks, helpers, reader, writer
from sessiond.catalog.index.database import Store, Unavailable
from sessiond.catalog.index.file_rows import signed
from sessiond.catalog.index.filling import Filling
from sessiond.catalog.index.helpers import Helper, NoHelper
from sessiond.catalog.kept.kept_lists import KeptLists
from sessiond.catalog.search.folding import decode
from sessiond.catalog.summaries import Summary
from sessiond.errors import SessiondError
from sessiond.files import disk, workers
from sessiond.isolation import Abandoned, Faults

logger = logging.getLogger(__name__)

_PAUSE = 0.05
"""Seconds before work begins, so that a file just written becomes stable."""

_SLICE = 0.25
"""Seconds of work in one call of a worker thread."""


_MUCH = 64 * 1024 * 1024
"""Bytes of files that are worth processes of their own."""

_BATCH = 4 * 1024 * 1024
"""Bytes of files after which a helper gets no more files at once."""

_Wanted = tuple[Summary, tuple[str, ...] | None]


class _Stopped(Abandoned):
    """The daemon stops."""


class Indexer:
    """Indexes requested sessions, the latest request first; does nothing without a store."""

    def __init__(self, store: Store | None) -> None:
        self.store = store
        self._pending: dict[str, _Wanted] = {}
        """The sessions to index, by path, each with the roots of the client that listed it."""
        self._task: asyncio.Task[None] | None = None
        self._stopped = False
        self._untidy = True
        self._taking = threading.Lock()

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
            await workers.undisturbed(self.store.close)

    def _start(self) -> None:
        if self._task is None and self.store is not None and not self._stopped:
            self._task = asyncio.create_task(self._run(self.store))
            self._task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._task = None
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("Indexing failed", exc_info=error)

    async def _run(self, store: Store) -> None:
        # The index is for all clients: none of them waits longer because it asked first.
        workers.take_turns()
        while (self._pending or self._untidy) and not self._stopped:
            await asyncio.sleep(_PAUSE)
            try:
                if self._untidy:
                    self._untidy = False
                    await workers.scanning(sweep, store)
                is_much = await workers.scanning(self._is_much, store)
                if is_much:
                    await self._with_helpers(store)
                while self._pending and not self._stopped:
                    if await workers.scanning(self._some, store):
                        # These files need time to become stable.
                        break
                while not self._stopped and await workers.scanning(
                    blocks.merge, store, self._alive
                ):
                    pass
            except _Stopped:
                return
            except Unavailable:
                # The next search requests them again.
                self._pending.clear()

    async def _with_helpers(self, store: Store) -> None:
        count = min(helpers.MOST, os.cpu_count() or 1)
        work = (workers.scanning(self._helped, store) for _ in range(count))
        for error in await asyncio.gather(*work, return_exceptions=True):
            if error is not None:
                raise error

    def _is_much(self, store: Store) -> bool:
        """Whether helpers are worth starting."""
        if self._size() < _MUCH:
            return False
        self._drop_known(store)
        return self._size() >= _MUCH

    def _size(self) -> int:
        # A copy: the event loop may add requests meanwhile.
        return sum(item.state.size for item, _ in list(self._pending.values()))

    def _helped(self, store: Store) -> None:
        """Index with a helper until nothing is left, or the helper fails."""
        moving: dict[str, _Wanted] = {}
        batch: dict[str, _Wanted] = {}
        try:
            with Helper(store.path) as helper:
                while batch := self._batch():
                    roots = next(iter(batch.values()))[1]
                    done = helper.index(list(batch), roots, self._alive)
                    if not done.is_available:
                        raise Unavailable("a helper cannot use it")
                    paths = list(batch)
                    moving |= {path: batch[path] for path in (paths[at] for at in done.moving)}
        except NoHelper as error:
            logger.info("Indexing without a helper: %s", error)
            moving |= batch
        for path, wanted in moving.items():
            self._pending.setdefault(path, wanted)

    def _batch(self) -> dict[str, _Wanted]:
        """Take some files from those that are wanted, all with the same roots."""
        batch: dict[str, _Wanted] = {}
        size = 0
        with self._taking:
            while self._pending and not self._stopped and size < _BATCH:
                path, wanted = self._pending.popitem()
                if batch and wanted[1] != next(iter(batch.values()))[1]:
                    self._pending[path] = wanted
                    break
                batch[path] = wanted
                size += wanted[0].state.size
        return batch

    def _some(self, store: Store) -> bool:
        """Index some files; whether one changed too recently and is read again."""
        self._drop_known(store)
        until = time.monotonic() + _SLICE
        moving: dict[str, _Wanted] = {}
        while time.monotonic() < until and (batch := self._batch()):
            filling = Filling(store, self._alive)
            with disk.confined(next(iter(batch.values()))[1]):
                filling.add(batch, Faults())
            moving |= {path: batch[path] for path in filling.moving}
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
    if gone:
        forget(store, gone)


def forget(store: Store, keys: Iterable[tuple[int, int]]) -> None:
    """Remove all that is kept of files, by device and inode. Blocking; raises Unavailable."""
    # One of them may have the text of a file that is gone.
    KeptLists.beside(store.path).clear()
    with store.connection(writing=True) as connection:
        for key in keys:
            connection.execute("DELETE FROM summaries WHERE device = ? AND inode = ?", key)
            connection.execute("DELETE FROM usage WHERE device = ? AND inode = ?", key)
            row = connection.execute(
                "SELECT file FROM indexed WHERE device = ? AND inode = ?", key
            ).fetchone()
            if row is not None:
                # A block has the words of all its segments.
                for number in writer.blocks_of(connection, row[0]):
                    blocks.dissolve(connection, number)
                writer.forget(connection, row[0])
        blocks.tidy(connection)


def _is_there(path: bytes, device: int, inode: int) -> bool:
    try:
        seen = stat_session(decode(path))
    except (SessiondError, ValueError):
        # It may be there, and cannot be examined now.
        return True
    if seen is None:
        return False
    return (signed(seen.st_dev), signed(seen.st_ino)) == (device, inode)
