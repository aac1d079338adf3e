"""`gateway/maintain`: maintenance of a store on request."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
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
from sessiond.jsontext.spans import Json
from sessiond.methods.client import Client
from sessiond.methods.gateway.request import StoreRequest
from sessiond.methods.gateway.transaction import Upkeep, locating
from sessiond.methods.handlers import Handler
from sessiond.methods.large_answers import with_arrays
from sessiond.notify.followed_store import problem_on_the_wire
from sessiond.rpc.codec import encode

Decide = Callable[[Items, list[StoreProblem]], Upkeep]
Fate = Literal["pruned", "capped", "reaped"]


@attrs.define
class _Maintained:
    size: int
    """Size of the store in bytes."""
    plan: MaintenancePlan
    problems: list[StoreProblem]
    would_remove: MaintenancePlan | None = None
    """What `enforce` would remove: a warning for each."""
    cleared: Cleared = attrs.field(factory=Cleared)
    rotated: str | None = None

    def all(self) -> Iterator[StoreProblem]:
        """All problems, and the warnings."""
        yield from self.problems
        if self.would_remove is not None:
            yield from _warnings(self.would_remove)


async def maintain(client: Client, params: contract.MaintainParams) -> Json:
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

    def answer() -> Json:
        result = contract.MaintainResult(
            mode=settings.mode,
            storePath=store.path,
            pruned=done.plan.pruned,
            capped=done.plan.capped,
            reaped=done.plan.reaped,
            rotated=done.rotated,
            archived=done.cleared.archived,
            removed=done.cleared.removed,
            **request.reported(()),
        )
        return with_arrays(result, problems=map(encode, map(problem_on_the_wire, done.all())))

    return await workers.reading(done.size, answer)


async def _look(
    client: Client, store: AgentStore, settings: MaintenanceSettings, decide: Decide
) -> _Maintained:
    snapshot = await store.read()
    problems, size = list(snapshot.problems), len(snapshot.text)
    upkeep = await workers.reading(size, decide, snapshot.items, problems)
    if settings.mode == "warn":
        return _Maintained(size, MaintenancePlan([], [], []), problems, upkeep.plan)
    rotated = None
    if _is_to_rotate(store, settings, problems):
        rotated = f"{disk.realname(store.path)}.bak.{upkeep.now}"
    cleared = await upkeep.put_away(client, problems, dry_run=True)
    return _Maintained(size, upkeep.plan, problems, None, cleared, rotated)


async def _enforce(
    client: Client, store: AgentStore, settings: MaintenanceSettings, decide: Decide
) -> _Maintained:
    snapshot = await store.read()
    problems, size = list(snapshot.problems), len(snapshot.text)
    upkeep = await workers.reading(size, decide, snapshot.items, problems)
    if not upkeep.plan.removed and not _is_to_rotate(store, settings, problems):
        # A lock would create the directory, so none is taken without work.
        return _Maintained(size, upkeep.plan, problems)
    async with store.changing() as draft:
        upkeep = await workers.reading(draft.size, decide, draft.items, draft.problems)
        upkeep.take_out(draft)
        draft.rewrite = _is_to_rotate(store, settings, draft.problems)
    cleared = await upkeep.put_away(client, draft.problems)
    return _Maintained(draft.size, upkeep.plan, draft.problems, None, cleared, draft.rotated)


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


def _warnings(plan: MaintenancePlan) -> Iterator[StoreProblem]:
    fates: list[tuple[Fate, list[str]]] = [
        ("pruned", plan.pruned),
        ("capped", plan.capped),
        ("reaped", plan.reaped),
    ]
    for fate, keys in fates:
        for key in keys:
            yield StoreProblem("maintenance", warning_text(key, fate), key)


METHODS: dict[str, Handler] = {"gateway/maintain": maintain}
