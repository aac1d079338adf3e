"""CoderClaw's session layer: what sessions used and what they cost."""

from __future__ import annotations

import asyncio
import datetime as dt
import threading

import attrs
from msgspec import UNSET, UnsetType
from sessiond_protocol import transcripts as contract
from sessiond_protocol.gateway import JsonObject
from sessiond_protocol.wire import given

from sessiond.errors import InvalidParams, PathNotAllowed, ReadFailed, SessiondError
from sessiond.gateway import keys
from sessiond.gateway.combined import listed_key
from sessiond.gateway.entry import Entry
from sessiond.gateway.layout import Layout
from sessiond.gateway.lookup import find
from sessiond.gateway.storefile import Problem
from sessiond.gateway.usage import Counted, Period, Session, report
from sessiond.methods.app import App, Handler
from sessiond.methods.figures import shared_figures
from sessiond.methods.gateway import problems_of
from sessiond.methods.roster import layout_of_all
from sessiond.methods.saving import transcripts_of
from sessiond.methods.stores import key_of, layout_of, store_of, store_problems
from sessiond.profiles import normal_agent_id

_LIMIT = 50


async def usage(app: App, params: contract.StoreUsageParams) -> contract.StoreUsageResult:
    key = given(params.key)
    layout = layout_of_all(app, params) if key is None else layout_of(app, params)
    period = Period(_day(params.startDate, "startDate"), _day(params.endDate, "endDate"))
    problems: list[Problem] = []
    if key is not None:
        sessions = await _one(app, layout, key, problems)
    else:
        sessions = await _all(app, layout, given(params.agentId), problems)
    abandoned = threading.Event()
    try:
        found = await asyncio.to_thread(report, sessions, period, abandoned.is_set)
    finally:
        # A cancelled request leaves the worker behind.
        abandoned.set()
    weight = bool(params.includeContextWeight)
    shown = found.sessions[: params.limit or _LIMIT]
    return contract.StoreUsageResult(
        count=len(found.sessions),
        sessions=[_row(counted, with_weight=weight) for counted in shown],
        totals=contract.UsageFigures(**shared_figures(found.total)),
        problems=store_problems(problems),
        configProblems=problems_of(layout.config),
    )


def _day(sent: str | UnsetType | None, name: str) -> str | None:
    day = given(sent)
    try:
        return None if day is None else dt.date.fromisoformat(day).isoformat()
    except ValueError:
        raise InvalidParams("expected a date as YYYY-MM-DD", f"$.{name}") from None


async def _one(app: App, layout: Layout, asked: str, problems: list[Problem]) -> list[Session]:
    key = key_of(layout, asked, "key")
    agent_id = keys.agent_of(key, layout.rules)
    store = store_of(app, layout, agent_id)
    snapshot = await store.read()
    problems += snapshot.problems
    entry = find(snapshot.items, key, asked, layout.rules)
    if entry is None:
        return []
    return [_located(app, layout, store.path, Session(key, agent_id, entry))]


async def _all(
    app: App, layout: Layout, agent: str | None, problems: list[Problem]
) -> list[Session]:
    wanted = None if agent is None else normal_agent_id(agent)
    agents = layout.agents() if wanted is None or layout.shared else [wanted]
    sessions: list[Session] = []
    seen: set[str] = set()
    failed: list[SessiondError] = []
    for owner in agents:
        try:
            store = store_of(app, layout, owner)
            if store.path in seen:
                continue
            snapshot = await store.read()
        except (ReadFailed, PathNotAllowed) as error:
            # One store must not hide all others.
            failed.append(error)
            problems.append(Problem("unreadableStore", error.message, path=error.data["path"]))
            continue
        seen.add(store.path)
        problems += snapshot.problems
        for stored, item in snapshot.items.items():
            if isinstance(item, Entry):
                key = listed_key(stored, owner)
                agent_id = keys.agent_of(key, layout.rules) if layout.shared else owner
                if wanted in {None, agent_id}:
                    session = Session(key, agent_id, item)
                    sessions.append(_located(app, layout, store.path, session))
    if len(failed) == len(agents):
        raise failed[0]
    return sessions


def _located(app: App, layout: Layout, store_path: str, session: Session) -> Session:
    """With the places where its transcript may lie."""
    try:
        paths = transcripts_of(app, layout, session.agent_id, store_path, session.entry)
    except PathNotAllowed:
        # One entry that points outside must not hide all others.
        return session
    return attrs.evolve(session, paths=paths)


def _row(counted: Counted, *, with_weight: bool) -> contract.SessionUsage:
    entry = counted.session.entry
    return contract.SessionUsage(
        key=counted.session.key,
        agentId=counted.session.agent_id,
        sessionId=entry.string("sessionId"),
        updatedAt=entry.number("updatedAt"),
        label=entry.string("label") or UNSET,
        displayName=entry.string("displayName") or UNSET,
        channel=entry.string("channel") or entry.string("lastChannel") or UNSET,
        usage=None
        if counted.stats is None
        else contract.UsageFigures(**shared_figures(counted.stats)),
        contextWeight=_weight(entry) if with_weight else UNSET,
    )


def _weight(entry: Entry) -> JsonObject | UnsetType:
    if entry.object("systemPromptReport") is None:
        return UNSET
    return Entry(entry.members["systemPromptReport"]).compact()


METHODS: dict[str, Handler] = {"gateway/usage": usage}
