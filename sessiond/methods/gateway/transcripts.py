"""The methods on transcripts of sessions: `gateway/compact` and `gateway/preview`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Literal

import attrs
from msgspec import UNSET
from sessiond_protocol.gateway import transcripts as contract

from sessiond.agents.many_readings import many_readings
from sessiond.clock import now_ms
from sessiond.errors import PathNotAllowed
from sessiond.files import workers
from sessiond.files.identity import stat_regular
from sessiond.files.locks.flock import rewriting
from sessiond.files.locks.lock_file import lock_file
from sessiond.gateway.keys.identity import trim
from sessiond.gateway.preview import PreviewItem, read_items
from sessiond.gateway.rules.record import CUT, touched
from sessiond.gateway.store.agent_store import UNREADABLE
from sessiond.gateway.store.faults import EntryFaults
from sessiond.gateway.store.snapshot import StoreProblem
from sessiond.gateway.transcripts.shorten import Shortened, shorten
from sessiond.methods.client import Client
from sessiond.methods.gateway.request import SessionRequest, StoreRequest
from sessiond.methods.gateway.transaction import changing, repeating, transcripts_of
from sessiond.methods.handlers import Handler

_LINES = 400


async def compact(
    client: Client, params: contract.StoreCompactParams
) -> contract.StoreCompactResult:
    request, now = StoreRequest.of(client, params).for_session(params.key, "key"), now_ms()
    store = request.store_to_change()
    snapshot = await store.read()
    entry, problems = None, list(snapshot.problems)
    # A lock would create the directory, so none is taken for an absent session.
    if request.find(snapshot.items) is not None:
        async with changing(request, request.key) as change:
            request.claim(change.draft)
        # If a value that is not an entry has the key, no alias replaces it.
        entry, problems = change.draft.entry(request.key), change.draft.problems
    done: Shortened | Literal["no sessionId", "no transcript"] = "no sessionId"
    if entry is not None and entry.string("sessionId"):
        paths = transcripts_of(request, store.path, entry)
        done = await _shorten(client, paths, params.maxLines or _LINES, now) or "no transcript"
    if isinstance(done, Shortened) and done.archived is not None and entry is not None:
        session_id = entry.get("sessionId")
        # Repeated on its own, because a full repetition would shorten the transcript again.
        problems = await repeating(lambda: _forget_tokens(request, session_id, now)) or problems
    result = contract.StoreCompactResult(
        key=request.key,
        compacted=False,
        **request.reported(problems),
    )
    if isinstance(done, Shortened):
        result.compacted = done.archived is not None
        result.kept = done.kept
        result.archived = UNSET if done.archived is None else done.archived
    else:
        result.reason = done
    return result


async def _shorten(client: Client, paths: Iterable[str], lines: int, now: int) -> Shortened | None:
    """Shorten the first transcript that exists; None if there is none."""
    path = next((path for path in paths if stat_regular(path) is not None), None)
    if path is None:
        return None

    def work(descriptor: int) -> Shortened:
        return shorten(path, descriptor, lines, now)

    # Two locks: gateways use the first, other and older daemons the second.
    async with lock_file(path, client.engine.config.lock_timeout):
        try:
            done = await rewriting(path, client.engine.config.lock_timeout, work)
        except FileNotFoundError:
            return None
    client.live.look_at((path,))
    return done


async def _forget_tokens(request: SessionRequest, session_id: str, now: int) -> list[StoreProblem]:
    """Remove the counters of a session that was shortened, unless the key has a new session."""
    async with changing(request, request.key) as change:
        entry = change.draft.entry(request.key)
        if entry is not None and entry.get("sessionId") == session_id:
            change.draft.items[request.key] = touched(entry, CUT, now)
    return change.draft.problems


_KEYS = 64
_LIMIT = 12
_CHARS = 240


@attrs.define
class _Looked:
    """The result for one key."""

    key: str
    status: Literal["ok", "empty", "missing", "error"] = "ok"
    store_path: str = ""
    paths: list[str] = attrs.field(factory=list)
    items: list[PreviewItem] = attrs.field(factory=list)
    refused: PathNotAllowed | None = None
    """Why its store was not read."""


async def preview(
    client: Client, params: contract.StorePreviewParams
) -> contract.StorePreviewResult:
    request = StoreRequest.of(client, params)
    asked = [key for key in map(trim, params.keys) if key][:_KEYS]
    problems: dict[StoreProblem, None] = {}
    looked = []
    for key in asked:
        looked.append(await _look(request.for_session(key, "keys"), problems))
        # Each step may compare all keys of a big store.
        await asyncio.sleep(0)
    refused = [item.refused for item in looked if item.refused is not None]
    if refused and len(refused) == len(looked):
        raise refused[0]
    limit, max_chars = params.limit or _LIMIT, params.maxChars or _CHARS
    more: list[StoreProblem] = []
    await workers.scanning(_read, looked, limit, max_chars, EntryFaults(more))
    problems.update(dict.fromkeys(more))
    return contract.StorePreviewResult(
        ts=now_ms(),
        previews=[
            contract.SessionPreview(
                key=item.key,
                status=item.status,
                items=[
                    contract.PreviewItem(role=shown.role, text=shown.text) for shown in item.items
                ],
            )
            for item in looked
        ],
        **request.reported(problems),
    )


async def _look(request: SessionRequest, problems: dict[StoreProblem, None]) -> _Looked:
    asked = request.asked
    try:
        store = request.store()
        snapshot = await store.read()
    except UNREADABLE as error:
        problems[StoreProblem("unreadableStore", error.message, path=error.data["path"])] = None
        refused = error if isinstance(error, PathNotAllowed) else None
        return _Looked(asked, "error", refused=refused)
    problems.update(dict.fromkeys(snapshot.problems))
    entry = request.find(snapshot.items)
    if entry is None or not entry.string("sessionId"):
        return _Looked(asked, "missing")
    try:
        paths = transcripts_of(request, store.path, entry)
        return _Looked(asked, store_path=store.path, paths=paths)
    except PathNotAllowed:
        return _Looked(asked, "error")


@many_readings()
def _read(looked: Iterable[_Looked], limit: int, max_chars: int, faults: EntryFaults) -> None:
    for item in looked:
        if item.status != "ok":
            continue
        item.status = "error"
        with faults.isolate(item.key, next(iter(item.paths), item.store_path)):
            item.items = read_items(item.paths, limit, max_chars)
            item.status = "ok" if item.items else "empty"


METHODS: dict[str, Handler] = {"gateway/compact": compact, "gateway/preview": preview}
