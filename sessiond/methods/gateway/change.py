"""CoderClaw's session layer: finding and changing single sessions of a store."""

from __future__ import annotations

import uuid
from collections.abc import Iterable

from msgspec import UNSET
from sessiond_protocol.gateway import change as contract
from sessiond_protocol.wire import given

from sessiond.errors import GatewayRejected
from sessiond.files import workers
from sessiond.gateway.clock import now_ms
from sessiond.gateway.config.layout import Layout
from sessiond.gateway.config.models import Models
from sessiond.gateway.keys import session_key
from sessiond.gateway.keys.identity import trim
from sessiond.gateway.keys.lookup import claim, find
from sessiond.gateway.keys.session_key import KeyRules
from sessiond.gateway.rules.patch import RULES, PatchSubject, label_of, patched
from sessiond.gateway.rules.reset import started_over
from sessiond.gateway.store import combined
from sessiond.gateway.store.combined import Listed, ListFilter
from sessiond.gateway.store.database import is_replaced
from sessiond.gateway.store.entry import NonEntry, StoreEntry
from sessiond.gateway.store.faults import EntryFaults
from sessiond.gateway.store.snapshot import Items, StoreProblem
from sessiond.methods.app import App, Handler
from sessiond.methods.gateway.list import layout_of_all, load_stores_for
from sessiond.methods.gateway.request import (
    key_of,
    layout_of,
    store_of,
    store_problems,
    store_to_change,
)
from sessiond.methods.gateway.rules import problems_of
from sessiond.methods.gateway.transaction import changing, check_idle, locating, put_away


async def resolve(app: App, params: contract.StoreResolveParams) -> contract.StoreResolveResult:
    sent = (given(params.key), given(params.sessionId), given(params.label))
    key, session_id, label = (trim(text or "") for text in sent)
    chosen = [text for text in (key, session_id, label) if text]
    if len(chosen) > 1:
        message = "Provide either key, sessionId, or label (not multiple)"
        raise GatewayRejected(message, "key")
    if not chosen:
        raise GatewayRejected("Either key, sessionId, or label is required", "key")
    layout = layout_of(app, params) if key else layout_of_all(app, params)
    if key:
        found, problems = await _by_key(app, layout, key)
    else:
        found, problems = await _by_search(app, layout, params, session_id, label)
    return contract.StoreResolveResult(
        ok=True,
        key=found,
        problems=store_problems(problems),
        configProblems=problems_of(layout.config),
    )


async def _by_key(app: App, layout: Layout, asked: str) -> tuple[str, Iterable[StoreProblem]]:
    key = key_of(layout, asked, "key")
    agent = session_key.agent_of(key, layout.rules)
    snapshot = await store_of(app, layout, agent).read()
    if find(snapshot.items, key, asked, layout.rules) is None:
        raise GatewayRejected(f"No session found: {asked}", "key")
    may_write = not app.config.read_only and not is_replaced(snapshot.problems)
    # Where the store may not be written, the entry stays under its old key.
    if snapshot.entry(key) is not None or not may_write:
        return key, snapshot.problems
    async with changing(app, layout, agent, key) as change:
        _refuse_odd(change.draft.items, key)
        if claim(change.draft, key, asked, layout.rules) is None:
            raise GatewayRejected(f"No session found: {asked}", "key")
    return key, change.draft.problems


async def _by_search(
    app: App, layout: Layout, params: contract.StoreResolveParams, session_id: str, label: str
) -> tuple[str, Iterable[StoreProblem]]:
    agent = given(params.agentId)
    wanted = ListFilter(
        agent_id=agent,
        spawned_by=given(params.spawnedBy),
        label=label_of(label) if label else None,
        include_global=bool(params.includeGlobal),
        include_unknown=bool(params.includeUnknown),
    )
    stores = await load_stores_for(app, layout, agent)
    problems, faults = stores.problems, EntryFaults(stores.problems)

    def search() -> list[Listed]:
        sessions = stores.sessions(layout.rules, faults)
        chosen = combined.filtered(sessions, wanted, 0, layout.rules, faults)
        return [one for one in chosen if not session_id or _is_called(one, session_id)]

    found = await workers.reading(stores.size, search)
    if len(found) == 1:
        return found[0].key, problems
    listed = f" ({', '.join(one.key for one in found)})"
    if session_id:
        raise GatewayRejected(
            f"Multiple sessions found for sessionId: {session_id}{listed}"
            if found
            else f"No session found: {session_id}",
            "sessionId",
        )
    raise GatewayRejected(
        f"Multiple sessions found with label: {label}{listed}"
        if found
        else f"No session found with label: {label}",
        "label",
    )


def _is_called(listed: Listed, session_id: str) -> bool:
    return session_id in {listed.entry.string("sessionId"), listed.key}


