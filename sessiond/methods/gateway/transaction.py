"""CoderClaw's session layer: what goes with every change of a store."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import TypeVar

import attrs

from sessiond.errors import InUse, StoreChanged
from sessiond.files import workers
from sessiond.gateway.clock import now_ms
from sessiond.gateway.config.layout import Layout
from sessiond.gateway.keys import session_key
from sessiond.gateway.store import maintenance
from sessiond.gateway.store.agent_store import AgentStore
from sessiond.gateway.store.entry import Entry
from sessiond.gateway.store.faults import EntryFaults
from sessiond.gateway.store.maintenance import Isolate, Locate, Plan, Settings
from sessiond.gateway.store.snapshot import Items, Problem
from sessiond.gateway.store.store import Draft
from sessiond.gateway.transcripts import clear
from sessiond.gateway.transcripts.paths import candidates
from sessiond.methods.app import App
from sessiond.methods.gateway.archive import check_idle
from sessiond.methods.gateway.request import store_to_change

T = TypeVar("T")
_ATTEMPTS = 10
"""How often a change is tried beside writers that take no lock."""


@attrs.define(eq=False)
class Change:
    """A store under its lock, for one request."""

    store: AgentStore
    draft: Draft


@asynccontextmanager
async def changing(
    app: App, layout: Layout, agent_id: str, active_key: str | None = None
) -> AsyncIterator[Change]:
    """The store of an agent to be changed; saved at the end unless the body raises.

    `active_key` is the session the request is for. Maintenance goes with every save, as in
    CoderClaw; what it has to say is in `draft.problems` at the end. Raises ReadOnly,
    PathNotAllowed, Busy, ReadFailed, WriteFailed, Unsupported, and InvalidParams where there is no
    store.
    """
    store = store_to_change(app, layout, agent_id)
    settings = Settings.of(layout.config)
    upkeep: Upkeep | None = None
    async with store.changing() as draft:
        yield Change(store, draft)
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
                    draft.problems.append(Problem("maintenance", warned, active_key))
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

    settings: Settings
    now: int
    plan: Plan
    transcripts: dict[str, str]
    """Where those that are to be archived may lie, and whose they are, by key."""

    @classmethod
    def of(
        cls,
        items: Items,
        settings: Settings,
        now: int,
        locate: Locate,
        *,
        isolate: Isolate,
        active_key: str | None = None,
        reap: bool = False,
    ) -> Upkeep:
        gone = maintenance.plan(items, settings, now, active_key, reap=reap, isolate=isolate)
        archived = maintenance.to_archive(items, gone, locate, isolate)
        return cls(settings, now, gone, archived)

    def take_out(self, draft: Draft) -> None:
        for key in self.plan.removed:
            del draft.items[key]
        draft.rotate_above = self.settings.rotate_bytes

    async def put_away(
        self, app: App, problems: list[Problem], *, dry_run: bool = False
    ) -> clear.Cleared:
        """See to the transcripts; adds what went wrong to the problems. A `dry_run` only looks.

        Nothing outside is touched, and nothing that somebody writes to.
        """
        idle = [path for path in self.transcripts if self._is_idle(app, path, problems)]
        if not idle:
            return clear.Cleared()
        done = await workers.undisturbed(
            clear.clear, idle, self.settings.prune_after, self.now, dry_run=dry_run
        )
        for error in done.failed:
            path = error.data["path"]
            problems.append(
                Problem("archiveFailed", error.message, self.transcripts.get(path), path)
            )
        if not dry_run:
            app.live.look_at(idle)
        return done

    def _is_idle(self, app: App, path: str, problems: list[Problem]) -> bool:
        if not app.places.roots.allow(path):
            return False
        key = self.transcripts[path]
        try:
            check_idle(app, [path], key)
        except InUse as error:
            problems.append(Problem("archiveFailed", error.message, key, path))
            return False
        return True


def transcripts_of(
    app: App, layout: Layout, agent_id: str, store_path: str, entry: Entry
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

    def locate(key: str, entry: Entry) -> list[str]:
        owner = session_key.agent_of(key, layout.rules) if layout.shared else agent_id
        return _candidates(layout, owner, store_path, entry)

    return locate


def _candidates(layout: Layout, agent_id: str, store_path: str, entry: Entry) -> list[str]:
    found = candidates(
        entry.string("sessionId") or "",
        entry.string("sessionFile"),
        layout.directories(agent_id, store_path),
    )
    # An entry may claim that a store is its transcript.
    return [path for path in found if path != store_path]
