"""`gateway/record…`: update a session's entry after a turn."""

from __future__ import annotations

import math
from collections.abc import Callable

import attrs
from sessiond_protocol.gateway import record as contract
from sessiond_protocol.gateway.keys import JsonObject
from sessiond_protocol.wire import given

from sessiond.gateway.counters import (
    compaction_changes,
    compactions,
    flush_changes,
    touched,
    usage_changes,
)
from sessiond.gateway.entry import NonEntry, StoreEntry
from sessiond.gateway.methods.request import ReportedProblems, SessionRequest, StoreRequest
from sessiond.gateway.store import Draft
from sessiond.methods.client import Client
from sessiond.methods.handlers import Handler
from sessiond.runtime.clock import now_ms


@attrs.frozen
class _Recorded:
    """The entry of the session after the change."""

    entry: StoreEntry | None
    reported: ReportedProblems

    @property
    def members(self) -> JsonObject | None:
        return None if self.entry is None else self.entry.compact()


async def _record(request: SessionRequest, change: Callable[[StoreEntry], StoreEntry]) -> _Recorded:
    """Change the entry of a session, if there is one."""

    def edit(draft: Draft) -> StoreEntry | None:
        entry = request.claim(draft)
        # A value that is not an entry is kept, even if an alias has an entry.
        if entry is None or isinstance(draft.items.get(request.key), NonEntry):
            return None
        return draft.put(request.key, change(entry))

    entry, problems = await request.store_to_change().change(edit)
    return _Recorded(entry, request.reported(problems))


async def record_usage(client: Client, params: contract.RecordUsageParams) -> contract.RecordResult:
    request = StoreRequest.of(client, params).for_session(params.sessionKey)
    report = given(params.systemPromptReport)
    window = request.layout.config.part("agents").part("defaults").number("contextTokens")
    window = window if window is not None and math.isfinite(window) and window > 0 else None
    now = now_ms()

    def change(entry: StoreEntry) -> StoreEntry:
        changes = usage_changes(entry, params, window)
        if report is not None:
            changes["systemPromptReport"] = {name: bytes(raw) for name, raw in report.items()}
        return touched(entry, changes, now)

    done = await _record(request, change)
    return contract.RecordResult(entry=done.members, **done.reported)


async def record_compaction(
    client: Client, params: contract.RecordCompactionParams
) -> contract.RecordCompactionResult:
    request = StoreRequest.of(client, params).for_session(params.sessionKey)
    after, now = given(params.tokensAfter), now_ms()

    def change(entry: StoreEntry) -> StoreEntry:
        return touched(entry, compaction_changes(entry, after), now)

    done = await _record(request, change)
    return contract.RecordCompactionResult(
        count=None if done.entry is None else compactions(done.entry),
        entry=done.members,
        **done.reported,
    )


async def record_memory_flush(
    client: Client, params: contract.RecordMemoryFlushParams
) -> contract.RecordResult:
    request = StoreRequest.of(client, params).for_session(params.sessionKey)
    compacted, now = bool(params.compactions), now_ms()

    def change(entry: StoreEntry) -> StoreEntry:
        return touched(entry, flush_changes(entry, now, compacted=compacted), now)

    done = await _record(request, change)
    return contract.RecordResult(entry=done.members, **done.reported)


METHODS: dict[str, Handler] = {
    "gateway/recordUsage": record_usage,
    "gateway/recordCompaction": record_compaction,
    "gateway/recordMemoryFlush": record_memory_flush,
}
