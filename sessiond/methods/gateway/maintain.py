"""`gateway/maintain`: maintenance of a store on request."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

import attrs
from sessiond_protocol.gateway import maintain as contract
from sessiond_protocol.wire import given

from sessiond.clock import now_ms
from sessiond.files import disk, workers
from sessiond.gateway.store.agent_store import AgentStore
from sessiond.gateway.store.faults import EntryFaults
from sessiond.gateway.store.maintenance import MaintenancePlan, MaintenanceSettings, warning_text
from sessiond.gateway.store.snapshot import Items, StoreProblem
from sessiond.gateway.transcripts.archive import Cleared
from sessiond.methods.client import Client
from sessiond.methods.gateway.request import StoreRequest
from sessiond.methods.gateway.transaction import Upkeep, locating
from sessiond.methods.handlers import Handler

Decide = Callable[[Items, list[StoreProblem]], Upkeep]
Fate = Literal["pruned", "capped", "reaped"]


@attrs.define
class _Maintained:
    plan: MaintenancePlan
    problems: list[StoreProblem]
    cleared: Cleared = attrs.field(factory=Cleared)
    rotated: str | None = None


async def maintain(client: Client, params: contract.MaintainParams) -> contract.MaintainResult:
    request = StoreRequest.of(client, params)
    settings = MaintenanceSettings.of(request.layout.config)
    settings = attrs.evolve(settings, mode=given(params.mode) or settings.mode)
    now = now_ms()
    only_look = settings.mode == "warn" or bool(params.dryRun)
    store = request.store() if only_look else request.store_to_change()
    locate = locating(request, store.path)

    def decide(items: Items, problems: list[StoreProblem]) -> Upkeep:
        isolate = EntryFaults(problems).of_store(store.path)
        return Upkeep.of(items, settings, now, locate, isolate=isolate, reap=True)

    done = await (_look if only_look else _enforce)(client, store, settings, decide)
    return contract.MaintainResult(
        mode=settings.mode,
        storePath=store.path,
        pruned=done.plan.pruned,
        capped=done.plan.capped,
        reaped=done.plan.reaped,
        rotated=done.rotated,
        archived=done.cleared.archived,
        removed=done.cleared.removed,
        **request.reported(done.problems),
    )


async def _look(
    client: Client, store: AgentStore, settings: MaintenanceSettings, decide: Decide
) -> _Maintained:
    snapshot = await store.read()
    problems = list(snapshot.problems)
    upkeep = await workers.reading(len(snapshot.text), decide, snapshot.items, problems)
    if settings.mode == "warn":
        return _Maintained(MaintenancePlan([], [], []), [*problems, *_warnings(upkeep.plan)])
    rotated = None
    if _is_to_rotate(store, settings, problems):
        rotated = f"{disk.realname(store.path)}.bak.{upkeep.now}"
    cleared = await upkeep.put_away(client, problems, dry_run=True)
    return _Maintained(upkeep.plan, problems, cleared, rotated)


async def _enforce(
    client: Client, store: AgentStore, settings: MaintenanceSettings, decide: Decide
) -> _Maintained:
    snapshot = await store.read()
    problems = list(snapshot.problems)
    upkeep = await workers.reading(len(snapshot.text), decide, snapshot.items, problems)
    if not upkeep.plan.removed and not _is_to_rotate(store, settings, problems):
        # A lock would create the directory, so none is taken without work.
        return _Maintained(upkeep.plan, problems)
    async with store.changing() as draft:
        upkeep = await workers.reading(draft.size, decide, draft.items, draft.problems)
        upkeep.take_out(draft)
        draft.rewrite = _is_to_rotate(store, settings, draft.problems)
    cleared = await upkeep.put_away(client, draft.problems)
    return _Maintained(upkeep.plan, draft.problems, cleared, draft.rotated)


def _is_to_rotate(
    store: AgentStore, settings: MaintenanceSettings, problems: Iterable[StoreProblem]
) -> bool:
    """Whether the store is too large; a damaged one is not rotated."""
    if any(problem.kind == "corruptStore" for problem in problems):
        return False
    try:
        return disk.stat(store.path).st_size > settings.rotate_bytes
    except OSError:
        return False


def _warnings(plan: MaintenancePlan) -> list[StoreProblem]:
    fates: list[tuple[Fate, list[str]]] = [
        ("pruned", plan.pruned),
        ("capped", plan.capped),
        ("reaped", plan.reaped),
    ]
    return [
        StoreProblem("maintenance", warning_text(key, fate), key)
        for fate, keys in fates
        for key in keys
    ]


METHODS: dict[str, Handler] = {"gateway/maintain": maintain}