async def patch(app: App, params: contract.StorePatchParams) -> contract.StorePatchResult:
    layout = layout_of(app, params)
    key = key_of(layout, params.key, "key")
    agent = session_key.agent_of(key, layout.rules)
    models = Models.of(layout.config, agent)
    sent = {name: getattr(params, name) for name in RULES}
    wanted = {name: value for name, value in sent.items() if value is not UNSET}
    refused: GatewayRejected | None = None
    async with changing(app, layout, agent, key) as change:
        draft = change.draft
        _refuse_odd(draft.items, key)
        entry = claim(draft, key, params.key, layout.rules)
        subject = PatchSubject(key, entry, draft.items, models, given(params.xhighSupported))
        try:
            # It looks through all labels.
            draft.items[key] = await workers.reading(
                draft.size, patched, subject, wanted, now_ms(), str(uuid.uuid4())
            )
        except GatewayRejected as error:
            # The entry has moved to its key all the same.
            refused = error
    if refused is not None:
        raise refused
    done = _written(draft.items, key)
    used = models.used_by(done)
    return contract.StorePatchResult(
        ok=True,
        path=change.store.path,
        key=key,
        entry=done.compact(),
        resolved=contract.ResolvedModel(modelProvider=used.provider, model=used.model),
        problems=store_problems(draft.problems),
        configProblems=problems_of(layout.config),
    )


async def reset(app: App, params: contract.StoreResetParams) -> contract.StoreResetResult:
    layout = layout_of(app, params)
    key = key_of(layout, params.key, "key")
    agent = session_key.agent_of(key, layout.rules)
    now = now_ms()
    async with changing(app, layout, agent, key) as change:
        draft = change.draft
        _refuse_odd(draft.items, key)
        old = claim(draft, key, params.key, layout.rules)
        transcripts = _transcripts(layout, agent, change.store.path, key, old)
        if not params.force:
            check_idle(app, transcripts, key)
        draft.items[key] = started_over(old, str(uuid.uuid4()), now)
    put_away(app, transcripts, "reset", now=now, key=key, problems=draft.problems)
    return contract.StoreResetResult(
        ok=True,
        key=key,
        entry=_written(draft.items, key).compact(),
        problems=store_problems(draft.problems),
        configProblems=problems_of(layout.config),
    )


async def delete(app: App, params: contract.StoreDeleteParams) -> contract.StoreDeleteResult:
    layout = layout_of(app, params)
    key = key_of(layout, params.key, "key")
    # Of the configuration's default agent, whomever the request is for.
    rules = KeyRules.of(layout.config, dialect=layout.rules.dialect)
    main = session_key.GLOBAL if rules.is_global else rules.main(rules.main_agent)
    if key == main:
        raise GatewayRejected(f"Cannot delete the main session ({main}).", "key")
    agent = session_key.agent_of(key, layout.rules)
    snapshot = await store_to_change(app, layout, agent).read()
    problems = list(snapshot.problems)
    deleted, archived = False, list[str]()
    # Not even a directory is made for the lock of a store that does not have it.
    if find(snapshot.items, key, params.key, layout.rules) is not None:
        now = now_ms()
        async with changing(app, layout, agent) as change:
            draft = change.draft
            _refuse_odd(draft.items, key)
            old = claim(draft, key, params.key, layout.rules)
            transcripts: list[str] = []
            if old is not None:
                if params.deleteTranscript is not False:
                    transcripts = _transcripts(layout, agent, change.store.path, key, old)
                if not params.force:
                    check_idle(app, transcripts, key)
                del draft.items[key]
                deleted = True
        problems = draft.problems
        archived = put_away(app, transcripts, "deleted", now=now, key=key, problems=problems)
    return contract.StoreDeleteResult(
        ok=True,
        key=key,
        deleted=deleted,
        archived=archived,
        problems=store_problems(problems),
        configProblems=problems_of(layout.config),
    )


def _transcripts(
    layout: Layout, agent: str, store_path: str, key: str, entry: StoreEntry | None
) -> list[str]:
    return [] if entry is None else list(locating(layout, agent, store_path)(key, entry))


def _refuse_odd(items: Items, key: str) -> None:
    """What a gateway keeps there is not ours to replace."""
    if isinstance(items.get(key), NonEntry):
        raise GatewayRejected(f"{key} is no session in this store; it is left as it is", "key")


def _written(items: Items, key: str) -> StoreEntry:
    entry = items[key]
    assert isinstance(entry, StoreEntry)  # noqa: S101 - it was just put there
    return entry


METHODS: dict[str, Handler] = {
    "gateway/resolve": resolve,
    "gateway/patch": patch,
    "gateway/reset": reset,
    "gateway/delete": delete,
}
