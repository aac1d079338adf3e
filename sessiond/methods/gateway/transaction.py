"""Change a store for a request: maintenance, archives and repetition after foreign writes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from typing import TypeVar

import attrs

from sessiond.agents.sessions import database_at
from sessiond.clock import now_ms
from sessiond.errors import InUse, PathNotAllowed, ReadFailed, StoreChanged, WriteFailed
from sessiond.files import workers
from sessiond.files.identity import FileState, stat_regular
from sessiond.files.locks.lock_file import holder
from sessiond.gateway.config.layout import Layout
from sessiond.gateway.keys import session_key
from sessiond.gateway.store import maintenance
from sessiond.gateway.store.agent_store import AgentStore
from sessiond.gateway.store.database import database_of
from sessiond.gateway.store.entry import StoreEntry
from sessiond.gateway.store.faults import EntryFaults
from sessiond.gateway.store.maintenance import Isolate, Locate, MaintenancePlan, MaintenanceSettings
from sessiond.gateway.store.snapshot import Items, StoreProblem
from sessiond.gateway.store.store import Draft
from sessiond.gateway.transcripts.archive import Cleared, Reason, archive, clear
from sessiond.gateway.transcripts.paths import OUTSIDE, candidates
from sessiond.limits import INLINE_ENTRIES
from sessiond.methods.client import Client
from sessiond.methods.gateway.request import StoreRequest

T = TypeVar("T")
_ATTEMPTS = 10
"""Maximum attempts at a change if writers without locks interfere."""


@attrs.define(eq=False)
class StoreTransaction:
    """A store under its lock, for one request."""

    store: AgentStore
    draft: Draft


@asynccontextmanager
async def changing(
    request: StoreRequest, active_key: str | None = None
) -> AsyncIterator[StoreTransaction]:
    """The store of a request under its lock; saved at the end unless the body raises.

    `active_key` is the session of the request. As in CoderClaw, maintenance runs with every save;
    its messages are in `draft.problems` at the end. Raises ReadOnly, PathNotAllowed, Busy,
    ReadFailed, WriteFailed, Unsupported, and InvalidParams if there is no store.
    """
    store = request.store_to_change()
    settings = MaintenanceSettings.of(request.layout.config)
    upkeep: Upkeep | None = None
    async with store.changing() as draft:
        yield StoreTransaction(store, draft)
        if draft.is_changed:
            now = now_ms()
            if settings.mode == "enforce":
                locate = locating(request, store.path)
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
        await upkeep.put_away(request.client, draft.problems)


async def repeating(work: Callable[[], Awaitable[T]]) -> T:
    """Run `work`, and again from the start if a foreign writer changed the store meanwhile.

    Nothing was saved in that case, so all rules apply to the new content. Raises StoreChanged,
    which is Busy on the wire, after the last attempt.
    """
    for _ in range(_ATTEMPTS - 1):
        with suppress(StoreChanged):
            return await work()
    return await work()


@attrs.frozen
class Upkeep:
    """Maintenance of a store: decided under its lock, completed after the save."""

    settings: MaintenanceSettings
    now: int
    plan: MaintenancePlan
    transcripts: dict[str, str]
    """The paths of transcripts to archive, with the keys of their sessions."""

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
        self, client: Client, problems: list[StoreProblem], *, dry_run: bool = False
    ) -> Cleared:
        """Archive the transcripts and add failures to `problems`; a `dry_run` changes nothing.

        Files outside the roots, and files in use, are not touched.
        """
        idle: list[str] = []
        async for paths in _slices(list(self.transcripts)):
            idle += [path for path in paths if self._is_idle(client, path, problems)]
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
            async for paths in _slices(idle):
                client.live.look_at(paths)
        return done

    def _is_idle(self, client: Client, path: str, problems: list[StoreProblem]) -> bool:
        if not client.places.roots.allow(path):
            return False
        key = self.transcripts[path]
        try:
            check_idle(client, [path], key)
        except InUse as error:
            problems.append(StoreProblem("archiveFailed", error.message, key, path))
            return False
        return True


async def _slices(paths: list[str]) -> AsyncIterator[list[str]]:
    """Some paths at a time; other requests are served between them."""
    for start in range(0, len(paths), INLINE_ENTRIES):
        if start:
            await asyncio.sleep(0)
        yield paths[start : start + INLINE_ENTRIES]


def transcripts_of(request: StoreRequest, store_path: str, entry: StoreEntry) -> list[str]:
    """The paths at which the transcript of an entry may lie, the most likely first.

    Members of the entry that are not valid are ignored. Raises PathNotAllowed if a path lies
    outside the roots, whether the file exists or not.
    """
    roots, allowed = request.client.places.roots, []
    for path in _candidates(request.layout, request.agent_id, store_path, entry):
        roots.check(path)
        allowed.append(path)
    return allowed


def locating(request: StoreRequest, store_path: str) -> Locate:
    """A function from a key and its entry to the paths at which its transcript may lie."""
    layout = request.layout

    def locate(key: str, entry: StoreEntry) -> list[str]:
        owner = session_key.agent_of(key, layout.rules) if layout.shared else request.agent_id
        return _candidates(layout, owner, store_path, entry)

    return locate


def _candidates(layout: Layout, agent_id: str, store_path: str, entry: StoreEntry) -> list[str]:
    paths = candidates(
        entry.string("sessionId") or "",
        entry.string("sessionFile"),
        layout.directories(agent_id, store_path),
    )
    database = database_of(layout, agent_id, store_path)
    session_id = entry.string("sessionId")
    if database is not None and session_id:
        paths = [database_at(database).transcript_path(database, session_id), *paths]
    # `sessionFile` of an entry may name the store itself.
    return [path for path in paths if path != store_path]


async def without_used(
    request: StoreRequest, store_path: str, draft: Draft, key: str, transcripts: Iterable[str]
) -> list[str]:
    """The transcripts of an entry that no other one of the store uses: those to archive."""
    isolate = EntryFaults(draft.problems).of_store(store_path)
    locate = locating(request, store_path)
    others = {other: item for other, item in draft.items.items() if other != key}
    return await workers.reading(
        draft.size, maintenance.unused, list(transcripts), others, locate, isolate
    )


def check_idle(client: Client, paths: Iterable[str], key: str) -> None:
    """Raise InUse if one of the files may be written to.

    A writer is a handle for writing, here or in another sessiond, or a gateway that holds the lock
    of the transcript during a turn. Handles for reading do not count.
    """
    for path in paths:
        try:
            seen = stat_regular(path)
        except (ReadFailed, PathNotAllowed):
            continue
        if seen is None or not client.places.roots.allow(path):
            continue
        writers = client.in_use.writers(FileState.of(seen).key)
        owner = holder(path)
        if owner is not None:
            writers.setdefault(owner, "")
        if writers:
            message = f"Session {key} is still active; try again in a moment."
            raise InUse(path, writers, message)


def put_away(
    client: Client,
    paths: Iterable[str],
    reason: Reason,
    *,
    now: int,
    key: str,
    problems: list[StoreProblem],
) -> list[str]:
    """Archive the files after the store was saved; the new names.

    Failures are only added to `problems`. Files outside the roots are not touched.
    """
    archived: list[str] = []
    for path in paths:
        if not client.places.roots.allow(path):
            problems.append(StoreProblem("archiveFailed", f"{path}: {OUTSIDE}", key, path))
            continue
        try:
            archived += archive([path], reason, now)
        except WriteFailed as error:
            problems.append(StoreProblem("archiveFailed", error.message, key, path))
        else:
            client.live.look_at((path,))
    return archived
