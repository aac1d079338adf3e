"""Keep the copies of a directory's session files in the store up to date."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Collection, Mapping
from functools import partial

from sessiond.catalog.scope import SessionScope
from sessiond.catalog.search.folding import storable
from sessiond.files import disk
from sessiond.files.watching import Watching
from sessiond.postgres.faults import NewerSchema, NoSchema, StoreBusy, StoreReadOnly
from sessiond.postgres.mirror.copied_files import CopiedFiles, LeaseLost
from sessiond.postgres.mirror.copies import LEASE_SECONDS, Copies, Progress
from sessiond.postgres.mirror.machine import machine
from sessiond.postgres.mirror.origin import Origin, checked, clean_namespace
from sessiond.postgres.names import StoreName
from sessiond.postgres.store import DatabaseStore
from sessiond.runtime.errors import SessiondError

_RENEW_SECONDS = LEASE_SECONDS / 3
_SCAN_SECONDS = 30.0
"""All files are compared this often, in case a report was lost or nothing reports changes."""

_SETTLE_SECONDS = 0.5
"""A last line without newline is copied when its file did not change for this long."""

_FIRST_PAUSE = 0.2
_LONGEST_PAUSE = 15.0

_MOST_SHOWN = 500
"""Characters of an error that others see."""

_OF_ALL_FILES = (LeaseLost, StoreBusy, StoreReadOnly, NewerSchema, NoSchema)
"""Failures that do not concern the file that was to be copied, but the store."""

_log = logging.getLogger(__name__)


class Mirror:
    """Mirrors one directory. Each file is compared when it is reported, one after another.

    Only the names of files wait, so a server that is away costs no memory. Large files are copied
    in parts, and the others take turns with them.
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
        self._waiting: dict[str, bool] = {}
        """Files to compare, and whether a last line without newline counts as settled."""
        self._settling: dict[str, asyncio.TimerHandle] = {}
        self._reported = asyncio.Event()
        self._behind_since: float | None = None
        """Since when something waits, by the clock of the event loop."""
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
                self._add(path)
            elif f"{top}/".startswith(f"{path}/") or (
                path.startswith(f"{top}/") and path.count("/", len(top) + 1) < self._scope.below
            ):
                # A directory, which may be new, renamed or gone.
                self._add(top)

    def _add(self, path: str, *, settled: bool = False) -> None:
        if self._behind_since is None:
            self._behind_since = asyncio.get_running_loop().time()
        self._waiting[path] = settled
        self._reported.set()

    @property
    def _progress(self) -> Progress:
        since, failing = self._behind_since, len(self._failures)
        if since is None:
            return Progress(0, None, failing, self._error)
        # One of them is being copied.
        behind = asyncio.get_running_loop().time() - since
        return Progress(len(self._waiting) + 1, behind, failing, self._error)

    @property
    def _error(self) -> str | None:
        if not self._failures:
            return None
        path, reason = next(reversed(self._failures.items()))
        return storable(f"{path}: {reason}"[:_MOST_SHOWN])

    async def once(self) -> None:
        """Copy everything as it is now; see `failures` for files of which that was impossible.

        Raises LeaseLost, and SessiondError if the store cannot be used.
        """
        holder = await self._lease()
        if holder is not None:
            raise LeaseLost(f"it is mirrored by {holder}")
        renewing = asyncio.create_task(self._renew())
        try:
            await self._files.load()
            await self._scan(settled=True)
            await self._drain()
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
                    await self._files.load()
                    async with asyncio.TaskGroup() as group:
                        for work in (self._renew(), self._scan_regularly(), self._copy()):
                            group.create_task(work)
                except* LeaseLost:
                    _log.warning("another process mirrors %s now", self.origin.name)
                except* SessiondError as errors:
                    self._away = True
                    why = errors.exceptions[0]
                    _log.warning("%s is not mirrored for now: %s", self.origin.name, why)
                    await asyncio.sleep(pause)
                    pause = min(2 * pause, _LONGEST_PAUSE)
        finally:
            watcher.unwatch(self._scope.directory, recursive=bool(self._scope.below))
            await self._end_lease()

    async def _wait_for_lease(self) -> None:
        """Get a new lease: with the old one, no write that was given up can take place any more."""
        warnings, self._away = False, True
        await self._copies.end_lease()
        while (holder := await self._lease()) is not None:
            if not warnings:
                _log.warning("%s is mirrored by %s; waiting", self.origin.name, holder)
                warnings = True
            await asyncio.sleep(_RENEW_SECONDS)
        self._away = False

    async def _lease(self) -> str | None:
        return await self._copies.lease(self.origin.holder, self._progress)

    async def _renew(self) -> None:
        """Renew the lease for ever. Raises LeaseLost."""
        while True:
            await asyncio.sleep(_RENEW_SECONDS)
            try:
                if await self._lease() is not None:
                    raise LeaseLost("another process mirrors it now")
                self._away = False
            except SessiondError as error:
                self._away = True
                _log.info("the lease is not renewed: %s", error)

    async def _scan_regularly(self) -> None:
        while True:
            await self._scan(settled=False)
            await asyncio.sleep(_SCAN_SECONDS)

    async def _end_lease(self) -> None:
        # If the store is away, the lease ends by itself, and a daemon need not wait for it.
        if not self._away:
            with contextlib.suppress(SessiondError):
                await self._copies.end_lease()

    async def _copy(self) -> None:
        """Copy files for ever. Raises LeaseLost, and SessiondError if the store cannot be used."""
        while True:
            await self._drain()
            self._reported.clear()
            await self._reported.wait()

    async def _drain(self) -> None:
        """Copy files until none waits. Raises as `_copy` does."""
        while self._waiting:
            path = next(iter(self._waiting))
            settled = self._waiting.pop(path)
            if path in self._settling:
                self._settling.pop(path).cancel()
            await self._compare(path, settled=settled)
        self._behind_since = None

    async def _compare(self, path: str, *, settled: bool) -> None:
        """Compare a file, or all of them, and let it wait again if there is more to do.

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
            # Behind the others.
            self._waiting.setdefault(path, settled)
        elif next_look == "settled":
            loop = asyncio.get_running_loop()
            add = partial(self._add, path, settled=True)
            self._settling[path] = loop.call_later(_SETTLE_SECONDS, add)

    def _fail(self, path: str, error: Exception) -> None:
        reason = (
            f"{error}" if isinstance(error, SessiondError) else f"{type(error).__name__}: {error}"
        )
        if self._failures.get(path) != reason:
            expected = isinstance(error, SessiondError)
            _log.error("%s is not mirrored: %s", path, reason, exc_info=None if expected else error)
        self._failures[path] = reason

    async def _scan(self, *, settled: bool) -> None:
        """Compare every file soon that may differ from its copy."""
        for path in await self._files.changed():
            self._add(path, settled=settled)


def mirror_of(
    store: DatabaseStore,
    directory: str,
    host: str,
    namespace: str | None,
    *,
    below: int,
    masks: bool,
) -> Mirror:
    """A mirror of a session directory; `namespace`: by default that of the host.

    Raises InvalidParams for a text that is no namespace.
    """
    chosen = clean_namespace(host) if namespace is None else checked(namespace)
    origin = Origin(chosen, host, disk.realname(directory))
    scope = SessionScope(origin.directory, below=below)
    copies = Copies(store.database, origin, machine())
    return Mirror(copies, origin, scope, store.bell.ring, masks=masks)
