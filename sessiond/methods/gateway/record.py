"""CoderClaw's session layer: keeping a session's books after a turn."""

from __future__ import annotations

import math
from collections.abc import Callable

import attrs
from msgspec import UNSET, UnsetType
from sessiond_protocol.gateway import record as contract
from sessiond_protocol.gateway.keys import ConfigProblem, JsonObject
from sessiond_protocol.gateway.store import StoreProblem
from sessiond_protocol.wire import given

from sessiond.gateway.clock import now_ms
from sessiond.gateway.config.layout import Layout
from sessiond.gateway.keys import inbound
from sessiond.gateway.keys import session_key as keys
from sessiond.gateway.keys.lookup import claim, find
from sessiond.gateway.rules.record import (
    NAMES,
    Run,
    Tokens,
    compaction_changes,
    compactions,
    flush_changes,
    touched,
    usage_changes,
)
from sessiond.gateway.rules.route import ROUTE, new_entry, route_changes, source_changes
from sessiond.gateway.store.entry import NonEntry, StoreEntry
from sessiond.methods.app import App, Handler
from sessiond.methods.gateway.begin import message_of
from sessiond.methods.gateway.request import key_of, layout_of, store_problems, store_to_change
from sessiond.methods.gateway.rules import members_of, problems_of
from sessiond.methods.gateway.transaction import changing


@attrs.frozen
class _Recorded:
    """What a store has of the session afterwards."""

    entry: StoreEntry | None
    problems: list[StoreProblem] | UnsetType
    config_problems: list[ConfigProblem] | UnsetType

    @property
    def members(self) -> JsonObject | None:
        return None if self.entry is None else self.entry.compact()


async def _record(
    app: App,
    layout: Layout,
    session_key: str,
    change: Callable[[StoreEntry], StoreEntry],
    missing: StoreEntry | None = None,
) -> _Recorded:
    """Change the entry of a session; without one, change `missing` if it is given."""
    key = key_of(layout, session_key)
    agent_id = keys.agent_of(key, layout.rules)
    if missing is None:
        snapshot = await store_to_change(app, layout, agent_id).read()
        if find(snapshot.items, key, session_key, layout.rules) is None:
            # Not even a directory is made for a lock.
            told = store_problems(snapshot.problems)
            return _Recorded(None, told, problems_of(layout.config))
    async with changing(app, layout, agent_id, key) as store:
        entry = claim(store.draft, key, session_key, layout.rules)
        if isinstance(store.draft.items.get(key), NonEntry):
            # What a gateway keeps there is not ours to replace, even if an alias has an entry.
            entry = None
        elif entry is None:
            entry = missing
        if entry is not None:
            store.draft.items[key] = change(entry)
    draft = store.draft
    return _Recorded(draft.entry(key), store_problems(draft.problems), problems_of(layout.config))


async def record_usage(app: App, params: contract.RecordUsageParams) -> contract.RecordResult:
    layout = layout_of(app, params)
    run = Run(
        used=_tokens(params.usage),
        last=_tokens(params.lastCallUsage),
        prompt_tokens=given(params.promptTokens),
        provider=given(params.providerUsed),
        model=given(params.modelUsed),
        window=given(params.contextTokensUsed),
    )
    report = given(params.systemPromptReport)
    window = layout.config.part("agents").part("defaults").number("contextTokens")
    window = window if window is not None and math.isfinite(window) and window > 0 else None
    now = now_ms()

    def change(entry: StoreEntry) -> StoreEntry:
        changes = usage_changes(entry, run, window)
        if report is not None:
            changes["systemPromptReport"] = {name: bytes(raw) for name, raw in report.items()}
        return touched(entry, changes, now)

    done = await _record(app, layout, params.sessionKey, change)
    return contract.RecordResult(
        entry=done.members, problems=done.problems, configProblems=done.config_problems
    )


def _tokens(sent: JsonObject | UnsetType | None) -> Tokens | None:
    return None if given(sent) is None else Tokens.of(members_of(sent, NAMES))


async def record_compaction(
    app: App, params: contract.RecordCompactionParams
) -> contract.RecordCompactionResult:
    after, now = given(params.tokensAfter), now_ms()

    def change(entry: StoreEntry) -> StoreEntry:
        return touched(entry, compaction_changes(entry, after), now)

    done = await _record(app, layout_of(app, params), params.sessionKey, change)
    return contract.RecordCompactionResult(
        count=None if done.entry is None else compactions(done.entry),
        entry=done.members,
        problems=done.problems,
        configProblems=done.config_problems,
    )


async def record_memory_flush(
    app: App, params: contract.RecordMemoryFlushParams
) -> contract.RecordResult:
    compacted, now = bool(params.compactions), now_ms()

    def change(entry: StoreEntry) -> StoreEntry:
        return touched(entry, flush_changes(entry, now, compacted=compacted), now)

    done = await _record(app, layout_of(app, params), params.sessionKey, change)
    return contract.RecordResult(
        entry=done.members, problems=done.problems, configProblems=done.config_problems
    )


async def record_route(app: App, params: contract.RecordRouteParams) -> contract.RecordResult:
    layout = layout_of(app, params)
    key = key_of(layout, params.sessionKey)
    sent, context = given(params.deliveryContext), given(params.context)
    said = None if sent is None else _said(sent)
    surfaces = inbound.surfaces(layout.config)

    def change(entry: StoreEntry) -> StoreEntry:
        changes = route_changes(entry, _said(params), said)
        if context is not None:
            changes |= source_changes(
                entry, message_of(context), key, surfaces, layout.rules.dialect
            )
        return entry.changed(changes)

    done = await _record(app, layout, params.sessionKey, change, new_entry(now_ms()))
    return contract.RecordResult(
        entry=done.members, problems=done.problems, configProblems=done.config_problems
    )


def _said(route: contract.Route | contract.RecordRouteParams) -> dict[str, object]:
    found = {name: getattr(route, name) for name in ROUTE}
    return {name: None if value is UNSET else value for name, value in found.items()}


METHODS: dict[str, Handler] = {
    "gateway/recordUsage": record_usage,
    "gateway/recordCompaction": record_compaction,
    "gateway/recordMemoryFlush": record_memory_flush,
    "gateway/recordRoute": record_route,
}
