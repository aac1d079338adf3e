"""`gateway/maintain`: remove old and excess sessions of a store."""

from __future__ import annotations

import asyncio
import os

import attrs
from sessiond_protocol.gateway import maintain as contract
from sessiond_protocol.wire import given

from sessiond.clock import now_ms
from sessiond.errors import InUse, WriteFailed
from sessiond.files import disk, workers
from sessiond.gateway import maintenance
from sessiond.gateway.entry import Items
from sessiond.gateway.maintenance import MaintenancePlan, MaintenanceSettings
from sessiond.gateway.store import Draft, StoreProblem
from sessiond.gateway.transcript import outdated
from sessiond.limits import INLINE_ENTRIES
from sessiond.methods.client import Client
from sessiond.methods.gateway.change import check_idle, put_away
from sessiond.methods.gateway.request import StoreRequest
from sessiond.methods.handlers import Handler


async def maintain(client: Client, params: contract.MaintainParams) -> contract.MaintainResult:
    request = StoreRequest.of(client, params)
    settings = MaintenanceSettings.of(request.layout.config)
    settings = attrs.evolve(settings, mode=given(params.mode) or settings.mode)
    only_look = settings.mode == "warn" or bool(params.dryRun)
    store, now, locate = request.store(), now_ms(), request.locate()

    def planned(items: Items) -> tuple[MaintenancePlan, dict[str, str]]:
        plan = maintenance.plan(items, settings, now)
        return plan, maintenance.transcripts_to_archive(items, plan, locate)

    def remove(draft: Draft) -> tuple[MaintenancePlan, dict[str, str]]:
        plan, transcripts = planned(draft.items)
        for key in plan.removed:
            del draft.items[key]
        return plan, transcripts

    snapshot = await store.read()
    problems = list(snapshot.problems)
    plan, transcripts = await workers.reading(snapshot.size, planned, snapshot.items)
    if plan.removed and not only_look:
        # A lock would create the directory, so none is taken without work.
        (plan, transcripts), problems = await request.store_to_change().change(remove)
    idle = await _idle(client, transcripts, problems)
    archived = list(idle) if only_look else await put_away(client, idle, "deleted", problems)
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


async def _idle(
    client: Client, transcripts: dict[str, str], problems: list[StoreProblem]
) -> dict[str, str]:
    """The transcripts that exist and to which nobody writes."""
    idle = {}
    for number, (path, key) in enumerate(transcripts.items()):
        if number % INLINE_ENTRIES == 0:
            # Other requests are served in between.
            await asyncio.sleep(0)
        if not client.places.roots.allow(path):
            continue
        try:
            check_idle(client, [path], key)
        except InUse as error:
            problems.append(StoreProblem("archiveFailed", error.message, key, path))
        else:
            if disk.exists(path):
                idle[path] = key
    return idle


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
                failed = WriteFailed(path, error)
                problems.append(StoreProblem("archiveFailed", failed.message, path=path))
            else:
                removed.append(path)
    return removed


METHODS: dict[str, Handler] = {"gateway/maintain": maintain}
