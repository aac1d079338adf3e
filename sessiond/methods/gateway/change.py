"""`gateway/patch`, `reset` and `delete`: change one session."""

from __future__ import annotations

import uuid

from msgspec import UNSET
from sessiond_protocol.gateway import change as contract

from sessiond.clock import now_ms
from sessiond.errors import GatewayRejected
from sessiond.files import workers
from sessiond.gateway.keys import session_key
from sessiond.gateway.keys.session_key import KeyRules
from sessiond.gateway.rules.record import touched
from sessiond.gateway.rules.reset import started_over
from sessiond.gateway.rules.settings import SETTINGS, changed_settings
from sessiond.gateway.store.entry import NonEntry, StoreEntry
from sessiond.gateway.store.snapshot import Items
from sessiond.methods.client import Client
from sessiond.methods.gateway.request import SessionRequest, StoreRequest
from sessiond.methods.gateway.transaction import (
    changing,
    check_idle,
    locating,
    put_away,
    without_used,
)
from sessiond.methods.handlers import Handler


async def patch(client: Client, params: contract.StorePatchParams) -> contract.StorePatchResult:
    request = StoreRequest.of(client, params).for_session(params.key, "key")
    key = request.key
    sent = {name: getattr(params, name) for name in SETTINGS}
    wanted = {name: value for name, value in sent.items() if value is not UNSET}
    async with changing(request, key) as change:
        draft = change.draft
        _refuse_non_entry(draft.items, key)
        entry = request.claim(draft) or StoreEntry.of({})
        # This compares all labels.
        changes = await workers.reading(draft.size, changed_settings, wanted, key, draft.items)
        draft.items[key] = touched(entry, changes, now_ms())
    return contract.StorePatchResult(
        path=change.store.path,
        key=key,
        entry=_written(draft.items, key).compact(),
        **request.reported(draft.problems),
    )


async def reset(client: Client, params: contract.StoreResetParams) -> contract.StoreResetResult:
    request = StoreRequest.of(client, params).for_session(params.key, "key")
    key = request.key
    now = now_ms()
    async with changing(request, key) as change:
        draft = change.draft
        _refuse_non_entry(draft.items, key)
        old = request.claim(draft)
        transcripts = _transcripts(request, change.store.path, old)
        if not params.force:
            check_idle(client, transcripts, key)
        draft.items[key] = started_over(old, str(uuid.uuid4()), now)
        transcripts = await without_used(request, change.store.path, draft, key, transcripts)
    put_away(client, transcripts, "reset", now=now, key=key, problems=draft.problems)
    return contract.StoreResetResult(
        key=key,
        entry=_written(draft.items, key).compact(),
        **request.reported(draft.problems),
    )


async def delete(client: Client, params: contract.StoreDeleteParams) -> contract.StoreDeleteResult:
    request = StoreRequest.of(client, params).for_session(params.key, "key")
    key = request.key
    # The main key of the configured default agent, whichever agent the request names.
    rules = KeyRules.of(request.layout.config, dialect=request.rules.dialect)
    main = session_key.GLOBAL if rules.is_global else rules.main(rules.main_agent)
    if key == main:
        raise GatewayRejected(f"Cannot delete the main session ({main}).", "key")
    snapshot = await request.store_to_change().read()
    problems = list(snapshot.problems)
    deleted, archived = False, list[str]()
    # A lock would create the directory, so none is taken for an absent session.
    if request.find(snapshot.items) is not None:
        now = now_ms()
        async with changing(request) as change:
            draft = change.draft
            _refuse_non_entry(draft.items, key)
            old = request.claim(draft)
            transcripts: list[str] = []
            if old is not None:
                if params.deleteTranscript is not False:
                    transcripts = _transcripts(request, change.store.path, old)
                if not params.force:
                    check_idle(client, transcripts, key)
                del draft.items[key]
                deleted = True
                transcripts = await without_used(
                    request, change.store.path, draft, key, transcripts
                )
        problems = draft.problems
        archived = put_away(client, transcripts, "deleted", now=now, key=key, problems=problems)
    return contract.StoreDeleteResult(
        key=key,
        deleted=deleted,
        archived=archived,
        **request.reported(problems),
    )


def _transcripts(request: SessionRequest, store_path: str, entry: StoreEntry | None) -> list[str]:
    return [] if entry is None else list(locating(request, store_path)(request.key, entry))


def _refuse_non_entry(items: Items, key: str) -> None:
    """Reject a key whose value is not an entry: a gateway may need the value."""
    if isinstance(items.get(key), NonEntry):
        raise GatewayRejected(f"{key} is not a session in this store; it is not changed", "key")


def _written(items: Items, key: str) -> StoreEntry:
    entry = items[key]
    assert isinstance(entry, StoreEntry)  # noqa: S101 - it was just put there
    return entry


METHODS: dict[str, Handler] = {
    "gateway/patch": patch,
    "gateway/reset": reset,
    "gateway/delete": delete,
}
