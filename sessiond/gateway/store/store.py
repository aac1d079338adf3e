"""The file of a store, `sessions.json`, shared with running gateways under their lock.

What was read is cached, and trusted only if `stat` is unchanged and was taken some time after the
file was last changed: within one tick of the system's clock two files can look alike.
"""

from __future__ import annotations

import asyncio
import errno
import math
import os
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from contextlib import asynccontextmanager

import attrs

from sessiond.agents.dialect import USUAL, Dialect
from sessiond.errors import Busy, SessionNotFound, WriteFailed
from sessiond.files import disk, journal, workers
from sessiond.files.identity import OpenedFile, stat_regular
from sessiond.files.locks.fairness import Others
from sessiond.files.locks.lock_file import HeldLock, lock_file
from sessiond.gateway.config.file import ConfigFile
from sessiond.gateway.store.database_entries import DatabaseEntries
from sessiond.gateway.store.entry import NonEntry, StoreEntry, store_text
from sessiond.gateway.store.replace import (
    Guard,
    check_is_store,
    check_writable,
    keep_damaged,
    make_directory,
    replace,
    rotate,
)
from sessiond.gateway.store.snapshot import (
    Items,
    StoreProblem,
    StoreSnapshot,
    entry_in,
    parse,
    to_save,
    written,
)

STALE_SECONDS = 30.0
"""A lock of a store older than this is stale."""

_INLINE_BYTES = 2 * 1024 * 1024
"""A store up to this size is compared on the event loop: a worker takes about as long to start."""

_Roots = tuple[str, ...] | None


@attrs.define(eq=False)
class Draft:
    """The content of a store that is being changed under its lock."""

    before: Items
    """The items as read."""
    problems: list[StoreProblem]
    size: int = 0
    """Size of the file in bytes: for a big one, work on all items runs in a worker."""
    items: dict[str, StoreEntry | NonEntry] = attrs.field(init=False)
    """The items to save; callers change this dict."""
    rewrite: bool = False
    """Whether to save even if nothing has changed."""
    rotate_above: float | None = None
    """If the file is larger than this (bytes), it is kept as a backup."""
    rotated: str | None = None
    """The path of that backup after the save."""
    saved: bool = False

    def __attrs_post_init__(self) -> None:
        self.items = dict(self.before)

    @property
    def is_changed(self) -> bool:
        """Whether anything differs from what was read."""
        return self.items != self.before

    def entry(self, key: str) -> StoreEntry | None:
        """The entry under a key; None if there is none or the value is not an entry."""
        return entry_in(self.items, key)


def _no_objection() -> None:
    """The check of a store that may always be written."""


