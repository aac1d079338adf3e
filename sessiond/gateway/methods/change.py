"""`gateway/patch`, `reset` and `delete`: change one session."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from contextlib import nullcontext

from msgspec import UNSET, UnsetType
from sessiond_protocol.gateway import change as contract
from sessiond_protocol.gateway.store import StoreProblem

from sessiond.files import workers
from sessiond.files.identity import FileState, stat_regular
from sessiond.files.lock_file import transcript_lock
from sessiond.gateway.counters import started_over, touched
from sessiond.gateway.entry import NonEntry, StoreEntry
from sessiond.gateway.keys import KeyRules
from sessiond.gateway.maintenance import unused
from sessiond.gateway.methods.request import SessionRequest, StoreRequest
from sessiond.gateway.settings import SETTINGS, changed_settings
from sessiond.gateway.store import Draft
from sessiond.gateway.transcript import Reason, archive
from sessiond.methods.client import Client
from sessiond.methods.handlers import Handler
from sessiond.runtime.clock import now_ms
from sessiond.runtime.errors import (
    Busy,
    GatewayRejected,
    InUse,
    PathNotAllowed,
    ReadFailed,
    WriteFailed,
)

_LOCK_SECONDS = 1.0
"""How long to wait for the lock of a transcript that is archived: the store has changed already."""


async def patch(client: Client, params: contract.StorePatchParams) -> contract.StorePatchResult:
    request = StoreRequest.of(client, params).for_session(params.key, "key")
    store = request.store_to_change()
    sent = {name: getattr(params, name) for name in SETTINGS}
    members = {name: value for name, value in sent.items() if value is not UNSET}

    def edit(draft: Draft) -> StoreEntry:
        entry = _entry(request, draft) or StoreEntry.of({})
        changes = changed_settings(members, request.key, draft.items)
        return draft.put(request.key, touched(entry, changes, now_ms()))

    entry, problems = await store.change(edit)
    return contract.StorePatchResult(
        path=store.path, key=request.key, entry=entry.compact(), **request.reported(problems)
    )


async def reset(client: Client, params: contract.StoreResetParams) -> contract.StoreResetResult:
    request = StoreRequest.of(client, params).for_session(params.key, "key")
    store, key, now = request.store_to_change(), request.key, now_ms()

    def edit(draft: Draft) -> tuple[StoreEntry, list[str]]:
        old = _entry(request, draft)
        ended = _ended(request, draft, old, force=bool(params.force))
        return draft.put(key, started_over(old, str(uuid.uuid4()), now)), ended

    (entry, ended), problems = await store.change(edit)
    ended_keys = dict.fromkeys(ended, key)
    archived = await put_away(client, ended_keys, "reset", problems, force=bool(params.force))
    return contract.StoreResetResult(
        key=key, entry=entry.compact(), archived=archived, **request.reported(problems)
    )


async def delete(client: Client, params: contract.StoreDeleteParams) -> contract.StoreDeleteResult:
    request = StoreRequest.of(client, params).for_session(params.key, "key")
    store, key = request.store_to_change(), request.key
    # The main key of the configured default agent, whichever agent the request names.
    rules = KeyRules.of(request.layout.config, dialect=request.rules.dialect)
    main = rules.main_or_global(rules.main_agent)
    if key == main:
        raise GatewayRejected(f"Cannot delete the main session ({main}).", "key")

    def edit(draft: Draft) -> tuple[bool, list[str]]:
        if request.find(draft.items) is None:
            return False, []
        old = _entry(request, draft)
        # A transcript that stays may be in use.
        gone = None if params.deleteTranscript is False else old
        ended = _ended(request, draft, gone, force=bool(params.force))
        del draft.items[key]
        return True, ended

    (deleted, ended), problems = await store.change(edit)
    ended_keys = dict.fromkeys(ended, key)
    archived = await put_away(client, ended_keys, "deleted", problems, force=bool(params.force))
    return contract.StoreDeleteResult(
        key=key, deleted=deleted, archived=archived, **request.reported(problems)
    )


def _entry(request: SessionRequest, draft: Draft) -> StoreEntry | None:
    """The entry of the session, moved to its canonical key.

    Raises GatewayRejected if the key has another value: a gateway may need it.
    """
    if isinstance(draft.items.get(request.key), NonEntry):
        message = f"{request.key} is not a session in this store; it is not changed"
        raise GatewayRejected(message, "key")
    return request.claim(draft)


def _ended(
    request: SessionRequest, draft: Draft, old: StoreEntry | None, *, force: bool
) -> list[str]:
    """The transcripts of a session that no other one uses. Raises InUse unless it is forced."""
    if old is None:
        return []
    locate = request.locate()
    transcripts = list(locate(request.key, old))
    if not force:
        check_idle(request.client, transcripts, request.key)
    others = {key: item for key, item in draft.items.items() if key != request.key}
    return unused(transcripts, others, locate)


def check_idle(client: Client, paths: Iterable[str], key: str) -> None:
    """Raise InUse if one of the files may be written to.

    A writer is a handle for writing, here or in another sessiond, or a gateway that holds the lock
    of the transcript during a turn. Handles for reading do not count.
    """
    for path in paths:
        try:
            state = stat_regular(path)
        except (ReadFailed, PathNotAllowed):
            continue
        if state is None or not client.places.roots.allow(path):
            continue
        writers = client.writers(path, FileState.of(state).key)
        if writers:
            message = f"Session {key} is still active; try again in a moment."
            raise InUse(path, writers, message)


async def put_away(
    client: Client,
    transcripts: Mapping[str, str],
    reason: Reason,
    problems: list[StoreProblem],
    *,
    force: bool = False,
) -> list[str]:
    """Archive the files after the store was saved; the new names. Failures become problems.

    `transcripts` are paths with the keys of their sessions. One whose lock a gateway holds stays,
    unless it is forced.
    """
    archived = list[str]()
    for path, key in transcripts.items():
        try:
            client.places.roots.check(path)
            async with nullcontext() if force else transcript_lock(path, _LOCK_SECONDS):
                target = await workers.undisturbed(archive, path, reason, now_ms())
        except (PathNotAllowed, WriteFailed, Busy) as error:
            problems.append(not_archived(error.message, path, key))
        else:
            archived += [] if target is None else [target]
    client.live.look_at(transcripts)
    return archived


def not_archived(message: str, path: str, key: str | UnsetType = UNSET) -> StoreProblem:
    """The problem of a transcript that could not be archived, or of an archive that stays."""
    return StoreProblem(kind="archiveFailed", message=message, sessionKey=key, path=path)


METHODS: dict[str, Handler] = {
    "gateway/patch": patch,
    "gateway/reset": reset,
    "gateway/delete": delete,
}
