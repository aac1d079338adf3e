"""`gateway/usage`: token counts and costs of sessions."""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType
from sessiond_protocol.gateway import transcripts as contract
from sessiond_protocol.gateway.keys import JsonObject
from sessiond_protocol.wire import given

from sessiond.agents.agent_ids import normal_agent_id
from sessiond.agents.many_readings import many_readings
from sessiond.errors import PathNotAllowed
from sessiond.files import workers
from sessiond.gateway.config.layout import Layout
from sessiond.gateway.keys import session_key
from sessiond.gateway.store.combined import AgentItems, listed_key
from sessiond.gateway.store.entry import StoreEntry
from sessiond.gateway.store.faults import EntryFaults
from sessiond.gateway.usage import CountedSession, Period, UsageReport, UsageSession, report
from sessiond.methods.catalog.stats import shared_figures
from sessiond.methods.client import Client
from sessiond.methods.dates import day_of
from sessiond.methods.gateway.list import LoadedStores, load_stores
from sessiond.methods.gateway.request import SessionRequest, StoreRequest
from sessiond.methods.gateway.transaction import transcripts_of
from sessiond.methods.handlers import Handler

_LIMIT = 50


async def usage(client: Client, params: contract.StoreUsageParams) -> contract.StoreUsageResult:
    key = given(params.key)
    request = (
        StoreRequest.of_all_agents(client, params)
        if key is None
        else StoreRequest.of(client, params)
    )
    period = Period(day_of(params.since, "since"), day_of(params.until, "until"))
    stores = await (_all(request, params) if key is None else _one(request.for_session(key, "key")))
    faults = EntryFaults(stores.problems)

    @many_readings()
    def count() -> UsageReport:
        sessions = _sessions(request, stores, params, faults)
        return report(sessions, period, faults)

    counts = await workers.scanning(count)
    weight = bool(params.includeContextWeight)
    rows = []
    for counted in counts.sessions[: params.limit or _LIMIT]:
        with faults.isolate(counted.session.key, counted.session.store_path):
            rows.append(_row(counted, with_weight=weight))
    return contract.StoreUsageResult(
        count=len(counts.sessions),
        sessions=rows,
        totals=contract.UsageFigures(**shared_figures(counts.total)),
        **request.reported(stores.problems),
    )


async def _one(request: SessionRequest) -> LoadedStores:
    """The store of one session, with no other entries."""
    store = request.store()
    snapshot = await store.read()
    entry = request.find(snapshot.items)
    items = {} if entry is None else {request.key: entry}
    return LoadedStores([AgentItems(request.agent_id, store.path, items)], list(snapshot.problems))


async def _all(request: StoreRequest, params: contract.StoreUsageParams) -> LoadedStores:
    agent = given(params.agentId)
    if agent is None or request.layout.shared:
        return await load_stores(request, request.layout.agents())
    return await load_stores(request, [normal_agent_id(agent)])


def _sessions(
    request: StoreRequest,
    stores: LoadedStores,
    params: contract.StoreUsageParams,
    faults: EntryFaults,
) -> list[UsageSession]:
    """The selected sessions of the stores, with the paths of their transcripts."""
    key, agent = given(params.key), given(params.agentId)
    wanted = None if agent is None or key is not None else normal_agent_id(agent)
    sessions: list[UsageSession] = []
    for store in stores.stores:
        for stored, item in store.items.items():
            if not isinstance(item, StoreEntry):
                continue
            with faults.isolate(stored, store.store_path):
                session = _session(request.layout, store, stored, item, whole=key is None)
                if wanted in {None, session.agent_id}:
                    sessions.append(_located(request, session))
    return sessions


def _session(
    layout: Layout, store: AgentItems, stored: str, entry: StoreEntry, *, whole: bool
) -> UsageSession:
    key, agent_id = stored, store.agent_id
    if whole:
        key = listed_key(stored, store.agent_id, layout.rules)
        agent_id = session_key.agent_of(key, layout.rules) if layout.shared else store.agent_id
    return UsageSession(key, agent_id, entry, store.store_path, entry.last_update)


def _located(request: StoreRequest, session: UsageSession) -> UsageSession:
    """The session with the paths at which its transcript may lie."""
    try:
        paths = transcripts_of(
            request.for_agent(session.agent_id), session.store_path, session.entry
        )
    except PathNotAllowed:
        # One entry that points outside the roots must not hide the others.
        return session
    return msgspec.structs.replace(session, paths=tuple(paths))


def _row(counted: CountedSession, *, with_weight: bool) -> contract.SessionUsage:
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


def _weight(entry: StoreEntry) -> JsonObject | UnsetType:
    if entry.object("systemPromptReport") is None:
        return UNSET
    return StoreEntry(entry.members["systemPromptReport"]).compact()


METHODS: dict[str, Handler] = {"gateway/usage": usage}
