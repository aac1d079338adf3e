"""`gateway/list` and `get`: the sessions of all agents in one list, and one of them."""

from __future__ import annotations

import functools
import logging
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

import attrs
from msgspec import UNSET, UnsetType
from sessiond_protocol.gateway import list as contract
from sessiond_protocol.gateway import store as one
from sessiond_protocol.gateway.store import StoreProblem
from sessiond_protocol.wire import given

from sessiond.agents.agent_ids import normal_agent_id
from sessiond.agents.sessions import stat_session
from sessiond.files import workers
from sessiond.gateway import keys
from sessiond.gateway.config import Part, finite
from sessiond.gateway.listing import (
    AgentItems,
    Listed,
    channel_of,
    display_name,
    ends_of,
    filtered,
    named,
    sessions_of,
    title,
)
from sessiond.gateway.methods.request import StoreRequest
from sessiond.gateway.places import Layout
from sessiond.gateway.settings import DEFAULT_WINDOW, ModelRef
from sessiond.gateway.store import UNREADABLE
from sessiond.methods.client import Client
from sessiond.methods.handlers import Handler
from sessiond.methods.large_answers import with_arrays
from sessiond.rpc.codec import encode
from sessiond.runtime.clock import now_ms
from sessiond.runtime.errors import InvalidParams, SessiondError
from sessiond.runtime.isolation import Faults
from sessiond.text.spans import Json

logger = logging.getLogger(__name__)

MULTIPLE = "(multiple)"
_LARGE = ("skillsSnapshot", "systemPromptReport")
"""Members that make most of an entry."""


@attrs.frozen
class LoadedStores:
    """The stores that were read, the problems of all, and the size of their files in bytes."""

    stores: list[AgentItems]
    problems: list[StoreProblem]
    size: int


async def load_stores(request: StoreRequest, agents: Iterable[str]) -> LoadedStores:
    """Read the stores of these agents, each once; of several, unreadable ones are left out.

    Raises ReadFailed, PathNotAllowed, and InvalidParams if there is no store.
    """
    items: dict[str, AgentItems] = {}
    problems: list[StoreProblem] = []
    failed: list[SessiondError] = []
    size = 0
    for agent in agents:
        try:
            store = request.for_agent(agent).store()
            if store.path in items:
                continue
            snapshot = await store.read()
        except UNREADABLE as error:
            failed.append(error)
            problems.append(_unreadable(error.message, error.data["path"]))
            continue
        except (SessiondError, InvalidParams):
            raise
        except Exception as error:
            logger.exception("The store of %s is left out", agent)
            path = request.layout.store_path(agent) or ""
            problems.append(_unreadable(f"It cannot be read: {error!r}", path))
            continue
        items[store.path] = AgentItems(agent, store.path, snapshot.items)
        problems += snapshot.problems
        size += snapshot.size
    if failed and not items:
        raise failed[0]
    return LoadedStores([*items.values()], problems, size)


def _unreadable(message: str, path: str) -> StoreProblem:
    return StoreProblem(kind="unreadableStore", message=message, path=path)


async def list_(client: Client, params: contract.StoreListParams) -> Json:
    request = StoreRequest.of_all_agents(client, params)
    layout, now, agent = request.layout, now_ms(), given(params.agentId)
    agents = [layout.rules.default_agent] if layout.shared else layout.agents()
    if agent is not None and not layout.shared:
        agents = [*agents, normal_agent_id(agent)]
    loaded = await load_stores(request, agents)
    default = ModelRef.default(layout.config)
    defaults = contract.ListDefaults(
        modelProvider=default.provider,
        model=default.model,
        contextTokens=_window(layout.config),
    )

    def answer() -> Json:
        faults = Faults()
        sessions = filtered(sessions_of(loaded.stores, layout.rules), params, now, layout.rules)
        rows = [*map(encode, _rows(request, params, sessions, faults))]
        loaded.problems.extend(
            StoreProblem(kind="unreadableEntry", message=fault.message, path=fault.path)
            for fault in faults
        )
        result = contract.StoreListResult(
            ts=now,
            path=_path(layout),
            count=len(rows),
            defaults=defaults,
            sessions=[],
            **request.reported(loaded.problems),
        )
        return with_arrays(result, sessions=rows)

    if params.includeDerivedTitles or params.includeLastMessage:
        return await workers.scanning(answer)
    return await workers.reading(loaded.size, answer)


def _window(config: Part) -> float:
    """The context window of a session that has not run."""
    defaults = config.part("agents").part("defaults")
    return finite(defaults.number("contextTokens")) or DEFAULT_WINDOW


def _path(layout: Layout) -> str:
    if layout.template is None:
        return MULTIPLE
    return (layout.store_path("") or layout.template) if layout.shared else layout.template


def _rows(
    request: StoreRequest, params: contract.StoreListParams, sessions: list[Listed], faults: Faults
) -> Iterator[contract.SessionRow]:
    """The rows of a list; transcripts that cannot be read are noted in `faults`."""
    allows = request.client.places.roots.allow
    locating = functools.cache(lambda agent_id: request.for_agent(agent_id).locate())
    for session in sessions:
        row, entry = _row(session), session.entry
        needs_first = bool(params.includeDerivedTitles) and not named(entry)
        if entry.string("sessionId") and (params.includeDerivedTitles or params.includeLastMessage):
            first, last = None, None
            if needs_first or params.includeLastMessage:
                paths = list(filter(allows, locating(session.agent_id)(session.key, entry)))
                with faults.isolate(next(iter(paths), session.store_path)):
                    first, last = ends_of(paths)
            if params.includeDerivedTitles:
                row.derivedTitle = _or_unset(title(entry, first))
            if params.includeLastMessage:
                row.lastMessagePreview = _or_unset(last)
        yield row


def _row(session: Listed) -> contract.SessionRow:
    entry = session.entry
    tokens = entry.number("totalTokens")
    is_fresh = entry.get("totalTokensFresh") is not False
    model, provider = entry.string("model"), entry.string("modelProvider")
    if not model:
        model, provider = entry.string("modelOverride"), entry.string("providerOverride")
    members = entry.compact()
    return contract.SessionRow(
        key=session.key,
        agentId=session.agent_id,
        kind=keys.kind(session.key, entry.string("chatType")),
        sessionId=_or_unset(entry.string("sessionId")),
        updatedAt=entry.number("updatedAt"),
        displayName=_or_unset(display_name(session)),
        channel=_or_unset(channel_of(session)),
        modelProvider=_or_unset(provider),
        model=_or_unset(model),
        totalTokens=tokens if tokens is not None and tokens >= 0 and is_fresh else UNSET,
        totalTokensFresh=tokens is not None and is_fresh,
        entry={name: value for name, value in members.items() if name not in _LARGE},
    )


def _or_unset(value: str | None) -> str | UnsetType:
    return UNSET if value is None else value


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
