"""`gateway/maintain`: remove old and excess sessions of a store."""

from __future__ import annotations

import os

import attrs
from sessiond_protocol.gateway import maintain as contract
from sessiond_protocol.gateway.store import StoreProblem
from sessiond_protocol.wire import given

from sessiond.files import disk, workers
from sessiond.gateway import maintenance
from sessiond.gateway.entry import Items
from sessiond.gateway.maintenance import MaintenancePlan, MaintenanceSettings
from sessiond.gateway.methods.change import check_idle, not_archived, put_away
from sessiond.gateway.methods.request import StoreRequest
from sessiond.gateway.store import Draft
from sessiond.gateway.transcript import outdated
from sessiond.methods.client import Client
from sessiond.methods.handlers import Handler
from sessiond.runtime.clock import now_ms
from sessiond.runtime.errors import InUse, WriteFailed


async def maintain(client: Client, params: contract.MaintainParams) -> contract.MaintainResult:
    request = StoreRequest.of(client, params)
    settings = MaintenanceSettings.of(request.layout.config)
    settings = attrs.evolve(settings, mode=given(params.mode) or settings.mode)
    only_look = settings.mode == "warn" or bool(params.dryRun)
    store, now, locate = request.store(), now_ms(), request.locate()

    def planned(items: Items) -> tuple[MaintenancePlan, dict[str, str], list[StoreProblem]]:
        plan = maintenance.plan(items, settings, now)
        return plan, *_idle(client, maintenance.transcripts_to_archive(items, plan, locate))

    def remove(draft: Draft) -> tuple[MaintenancePlan, dict[str, str], list[StoreProblem]]:
        pruning = planned(draft.items)
        for key in pruning[0].removed:
            del draft.items[key]
        return pruning

    if only_look:
        snapshot = await store.read()
        plan, idle, busy = await workers.reading(workers.LONG, planned, snapshot.items)
        problems, archived = [*snapshot.problems, *busy], list(idle)
    else:
        (plan, idle, busy), outcome = await request.store_to_change().change(remove)
        problems = [*outcome, *busy]
        archived = await put_away(client, idle, "deleted", problems)
    return contract.MaintainResult(
        mode=settings.mode,
        storePath=store.path,
        pruned=plan.pruned,
        capped=plan.capped,
        reaped=plan.reaped,
        archived=archived,
        removed=_removed(archived, now - settings.prune_after, problems, only_look=only_look),
        **request.reported(problems),
    )


def _idle(client: Client, transcripts: dict[str, str]) -> tuple[dict[str, str], list[StoreProblem]]:
    """The transcripts that exist and to which nobody writes, and problems of the others."""
    idle, busy = dict[str, str](), list[StoreProblem]()
    for path, key in transcripts.items():
        if not client.places.roots.allow(path):
            continue
        try:
            check_idle(client, [path], key)
        except InUse as error:
            busy.append(not_archived(error.message, path, key))
        else:
            if disk.exists(path):
                idle[path] = key
    return idle, busy


def _removed(
    archived: list[str], before: int, problems: list[StoreProblem], *, only_look: bool
) -> list[str]:
    """The old archives that were deleted, in the directories in which something was archived."""
    removed = []
    for directory in dict.fromkeys(map(os.path.dirname, archived)):
        for path in outdated(directory, before):
            try:
                if not only_look:
                    disk.unlink(path)
            except OSError as error:
                problems.append(not_archived(WriteFailed(path, error).message, path))
            else:
                removed.append(path)
    return removed


METHODS: dict[str, Handler] = {"gateway/maintain": maintain}