class StoreFile:
    """One store. `tell` is called with its path after every save."""

    def __init__(self, path: str, lock_timeout: float, tell: Callable[[str], None]) -> None:
        self.path = path
        self._lock_timeout = lock_timeout
        self._tell = tell
        self._turn = asyncio.Lock()
        self._gave_up = -math.inf
        self._others = Others()
        self._snapshot = StoreSnapshot()
        self._seen_at = 0
        self._settled: Items = {}
        self._closing: Future[None] | None = None
        self.replacement = DatabaseEntries()
        """Reads the database that may have replaced the file."""

    async def read(self) -> StoreSnapshot:
        """The current content. A missing, empty or damaged file has no items.

        A damaged one is reported in `problems`. Raises ReadFailed.
        """
        seen = stat_regular(self.path)
        if seen is None:
            self._snapshot = StoreSnapshot()
        elif not self._is_known(seen):
            size, known = seen.st_size, self._snapshot
            # Comparing with the known text takes less time than starting a thread.
            quick = size == len(known.text) and size <= _INLINE_BYTES
            self._snapshot, self._seen_at = await workers.reading(
                0 if quick else size, _read, self.path, known
            )
        return self._snapshot

    def _is_known(self, seen: os.stat_result) -> bool:
        state = self._snapshot.state
        return state is not None and state.matches(seen) and state.would_show(self._seen_at)

    @asynccontextmanager
    async def changing(
        self, check: Callable[[], None] = _no_objection, dialect: Dialect = USUAL
    ) -> AsyncIterator[Draft]:
        """The store under its lock, read again; saved at the end if anything has changed.

        Nothing is saved if the body or `check` raises: `check` is called before anything is
        created, after the lock is held, and right before the rename. A save that has begun is
        finished even if the caller is cancelled. Raises Busy, ReadFailed, WriteFailed,
        GatewayRejected for a file that is not a store, and StoreChanged if a writer without the
        lock changed the store after it was read.
        """
        asked = time.monotonic()
        check()
        async with self._turn:
            await self._others.leave_room()
            make_directory(self.path)
            async with self._locked(asked) as lock:
                check()
                last = self._snapshot
                before = await self.read()
                if lock.waited or (last.text and before.text is not last.text):
                    self._others.notice()
                draft = Draft(before.items, list(before.problems), len(before.text))
                yield draft
                if draft.rewrite or draft.is_changed:
                    guard = Guard(self.path, before.state, lock, check)
                    await self._save(draft, before, guard, dialect)
        if draft.saved:
            self._tell(self.path)

    @asynccontextmanager
    async def _locked(self, asked: float) -> AsyncIterator[HeldLock]:
        patience = self._lock_timeout
        if self._gave_up > asked:
            # Another request timed out while this one was queued; that time counts here too.
            patience = max(0.0, patience - (time.monotonic() - asked))
        try:
            async with lock_file(self.path, patience, STALE_SECONDS) as lock:
                if not lock.exists:
                    raise WriteFailed(self.path, OSError(errno.ENOENT, "The directory vanished"))
                self._others.begin()
                try:
                    yield lock
                finally:
                    self._others.end()
        except Busy:
            self._gave_up = time.monotonic()
            raise

    async def _save(
        self, draft: Draft, before: StoreSnapshot, guard: Guard, dialect: Dialect
    ) -> None:
        items = draft.items
        new = [key for key, item in items.items() if self._settled.get(key) is not item]
        saved = await workers.undisturbed(
            _save,
            self.path,
            dict(items),
            new,
            before,
            rotate_above=draft.rotate_above,
            guard=guard,
            dialect=dialect,
        )
        self._close_later(saved.replaced)
        self._settled, self._snapshot = saved.settled, saved.snapshot
        items.update(saved.settled)
        draft.rotated, draft.saved = saved.rotated, True
        if saved.kept is not None:
            message = f"The damaged store was copied to {saved.kept}"
            draft.problems.append(StoreProblem("corruptStore", message, path=saved.kept))

    def _close_later(self, replaced: int | None) -> None:
        """Close the replaced file in a worker, at most one at a time."""
        if replaced is None:
            return
        if self._closing is None or self._closing.done():
            self._closing = workers.in_background(os.close, replaced)
        else:
            os.close(replaced)


class Stores:
    """The stores in use, one object for each store and confinement (`--root`)."""

    def __init__(self, lock_timeout: float) -> None:
        self.listeners: list[Callable[[str], None]] = []
        """Called with the path of a saved store."""
        self._lock_timeout = lock_timeout
        self._stores: dict[tuple[str, _Roots], StoreFile] = {}
        self._configs: dict[tuple[str, _Roots], ConfigFile] = {}

    def get(self, path: str) -> StoreFile:
        """The store at an absolute path; the same object for every spelling of its directory."""
        directory, name = os.path.split(path)
        key = os.path.join(disk.realname(directory), name), disk.roots()
        if key not in self._stores:
            self._stores[key] = StoreFile(path, self._lock_timeout, self._tell)
        return self._stores[key]

    def config(self, path: str) -> ConfigFile:
        """The configuration file at an absolute path."""
        key = path, disk.roots()
        if key not in self._configs:
            self._configs[key] = ConfigFile(path)
        return self._configs[key]

    def _tell(self, path: str) -> None:
        for listener in tuple(self.listeners):
            listener(path)


def _read(path: str, known: StoreSnapshot) -> tuple[StoreSnapshot, int]:
    """The content and the time of the `stat`, in nanoseconds since the epoch."""
    now = time.time_ns()
    try:
        with OpenedFile(path) as (descriptor, state):
            text = journal.read_from(descriptor, 0)
    except SessionNotFound:
        return StoreSnapshot(), 0
    return attrs.evolve(parse(path, text, known), state=state), now


@attrs.frozen
class _Saved:
    settled: dict[str, StoreEntry | NonEntry]
    snapshot: StoreSnapshot
    kept: str | None
    rotated: str | None
    replaced: int | None


def _save(
    path: str,
    items: dict[str, StoreEntry | NonEntry],
    unsettled: list[str],
    before: StoreSnapshot,
    *,
    rotate_above: float | None,
    guard: Guard,
    dialect: Dialect,
) -> _Saved:
    for key in unsettled:
        items[key] = to_save(path, key, items[key], dialect)
    text = store_text(items)
    check_writable(path)
    kept = None
    too_big = rotate_above is not None and len(before.text) > rotate_above
    if before.damaged is not None or too_big:
        # Make no backup of a file that cannot be replaced.
        guard()
    if before.damaged is not None:
        check_is_store(path)
        kept = keep_damaged(path, before.damaged)
    rotated = rotate(path) if too_big else None
    replaced = replace(path, text, guard)
    return _Saved(items, written(items, text, before), kept, rotated, replaced)
