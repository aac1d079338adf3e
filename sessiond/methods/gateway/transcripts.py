"""The methods on transcripts of sessions: `gateway/compact` and `gateway/preview`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Literal

import attrs
from msgspec import UNSET
from sessiond_protocol.gateway import transcripts as contract

from sessiond.errors import PathNotAllowed, ReadFailed
from sessiond.files.identity import stat_regular
from sessiond.files.locks.flock import rewriting
from sessiond.files.locks.lock_file import lock_file
from sessiond.gateway.clock import now_ms
from sessiond.gateway.config.layout import Layout
from sessiond.gateway.keys import session_key
from sessiond.gateway.keys.identity import trim
from sessiond.gateway.keys.lookup import claim, find
from sessiond.gateway.preview import PreviewItem, read_items
from sessiond.gateway.rules.record import CUT, touched
from sessiond.gateway.store.faults import EntryFaults
from sessiond.gateway.store.snapshot import StoreProblem
from sessiond.gateway.transcripts.shorten import Shortened, shorten
from sessiond.methods.app import App, Handler
from sessiond.methods.gateway.request import (
    key_of,
    layout_of,
    store_of,
    store_problems,
    store_to_change,
)
from sessiond.methods.gateway.rules import problems_of
from sessiond.methods.gateway.transaction import changing, repeating, transcripts_of

_LINES = 400


async def compact(app: App, params: contract.StoreCompactParams) -> contract.StoreCompactResult:
    layout, now = layout_of(app, params), now_ms()
    key = key_of(layout, params.key, "key")
    agent_id = session_key.agent_of(key, layout.rules)
    store = store_to_change(app, layout, agent_id)
    snapshot = await store.read()
    entry, problems = None, list(snapshot.problems)
    # Not even a directory is made for the lock of a store that does not have it.
    if find(snapshot.items, key, params.key, layout.rules) is not None:
        async with changing(app, layout, agent_id, key) as change:
            claim(change.draft, key, params.key, layout.rules)
        # Where a value that is no entry stands under the key, an alias does not stand in for it.
        entry, problems = change.draft.entry(key), change.draft.problems
    done: Shortened | Literal["no sessionId", "no transcript"] = "no sessionId"
    if entry is not None and entry.string("sessionId"):
        paths = transcripts_of(app, layout, agent_id, store.path, entry)
        done = await _shorten(app, paths, params.maxLines or _LINES, now) or "no transcript"
    if isinstance(done, Shortened) and done.archived is not None and entry is not None:
        session_id = entry.get("sessionId")
        # Apart from the rest: the transcript is cut by now, and would be cut again.
        problems = (
            await repeating(lambda: _forget_tokens(app, layout, key, session_id, now)) or problems
        )
    result = contract.StoreCompactResult(
        ok=True,
        key=key,
        compacted=False,
        problems=store_problems(problems),
        configProblems=problems_of(layout.config),
    )
    if isinstance(done, Shortened):
        result.compacted = done.archived is not None
        result.kept = done.kept
        result.archived = UNSET if done.archived is None else done.archived
    else:
        result.reason = done
    return result


async def _shorten(app: App, paths: Iterable[str], lines: int, now: int) -> Shortened | None:
    """Cut the first transcript there is; None: there is none."""
    path = next((path for path in paths if stat_regular(path) is not None), None)
    if path is None:
        return None

    def work(descriptor: int) -> Shortened:
        return shorten(path, descriptor, lines, now, app.config.profile)

    # Both kinds of lock: a gateway knows the one, other daemons and older ones of ours the other.
    async with lock_file(path, app.engine.config.lock_timeout):
        try:
            done = await rewriting(path, app.engine.config.lock_timeout, work)
        except FileNotFoundError:
            return None
    app.live.look_at((path,))
    return done


async def _forget_tokens(
    app: App, layout: Layout, key: str, session_id: str, now: int
) -> list[StoreProblem]:
    """The counters of a session that was cut, unless the key has another one by now."""
    async with changing(app, layout, session_key.agent_of(key, layout.rules), key) as store:
        entry = store.draft.entry(key)
        if entry is not None and entry.get("sessionId") == session_id:
            store.draft.items[key] = touched(entry, CUT, now)
    return store.draft.problems


_KEYS = 64
_LIMIT = 12
_CHARS = 240


@attrs.define
class _Looked:
    """What the store says of a key."""

    key: str
    status: Literal["ok", "empty", "missing", "error"] = "ok"
    store_path: str = ""
    paths: list[str] = attrs.field(factory=list)
    items: list[PreviewItem] = attrs.field(factory=list)
    refused: PathNotAllowed | None = None
    """Why its store was not even looked at."""


async def preview(app: App, params: contract.StorePreviewParams) -> contract.StorePreviewResult:
    layout = layout_of(app, params)
    asked = [key for key in map(trim, params.keys) if key][:_KEYS]
    problems: dict[StoreProblem, None] = {}
    looked = []
    for key in asked:
        looked.append(await _look(app, layout, key, problems))
        # Each may look through all keys of a big store.
        await asyncio.sleep(0)
    refused = [item.refused for item in looked if item.refused is not None]
    if refused and len(refused) == len(looked):
        raise refused[0]
    limit, max_chars = params.limit or _LIMIT, params.maxChars or _CHARS
    more: list[StoreProblem] = []
    await asyncio.to_thread(_read, looked, limit, max_chars, EntryFaults(more))
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
        problems=store_problems(problems),
        configProblems=problems_of(layout.config),
    )


async def _look(
    app: App, layout: Layout, asked: str, problems: dict[StoreProblem, None]
) -> _Looked:
    key = key_of(layout, asked, "keys")
    agent_id = session_key.agent_of(key, layout.rules)
    try:
        store = store_of(app, layout, agent_id)
        snapshot = await store.read()
    except (ReadFailed, PathNotAllowed) as error:
        problems[StoreProblem("unreadableStore", error.message, path=error.data["path"])] = None
        refused = error if isinstance(error, PathNotAllowed) else None
        return _Looked(asked, "error", refused=refused)
    problems.update(dict.fromkeys(snapshot.problems))
    entry = find(snapshot.items, key, asked, layout.rules)
    if entry is None or not entry.string("sessionId"):
        return _Looked(asked, "missing")
    try:
        paths = transcripts_of(app, layout, agent_id, store.path, entry)
        return _Looked(asked, store_path=store.path, paths=paths)
    except PathNotAllowed:
        return _Looked(asked, "error")


def _read(looked: Iterable[_Looked], limit: int, max_chars: int, faults: EntryFaults) -> None:
    for item in looked:
        if item.status != "ok":
            continue
        item.status = "error"
        with faults.isolate(item.key, next(iter(item.paths), item.store_path)):
            item.items = read_items(item.paths, limit, max_chars)
            item.status = "ok" if item.items else "empty"


METHODS: dict[str, Handler] = {"gateway/compact": compact, "gateway/preview": preview}
