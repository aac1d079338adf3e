"""x"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from typing import TypeVar

import attrs

from sessiond.errors import InUse, PathNotAllowed, ReadFailed, StoreChanged, WriteFailed
from sessiond.files import workers
from sessiond.files.identity import FileState, stat_regular
from sessiond.files.locks.lock_file import holder
from sessiond.gateway.clock import now_ms
from sessiond.gateway.config.layout import Layout
from sessiond.gateway.keys import session_key
from sessiond.gateway.store import maintenance
from sessiond.gateway.store.agent_store import AgentStore
from sessiond.gateway.store.entry import StoreEntry
from sessiond.gateway.store.faults import EntryFaults
from sessiond.gateway.store.maintenance import Isolate, Locate, MaintenancePlan, MaintenanceSettings
from sessiond.gateway.store.snapshot import Items, StoreProblem
from sessiond.gateway.store.store import Draft
from sessiond.gateway.transcripts.archive import Cleared, Reason, archive, clear
from sessiond.gateway.transcripts.paths import OUTSIDE, candidates
from sessiond.methods.app import App
from sessiond.methods.gateway.request import store_to_change

T = TypeVar("T")
_ATTEMPTS = 10
"""How often a change is tried beside writers that take no lock."""


@attrs.define(eq=False)
class StoreTransaction:
    """A store under its lock, for one request."""

    store: AgentStore
    draft: Draft


@asynccontextmanager
async def changing(
    app: App, layout: Layout, agent_id: str, active_key: str | None = None
) -> AsyncIterator[StoreTransaction]:
    """The store of an agent to be changed; saved at the end unless the body raises.

    `active_key` is the session the request is for. Maintenance goes with every save, as in
    CoderClaw; what it has to say is in `draft.problems` at the end. Raises ReadOnly,
    PathNotAllowed, Busy, ReadFailed, WriteFailed, Unsupported, and InvalidParams where there is no
    store.
    """
    store = store_to_change(app, layout, agent_id)
    settings = MaintenanceSettings.of(layout.config)
    upkeep: Upkeep | None = None
    async with store.changing() as draft:
        yield StoreTransaction(store, draft)
        if draft.is_changed:
            now = now_ms()
            if settings.mode == "enforce":
                locate = locating(layout, agent_id, store.path)
                upkeep = await workers.reading(
                    draft.size,
                    Upkeep.of,
                    draft.items,
                    settings,
                    now,
                    locate,
                    isolate=EntryFaults(draft.problems).of_store(store.path),
                    active_key=active_key,
                )
                upkeep.take_out(draft)
            elif active_key is not None:
                warned = await workers.reading(
                    draft.size, maintenance.warning, draft.items, settings, now, active_key
                )
                if warned is not None:
                    draft.problems.append(StoreProblem("maintenance", warned, active_key))
    if upkeep is not None:
        await upkeep.put_away(app, draft.problems)


async def repeating(work: Callable[[], Awaitable[T]]) -> T:
    """Do something to a store, and again from the start where a foreign writer came in between.

    Nothing was saved in that case, so all rules are applied to the store as it is then. Raises
    Busy if that happens each time.
    """
    for _ in range(_ATTEMPTS - 1):
        with suppress(StoreChanged):
            return await work()
    return await work()


@attrs.frozen
class Upkeep:
    """What maintenance does to a store: decided under its lock, finished once it is saved."""

    settings: MaintenanceSettings
    now: int
    plan: MaintenancePlan
    transcripts: dict[str, str]
    """Where those that are to be archived may lie, and whose they are, by key."""

    @classmethod
    def of(
        cls,
        items: Items,
        settings: MaintenanceSettings,
        now: int,
        locate: Locate,
        *,
        isolate: Isolate,
        active_key: str | None = None,
        reap: bool = False,
    ) -> Upkeep:
        gone = maintenance.plan(items, settings, now, active_key, reap=reap, isolate=isolate)
        archived = maintenance.transcripts_to_archive(items, gone, locate, isolate)
        return cls(settings, now, gone, archived)

    def take_out(self, draft: Draft) -> None:
        for key in self.plan.removed:
            del draft.items[key]
        draft.rotate_above = self.settings.rotate_bytes

    async def put_away(
        self, app: App, problems: list[StoreProblem], *, dry_run: bool = False
    ) -> Cleared:
        """See to the transcripts; adds what went wrong to the problems. A `dry_run` only looks.

        Nothing outside is touched, and nothing that somebody writes to.
        """
        idle = [path for path in self.transcripts if self._is_idle(app, path, problems)]
        if not idle:
            return Cleared()
        done = await workers.undisturbed(
            clear, idle, self.settings.prune_after, self.now, dry_run=dry_run
        )
        for error in done.failed:
            path = error.data["path"]
            problems.append(
                StoreProblem("archiveFailed", error.message, self.transcripts.get(path), path)
            )
        if not dry_run:
            app.live.look_at(idle)
        return done

    def _is_idle(self, app: App, path: str, problems: list[StoreProblem]) -> bool:
        if not app.places.roots.allow(path):
            return False
        key = self.transcripts[path]
        try:
            check_idle(app, [path], key)
        except InUse as error:
            problems.append(StoreProblem("archiveFailed", error.message, key, path))
            return False
        return True


def transcripts_of(
    app: App, layout: Layout, agent_id: str, store_path: str, entry: StoreEntry
) -> list[str]:
    """Where the transcript of an entry's session may lie, the likeliest first.

    What its members say that is not valid is left out. Raises PathNotAllowed if one lies outside,
    whether there is such a file or not.
    """
    roots, allowed = app.places.roots, []
    for path in _candidates(layout, agent_id, store_path, entry):
        roots.check(path)
        allowed.append(path)
    return allowed


def locating(layout: Layout, agent_id: str, store_path: str) -> Locate:
    """Says where the transcripts of a store's sessions may lie."""

    def locate(key: str, entry: StoreEntry) -> list[str]:
        owner = session_key.agent_of(key, layout.rules) if layout.shared else agent_id
        return _candidates(layout, owner, store_path, entry)

    return locate


