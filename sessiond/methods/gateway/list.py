"""`gateway/list` and `get`: the sessions of all agents in one list, and one of them."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from contextlib import suppress

import attrs
from msgspec import UNSET, UnsetType
from sessiond_protocol.gateway import list as contract
from sessiond_protocol.gateway import store as one
from sessiond_protocol.gateway.keys import JsonObject
from sessiond_protocol.wire import given

from sessiond.agents.agent_ids import normal_agent_id
from sessiond.agents.sessions import stat_session
from sessiond.clock import now_ms
from sessiond.errors import InvalidParams, SessiondError
from sessiond.files import workers
from sessiond.gateway import combined, titles
from sessiond.gateway.combined import AgentItems, Listed, ListFilter, Sessions
from sessiond.gateway.config.layout import Layout
from sessiond.gateway.config.models import DEFAULT_WINDOW, ModelRef
from sessiond.gateway.config.reader import Part, finite
from sessiond.gateway.entry import StoreEntry
from sessiond.gateway.keys import session_key
from sessiond.gateway.keys.session_key import KeyRules
from sessiond.gateway.store import UNREADABLE, StoreProblem
from sessiond.isolation import Faults
from sessiond.jsontext.spans import Json
from sessiond.methods.client import Client
from sessiond.methods.gateway.request import StoreRequest
from sessiond.methods.handlers import Handler
from sessiond.methods.large_answers import with_arrays
from sessiond.rpc.codec import encode

logger = logging.getLogger(__name__)

MULTIPLE = "(multiple)"


@attrs.frozen
class LoadedStores:
    """The stores that were read."""

    stores: list[AgentItems] = attrs.field(factory=list)
    problems: list[StoreProblem] = attrs.field(factory=list)
    """Problems of all stores; callers may add more."""
    size: int = 0
    """Total size of their files in bytes."""

    def sessions(self, rules: KeyRules) -> Sessions:
        """All sessions as one list. Slow for big stores."""
        sessions: Sessions = {}
        for store in self.stores:
            combined.add_store(sessions, store, rules)
        return sessions


async def load_stores(request: StoreRequest, agents: Iterable[str]) -> LoadedStores:
    """Read the stores of these agents, each once; of several, unreadable ones are left out.

    Raises ReadFailed, PathNotAllowed, and InvalidParams if there is no store.
    """
    stores: dict[str, AgentItems] = {}
    problems: list[StoreProblem] = []
    failed: list[SessiondError] = []
    size = 0
    for agent in agents:
        try:
            store = request.for_agent(agent).store()
            if store.path in stores:
                continue
            snapshot = await store.read()
        except UNREADABLE as error:
            failed.append(error)
            problems.append(StoreProblem("unreadableStore", error.message, path=error.data["path"]))
            continue
        except (SessiondError, InvalidParams):
            raise
        except Exception as error:
            logger.exception("The store of %s is left out", agent)
            path = request.layout.store_path(agent)
            problems.append(
                StoreProblem("unreadableStore", f"It cannot be read: {error!r}", path=path)
            )
            continue
        stores[store.path] = AgentItems(agent, store.path, snapshot.items)
        problems += snapshot.problems
        size += snapshot.size
    if failed and not stores:
        raise failed[0]
    return LoadedStores(list(stores.values()), problems, size)


async def load_stores_for(request: StoreRequest, wanted: str | None) -> LoadedStores:
    """Read the stores of all agents and of the one that is `wanted`. Raises as `load_stores`."""
    layout = request.layout
    agents = [layout.rules.default_agent] if layout.shared else layout.agents()
    if wanted is not None and not layout.shared:
        agents = [*agents, normal_agent_id(wanted)]
    return await load_stores(request, agents)


async def list_(client: Client, params: contract.StoreListParams) -> Json:
    request = StoreRequest.of_all_agents(client, params)
    layout = request.layout
    now = now_ms()
    agent = given(params.agentId)
    stores = await load_stores_for(request, agent)
    wanted = ListFilter(
        agent_id=agent,
        spawned_by=given(params.spawnedBy),
        label=given(params.label),
        search=given(params.search),
        include_global=bool(params.includeGlobal),
        include_unknown=bool(params.includeUnknown),
        active_minutes=given(params.activeMinutes),
        limit=given(params.limit),
    )

    default = ModelRef.default(layout.config)
    defaults = contract.ListDefaults(
        modelProvider=default.provider,
        model=default.model,
        contextTokens=_window(layout.config),
    )

    def answer() -> Json:
        shown = combined.filtered(stores.sessions(layout.rules), wanted, now, layout.rules)
        faults = Faults()
        rows = _Rows(request, params, faults).of(shown)
        for fault in faults:
            problem = StoreProblem("unreadableEntry", fault.message, path=fault.path)
            stores.problems.append(problem)
        result = contract.StoreListResult(
            ts=now,
            path=_path(layout),
            count=len(rows),
            defaults=defaults,
            sessions=[],
            **request.reported(stores.problems),
        )
        return with_arrays(result, sessions=rows)

    if params.includeDerivedTitles or params.includeLastMessage:
        return await workers.scanning(answer)
    return await workers.reading(stores.size, answer)


def _window(config: Part) -> float:
    """The context window of a session that has not run."""
    defaults = config.part("agents").part("defaults")
    return finite(defaults.number("contextTokens")) or DEFAULT_WINDOW


def _path(layout: Layout) -> str:
    if layout.template is None:
        return MULTIPLE
    return (layout.store_path("") or layout.template) if layout.shared else layout.template


@attrs.frozen
class _Rows:
    """Makes the rows of a list as JSON; transcripts that cannot be read are noted in `faults`."""

    request: StoreRequest
    params: contract.StoreListParams
    faults: Faults

    def of(self, shown: Iterable[Listed]) -> list[bytes]:
        rows = []
        for listed in shown:
            row = _row(listed)
            if listed.entry.string("sessionId"):
                self._look_into(listed, row)
            rows.append(encode(row))
        return rows

    def _look_into(self, listed: Listed, row: contract.SessionRow) -> None:
        """Fill in the members that need the transcript, if it can be read."""
        titled, last = self.params.includeDerivedTitles, self.params.includeLastMessage
        if not (titled or last):
            return
        locate = self.request.for_agent(listed.agent_id).locate()
        allows = self.request.client.places.roots.allow
        paths = list(filter(allows, locate(listed.key, listed.entry)))
        ends = self.request.client.gateway.ends
        with self.faults.isolate(next(iter(paths), listed.store_path)):
            if titled:
                unnamed = titles.needs_transcript(listed.entry)
                said = ends.first(paths if unnamed else ())
                row.derivedTitle = _or_unset(titles.title(listed.entry, said))
            if last:
                row.lastMessagePreview = _or_unset(ends.last(paths))


def _row(listed: Listed) -> contract.SessionRow:
    entry = listed.entry
    tokens = entry.number("totalTokens")
    is_fresh = entry.get("totalTokensFresh") is not False
    model, provider = entry.string("model"), entry.string("modelProvider")
    if not model:
        model, provider = entry.string("modelOverride"), entry.string("providerOverride")
    return contract.SessionRow(
        key=listed.key,
        kind=session_key.kind(listed.key, entry.string("chatType")),
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
        modelProvider=_or_unset(provider),
        model=_or_unset(model),
        contextTokens=_number(entry, "contextTokens"),
        deliveryContext=_object(entry, "deliveryContext"),
        lastChannel=_text(entry, "lastChannel"),
        lastTo=_text(entry, "lastTo"),
        lastAccountId=_text(entry, "lastAccountId"),
    )


def _or_unset(value: str | None) -> str | UnsetType:
    return UNSET if value is None else value


def _text(entry: StoreEntry, name: str) -> str | UnsetType:
    return _or_unset(entry.string(name)) if name in entry.members else UNSET


def _number(entry: StoreEntry, name: str) -> float | UnsetType:
    value = entry.number(name) if name in entry.members else None
    return UNSET if value is None else value


def _flag(entry: StoreEntry, name: str) -> bool | UnsetType:
    value = entry.get(name) if name in entry.members else None
    return value if isinstance(value, bool) else UNSET


def _object(entry: StoreEntry, name: str) -> JsonObject | UnsetType:
    if name not in entry.members or entry.object(name) is None:
        return UNSET
    return StoreEntry(entry.members[name]).compact()


async def get(client: Client, params: one.StoreGetParams) -> one.StoreGetResult:
    request = StoreRequest.of(client, params).for_session(params.sessionKey)
    store = request.store()
    snapshot = await store.read()
    entry = request.find(snapshot.items)
    transcript = None
    if entry is not None:
        paths = filter(client.places.roots.allow, request.locate()(request.key, entry))
        # A database may keep a reader waiting.
        transcript = await workers.reading(workers.LONG, _first_existing, list(paths))
    return one.StoreGetResult(
        sessionKey=request.key,
        agentId=request.agent_id,
        entry=None if entry is None else entry.compact(),
        transcript=_or_unset(transcript),
        storePath=store.path,
        **request.reported(snapshot.problems),
    )


def _first_existing(paths: Sequence[str]) -> str | None:
    """The first path at which there is a transcript, else the first."""
    for path in paths:
        with suppress(SessiondError):
            if stat_session(path) is not None:
                return path
    return next(iter(paths), None)


METHODS: dict[str, Handler] = {"gateway/list": list_, "gateway/get": get}
