"""Keep the copies of a directory's session files in the store up to date."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Collection, Coroutine, Mapping

from sessiond.catalog.scope import SessionScope
from sessiond.errors import SessiondError
from sessiond.files.watching import Watching
from sessiond.postgres.faults import NewerSchema, NoSchema, StoreBusy, StoreReadOnly
from sessiond.postgres.mirror.copied_files import CopiedFiles, LeaseLost
from sessiond.postgres.mirror.copies import LEASE_SECONDS, Copies
from sessiond.postgres.mirror.file_queue import FileQueue
from sessiond.postgres.mirror.origin import Origin
from sessiond.postgres.names import StoreName

_RENEW_SECONDS = LEASE_SECONDS / 3
_SCAN_SECONDS = 30.0
"""All files are compared this often, in case a report was lost or nothing reports changes."""

_WORKERS = 4
_FIRST_PAUSE = 0.2
_LONGEST_PAUSE = 15.0

_OF_ALL_FILES = (LeaseLost, StoreBusy, StoreReadOnly, NewerSchema, NoSchema)
"""Failures that do not concern the file that was to be copied, but the store."""

_log = logging.getLogger(__name__)


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
        self._files = CopiedFiles(copies, origin, scope, ring, masks=masks)
        self._queue = FileQueue()
        self._failures: dict[str, str] = {}
        self._away = False
        """Whether the store did not answer the last time."""

    @property
    def count(self) -> int:
        """How many sessions are stored."""
        return len(self._files)

    @property
    def failures(self) -> Mapping[str, str]:
        """Why files could not be copied the last time, by path."""
        return self._failures

    def report(self, paths: Collection[str]) -> None:
        """Compare these files soon; a directory stands for all files of the scope."""
        top = self._scope.directory
        for path in paths:
            if self._scope.holds(path):
                self._queue.add(path)
            elif f"{top}/".startswith(f"{path}/") or (
                path.startswith(f"{top}/") and path.count("/", len(top) + 1) < self._scope.below
            ):
                # A directory, which may be new, renamed or gone.
                self._queue.add(top)

    async def once(self) -> None:
        """Copy everything as it is now; see `failures` for files of which that was impossible.

        Raises LeaseLost, and SessiondError if the store cannot be used.
        """
        holder = await self._copies.lease(self.origin.holder)
        if holder is not None:
            raise LeaseLost(f"it is mirrored by {holder}")
        renewing = asyncio.create_task(self._renew())
        try:
            await self._files.load()
            await self._scan(settled=True)
            await _all_of(*(self._drain() for _ in range(_WORKERS)))
        finally:
            renewing.cancel()
            await asyncio.gather(renewing, return_exceptions=True)
            await self._end_lease()

    async def run(self, watcher: Watching) -> None:
        """Mirror until cancelled. While another process mirrors the directory, wait for its end."""
        watcher.watch(self._scope.directory, recursive=bool(self._scope.below))
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
                    self._away = True
                    _log.warning("%s is not mirrored for now: %s", self.origin.name, error)
                    await asyncio.sleep(pause)
                    pause = min(2 * pause, _LONGEST_PAUSE)
        finally:
            watcher.unwatch(self._scope.directory, recursive=bool(self._scope.below))
            await self._end_lease()

    async def _wait_for_lease(self) -> None:
        """Get a new lease: with the old one, no write that was given up can take place any more."""
        told, self._away = False, True
        await self._copies.end_lease()
        while (holder := await self._copies.lease(self.origin.holder)) is not None:
            if not told:
                _log.warning("%s is mirrored by %s; waiting", self.origin.name, holder)
                told = True
            await asyncio.sleep(_RENEW_SECONDS)
        self._away = False

    async def _run(self) -> None:
        await self._files.load()
        await self._scan(settled=False)
        working = (self._work() for _ in range(_WORKERS))
        await _all_of(self._renew(), self._scan_again(), *working)

    async def _renew(self) -> None:
        """Renew the lease for ever. Raises LeaseLost."""
        while True:
            await asyncio.sleep(_RENEW_SECONDS)
            try:
                if await self._copies.lease(self.origin.holder) is not None:
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

    async def _drain(self) -> None:
        """Copy files until none waits. Raises LeaseLost and SessiondError."""
        while (taken := self._queue.take_now()) is not None:
            await self._compare(taken[0], settled=True)
            self._queue.done(taken[0])

    async def _work(self) -> None:
        """Copy files for ever. Raises LeaseLost, and SessiondError if the store cannot be used."""
        while True:
            path, settled = await self._queue.take()
            try:
                await self._compare(path, settled=settled)
            finally:
                self._queue.done(path)

    async def _compare(self, path: str, *, settled: bool) -> None:
        """Compare a file, or all of them, and queue it again if there is more to do.

        A failure that concerns this file alone is logged; the next comparison of all files tries it
        again. Raises those that concern all files.
        """
        if path == self._scope.directory:
            await self._scan(settled=settled)
            return
        try:
            next_look = await self._files.copy(path, settled=settled)
        except _OF_ALL_FILES:
            raise
        except Exception as error:  # noqa: BLE001 - the others must be copied all the same
            self._fail(path, error)
            return
        self._failures.pop(path, None)
        if next_look == "now":
            self._queue.add_again(path, settled=settled)
        elif next_look == "settled":
            self._queue.add_later(path)

    def _fail(self, path: str, error: Exception) -> None:
        reason = (
            f"{error}" if isinstance(error, SessiondError) else f"{type(error).__name__}: {error}"
        )
        if self._failures.get(path) != reason:
            expected = isinstance(error, SessiondError)
            _log.error("%s is not mirrored: %s", path, reason, exc_info=None if expected else error)
        self._failures[path] = reason

    async def _scan(self, *, settled: bool) -> None:
        """Queue every file that may differ from its copy."""
        for path in await self._files.changed():
            self._queue.add(path, settled=settled)


async def _all_of(*work: Coroutine[None, None, None]) -> None:
    """Run these together until all are done or one fails, whose exception is raised."""
    tasks = [asyncio.create_task(one) for one in work]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
