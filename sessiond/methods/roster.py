"""CoderClaw's session layer: the sessions of all agents in one list."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from msgspec import UNSET, UnsetType
from sessiond_protocol import roster as contract
from sessiond_protocol.gateway import JsonObject
from sessiond_protocol.stores import StoreParams
from sessiond_protocol.wire import given

from sessiond.errors import PathNotAllowed, ReadFailed, SessiondError
from sessiond.gateway import combined, keys, titles
from sessiond.gateway.clock import now_ms
from sessiond.gateway.combined import Listed, Sessions, Wanted
from sessiond.gateway.delivery import settled
from sessiond.gateway.entry import Entry
from sessiond.gateway.layout import Layout
from sessiond.gateway.models import Models
from sessiond.gateway.storefile import Problem
from sessiond.methods.app import App, Handler
from sessiond.methods.gateway import problems_of
from sessiond.methods.saving import locating
from sessiond.methods.stores import layout_of, store_of, store_problems
from sessiond.profiles import normal_agent_id

MULTIPLE = "(multiple)"


def layout_of_all(app: App, params: StoreParams) -> Layout:
    """As `layout_of`, where `agentId` says which sessions are wanted and not whose a key is."""
    return layout_of(app, StoreParams(storePath=params.storePath, config=params.config))


async def sessions_of(
    app: App, layout: Layout, wanted: str | None
) -> tuple[Sessions, list[Problem]]:
    """The sessions in all stores; of several, those that cannot be read are left out.

    `wanted` is an agent to be looked at in any case. Raises ReadFailed, PathNotAllowed, and
    InvalidParams where there is no store.
    """
    agents = [layout.rules.default_agent] if layout.shared else layout.agents()
    if wanted is not None and not layout.shared:
        agents = list(dict.fromkeys([*agents, normal_agent_id(wanted)]))
    found: Sessions = {}
    problems: list[Problem] = []
    failed: list[SessiondError] = []
    for agent in agents:
        try:
            store = store_of(app, layout, agent)
            snapshot = await store.read()
        except (ReadFailed, PathNotAllowed) as error:
            failed.append(error)
            problems.append(Problem("unreadableStore", error.message, path=error.data["path"]))
            continue
        combined.add(found, snapshot.items, agent, store.path, layout.rules)
        problems += snapshot.problems
    if len(failed) == len(agents):
        raise failed[0]
    return found, problems


async def list_(app: App, params: contract.StoreListParams) -> contract.StoreListResult:
    layout = layout_of_all(app, params)
    now = now_ms()
    agent = given(params.agentId)
    found, problems = await sessions_of(app, layout, agent)
    wanted = Wanted(
        agent_id=agent,
        spawned_by=given(params.spawnedBy),
        label=given(params.label),
        search=given(params.search),
        include_global=bool(params.includeGlobal),
        include_unknown=bool(params.includeUnknown),
        active_minutes=given(params.activeMinutes),
        limit=given(params.limit),
    )
    shown = combined.chosen(found, wanted, now, layout.rules)
    rows = _rows(layout, shown)
    if params.includeDerivedTitles or params.includeLastMessage:
        await _look_into(app, layout, params, shown, rows)
    models = Models.of(layout.config)
    return contract.StoreListResult(
        ts=now,
        path=_path(layout),
        count=len(rows),
        defaults=contract.ListDefaults(
            modelProvider=models.default.provider,
            model=models.default.model,
            contextTokens=models.context_tokens,
        ),
        sessions=rows,
        problems=store_problems(problems),
        configProblems=problems_of(layout.config),
    )


def _path(layout: Layout) -> str:
    if layout.template is None:
        return MULTIPLE
    return (layout.store_path("") or layout.template) if layout.shared else layout.template


def _rows(layout: Layout, shown: Iterable[Listed]) -> list[contract.SessionRow]:
    models: dict[str, Models] = {}
    rows = []
    for listed in shown:
        agent = keys.agent_of(listed.key, layout.rules)
        if agent not in models:
            models[agent] = Models.of(layout.config, agent)
        rows.append(_row(listed, models[agent]))
    return rows


def _row(listed: Listed, models: Models) -> contract.SessionRow:
    entry = settled(listed.entry)
    tokens = entry.number("totalTokens")
    is_fresh = entry.get("totalTokensFresh") is not False
    used = models.used_by(entry)
    return contract.SessionRow(
        key=listed.key,
        kind=keys.kind(listed.key, entry.string("chatType")),
        label=_text(entry, "label"),
        displayName=_or_unset(combined.display_name(listed)),
        channel=_or_unset(combined.channel_of(listed)),
        subject=_text(entry, "subject"),
        groupChannel=_text(entry, "groupChannel"),
        space=_text(entry, "space"),
        chatType=_text(entry, "chatType"),
        origin=_object(entry, "origin"),
        updatedAt=entry.number("updatedAt"),
        sessionId=_text(entry, "sessionId"),
        systemSent=_flag(entry, "systemSent"),
        abortedLastRun=_flag(entry, "abortedLastRun"),
        thinkingLevel=_text(entry, "thinkingLevel"),
        verboseLevel=_text(entry, "verboseLevel"),
        reasoningLevel=_text(entry, "reasoningLevel"),
        elevatedLevel=_text(entry, "elevatedLevel"),
        sendPolicy=_text(entry, "sendPolicy"),
        inputTokens=_number(entry, "inputTokens"),
        outputTokens=_number(entry, "outputTokens"),
        totalTokens=tokens if tokens is not None and tokens >= 0 and is_fresh else UNSET,
        totalTokensFresh=tokens is not None and is_fresh,
        responseUsage=_text(entry, "responseUsage"),
        modelProvider=_or_unset(used.provider),
        model=_or_unset(used.model),
        contextTokens=_number(entry, "contextTokens"),
        deliveryContext=_object(entry, "deliveryContext"),
        lastChannel=_text(entry, "lastChannel"),
        lastTo=_text(entry, "lastTo"),
        lastAccountId=_text(entry, "lastAccountId"),
    )


def _or_unset(value: str | None) -> str | UnsetType:
    return UNSET if value is None else value


def _text(entry: Entry, name: str) -> str | UnsetType:
    return _or_unset(entry.string(name)) if name in entry.members else UNSET


def _number(entry: Entry, name: str) -> float | UnsetType:
    found = entry.number(name) if name in entry.members else None
    return UNSET if found is None else found


def _flag(entry: Entry, name: str) -> bool | UnsetType:
    found = entry.get(name) if name in entry.members else None
    return found if isinstance(found, bool) else UNSET


def _object(entry: Entry, name: str) -> JsonObject | UnsetType:
    if name not in entry.members or entry.object(name) is None:
        return UNSET
    return Entry(entry.members[name]).compact()


async def _look_into(
    app: App,
    layout: Layout,
    params: contract.StoreListParams,
    shown: list[Listed],
    rows: list[contract.SessionRow],
) -> None:
    """Fill in what takes looks at transcripts; all of them in one go in a worker."""

    def look() -> None:
        for listed, row in zip(shown, rows, strict=True):
            entry = listed.entry
            if not entry.string("sessionId"):
                continue
            if params.includeDerivedTitles:
                unnamed = titles.needs_transcript(entry)
                paths = _transcripts(app, layout, listed) if unnamed else ()
                said = app.gateway.glimpses.first(paths)
                row.derivedTitle = _or_unset(titles.title(entry, said))
            if params.includeLastMessage:
                said = app.gateway.glimpses.last(_transcripts(app, layout, listed))
                row.lastMessagePreview = _or_unset(said)

    await asyncio.to_thread(look)


def _transcripts(app: App, layout: Layout, listed: Listed) -> list[str]:
    """Where the transcript may lie, as far as it may be read."""
    found = locating(layout, listed.agent_id, listed.store_path)(listed.key, listed.entry)
    return [path for path in found if app.places.roots.allow(path)]


METHODS: dict[str, Handler] = {"gateway/list": list_}