def _candidates(layout: Layout, agent_id: str, store_path: str, entry: StoreEntry) -> list[str]:
    found = candidates(
        entry.string("sessionId") or "",
        entry.string("sessionFile"),
        layout.directories(agent_id, store_path),
    )
    # An entry may claim that a store is its transcript.
    return [path for path in found if path != store_path]


def check_idle(app: App, paths: Iterable[str], key: str) -> None:
    """Raise InUse if somebody may be writing to one of the files.

    That is a handle for writing, here or in another sessiond, or a gateway that holds the lock of
    the transcript for as long as a turn takes. Handles for reading do not mind.
    """
    for path in paths:
        try:
            seen = stat_regular(path)
        except (ReadFailed, PathNotAllowed):
            continue
        if seen is None or not app.places.roots.allow(path):
            continue
        pids = app.engine.in_use.writers(FileState.of(seen).key)
        owner = holder(path)
        if owner is not None and owner not in pids:
            pids.append(owner)
        if pids:
            message = f"Session {key} is still active; try again in a moment."
            raise InUse(path, pids, message)


def put_away(
    app: App,
    paths: Iterable[str],
    reason: Reason,
    *,
    now: int,
    key: str,
    problems: list[StoreProblem],
) -> list[str]:
    """Archive those that are files; returns the new names.

    The store is saved by then: what cannot be put away is told in `problems` and no more. Nothing
    outside is touched.
    """
    archived: list[str] = []
    for path in paths:
        if not app.places.roots.allow(path):
            problems.append(StoreProblem("archiveFailed", f"{path}: {OUTSIDE}", key, path))
            continue
        try:
            archived += archive([path], reason, now)
        except WriteFailed as error:
            problems.append(StoreProblem("archiveFailed", error.message, key, path))
        else:
            app.live.look_at((path,))
    return archived
