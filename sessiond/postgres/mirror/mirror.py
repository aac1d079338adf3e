"""Keep the copies of a directory's session files in the store up to date."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections.abc import Callable, Collection

import attrs

from sessiond.catalog.scope import SessionScope
from sessiond.errors import (
    InvalidSessionFile,
    PathNotAllowed,
    ReadFailed,
    SessiondError,
    SessionNotFound,
)
from sessiond.files import disk, workers
from sessiond.files.watch.watching import Watching
from sessiond.limits import INLINE_READ_BYTES
from sessiond.postgres.mirror.copies import (
    LEASE_SECONDS,
    Addition,
    Copies,
    Copy,
    addition,
)
from sessiond.postgres.mirror.file_queue import FileQueue
from sessiond.postgres.mirror.origin import Origin
from sessiond.postgres.mirror.source import compared, next_part
from sessiond.postgres.names import StoreName

_RENEW_SECONDS = LEASE_SECONDS / 3
_SCAN_SECONDS = 30.0
"""All files are compared this often, in case a report was lost or nothing reports changes."""

_WORKERS = 4
_FIRST_PAUSE = 0.2
_LONGEST_PAUSE = 15.0
_BLOCKING = INLINE_READ_BYTES + 1

_log = logging.getLogger(__name__)


class LeaseLost(Exception):
    """Another process mirrors the directory."""


class Mirror:
    """Mirrors one directory. Each file is compared when it is reported, and after a failure.

    Only the names of files that wait are queued, so a server that is away costs no memory. Large
    files are copied in parts, and the others take turns with them.
    """

    def __init__(
        self,
        copies: Copies,
        origin: Origin,
        scope: SessionScope,
        ring: Callable[[StoreName], None],
        *,
        masks: bool = False,
    ) -> None:
        self._copies = copies
        self.origin = origin
        self._scope = scope
        self._ring = ring
        self._masks = masks
        self._known: dict[str, Copy] = {}
        self._queue = FileQueue()
        self._away = False
        """Whether the store did not answer the last time."""
        self._holder = f"process {os.getpid()} on {origin.host}"

    @property
    def count(self) -> int:
        """How many sessions are stored."""
        return sum(not copy.deleted for copy in self._known.values())

    def report(self, paths: Collection[str]) -> None:
        """Compare these files soon; a directory stands for all files of the scope."""
        top = self._scope.directory
        for path in paths:
            if self._scope.holds(path):
                self._queue.add(path)
            elif f"{top}/".startswith(f"{path}/") or (
                self._scope.below and os.path.dirname(path) == top
            ):
                # A directory, which may be new, renamed or gone.
                self._queue.add(top)

    async def once(self) -> None:
        """Copy everything as it is now. Raises LeaseLost and SessiondError."""
        holder = await self._copies.lease(self._holder)
        if holder is not None:
            raise LeaseLost(f"it is mirrored by {holder}")
        renewing = asyncio.create_task(self._renew())
        try:
            self._known = await self._copies.read_all()
            await self._scan(settled=True)
            while not self._queue.is_empty:
                path, _ = await self._queue.take()
                await self._copy(path, settled=True)
                self._queue.done(path)
        finally:
            renewing.cancel()
            await asyncio.wait([renewing])
            await self._end_lease()

    async def run(self, watcher: Watching) -> None:
        """Mirror until cancelled. While another process mirrors the directory, wait for its end."""
        watcher.watch(self._scope.directory, recursive=self._scope.below)
        pause = _FIRST_PAUSE
        try:
            while True:
                try:
                    await self._wait_for_lease()
                    pause = _FIRST_PAUSE
                    await self._run()
                except LeaseLost:
                    _log.warning("another process mirrors %s now", self.origin.name)
                except SessiondError as error:
                    _log.warning("sessions are not mirrored for now: %s", error)
                    await asyncio.sleep(pause)
                    pause = min(2 * pause, _LONGEST_PAUSE)
        finally:
            watcher.unwatch(self._scope.directory, recursive=self._scope.below)
            await self._end_lease()

    async def _wait_for_lease(self) -> None:
        told, self._away = False, True
        while (holder := await self._copies.lease(self._holder)) is not None:
            if not told:
                _log.warning("%s is mirrored by %s; waiting", self.origin.name, holder)
                told = True
            await asyncio.sleep(_RENEW_SECONDS)
        self._away = False

    async def _run(self) -> None:
        self._known = await self._copies.read_all()
        await self._scan(settled=False)
        tasks = [asyncio.create_task(work()) for work in (self._renew, self._scan_again)]
        tasks += [asyncio.create_task(self._work()) for _ in range(_WORKERS)]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            done.pop().result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)

    async def _renew(self) -> None:
        """Renew the lease for ever. Raises LeaseLost."""
        while True:
            await asyncio.sleep(_RENEW_SECONDS)
            try:
                if await self._copies.lease(self._holder) is not None:
                    raise LeaseLost("another process mirrors it now")
                self._away = False
            except SessiondError as error:
                self._away = True
                _log.info("the lease is not renewed: %s", error)

    async def _scan_again(self) -> None:
        while True:
            await asyncio.sleep(_SCAN_SECONDS)
            await self._scan(settled=False)

    async def _end_lease(self) -> None:
        # If the store is away, the lease ends by itself, and a daemon need not wait for it.
        if not self._away:
            with contextlib.suppress(SessiondError):
                await self._copies.end_lease()

    async def _work(self) -> None:
        pause = _FIRST_PAUSE
        while True:
            path, settled = await self._queue.take()
            try:
                await self._copy(path, settled=settled)
                pause, self._away = _FIRST_PAUSE, False
            except SessiondError as error:
                _log.warning("%s is not mirrored for now: %s", path, error)
                self._away = True
                self._queue.add_again(path)
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
            finally:
                self._queue.done(path)

    async def _scan(self, *, settled: bool) -> None:
        """Queue every file of the scope, and every copy whose file is not there any more."""
        states = {real: copy.reached.state for real, copy in self._known.items()}
        found, changed, complete = await workers.reading(_BLOCKING, compared, self._scope, states)
        for path in changed:
            self._queue.add(path, settled=settled)
        if complete:
            gone = {real for real, copy in self._known.items() if not copy.deleted}
            for real in gone - found:
                self._queue.add(real, settled=settled)

    async def _copy(self, path: str, *, settled: bool) -> None:
        """Compare a file and copy what is new, up to one part. Raises SessiondError, LeaseLost."""
        if path == self._scope.directory:
            await self._scan(settled=settled)
            return
        real = path
        try:
            real = disk.realpath(path)
            new, more = await self._compare(path, real, settled=settled)
        except SessionNotFound:
            await self._delete(real)
        except InvalidSessionFile:
            # Perhaps it is just being written.
            if settled:
                await self._delete(real)
            else:
                self._queue.add_later(path)
        except (ReadFailed, PathNotAllowed) as error:
            # The next report or comparison of all files tries again.
            _log.info("%s", error)
        else:
            if new is not None and await self._store(real, new, settled=settled) and more:
                self._queue.add_again(path, settled=settled)

    async def _compare(
        self, path: str, real: str, *, settled: bool
    ) -> tuple[Addition | None, bool]:
        """What is new in a file, if anything, and whether there is more after it.

        Raises SessionNotFound, ReadFailed and InvalidSessionFile.
        """
        known = self._known.get(real)
        # A copy that was deleted, or made with another setting, is not continued.
        usable = known is not None and not known.deleted and known.masked == self._masks
        reached = known.reached if known is not None and usable else None
        part = await workers.reading(_BLOCKING, next_part, real, reached, settled=settled)
        if part is None:
            return None, False
        if part.torn:
            self._queue.add_later(path)
            if not part.data:
                return None, False
        if not part.is_new:
            if known is not None:
                self._known[real] = attrs.evolve(known, reached=part.reached)
            return None, False
        size = len(part.data)
        new = await workers.computing(size, addition, real, part, known, masks=self._masks)
        return new, part.more

    async def _store(self, real: str, new: Addition, *, settled: bool) -> bool:
        """Store an addition; whether that was done. Raises SessiondError, LeaseLost."""
        name = self.origin.copy(real)
        outcome = await self._copies.add(real, new)
        if outcome == "written":
            self._known[real] = new.copy
            self._ring(name)
            return True
        if outcome == "lost":
            raise LeaseLost("another process mirrors it now")
        if outcome == "taken":
            _log.warning("%s is no copy of %s, or another process copies it", name, real)
            return False
        # It was stored by an attempt whose answer was lost, or removed from the store.
        self._known.pop(real, None)
        stored = await self._copies.read(real)
        if stored is not None:
            self._known[real] = stored
        self._queue.add_again(real, settled=settled)
        return False

    async def _delete(self, real: str) -> None:
        known = self._known.get(real)
        if known is None or known.deleted:
            return
        # A directory that is not there at all is rather a disk that is not mounted.
        if not disk.isdir(self._scope.directory):
            return
        if not await self._copies.mark_deleted(real):
            raise LeaseLost("another process mirrors it now")
        self._known[real] = attrs.evolve(known, deleted=True)
        self._ring(self.origin.copy(real))
