"""CoderClaw's session layer: the last messages of sessions."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Literal

import attrs
from sessiond_protocol.gateway import transcripts as contract

from sessiond.errors import PathNotAllowed, ReadFailed
from sessiond.gateway.clock import now_ms
from sessiond.gateway.config.layout import Layout
from sessiond.gateway.keys import session_key
from sessiond.gateway.keys.identity import trim
from sessiond.gateway.keys.lookup import find
from sessiond.gateway.preview import Item, read_items
from sessiond.gateway.store.faults import EntryFaults
from sessiond.gateway.store.snapshot import Problem
from sessiond.methods.app import App, Handler
from sessiond.methods.gateway.request import key_of, layout_of, store_of, store_problems
from sessiond.methods.gateway.rules import problems_of
from sessiond.methods.gateway.transaction import transcripts_of

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
    items: list[Item] = attrs.field(factory=list)
    refused: PathNotAllowed | None = None
    """Why its store was not even looked at."""


async def preview(app: App, params: contract.StorePreviewParams) -> contract.StorePreviewResult:
    layout = layout_of(app, params)
    asked = [key for key in map(trim, params.keys) if key][:_KEYS]
    problems: dict[Problem, None] = {}
    looked = []
    for key in asked:
        looked.append(await _look(app, layout, key, problems))
        # Each may look through all keys of a big store.
        await asyncio.sleep(0)
    refused = [item.refused for item in looked if item.refused is not None]
    if refused and len(refused) == len(looked):
        raise refused[0]
    limit, max_chars = params.limit or _LIMIT, params.maxChars or _CHARS
    more: list[Problem] = []
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


async def _look(app: App, layout: Layout, asked: str, problems: dict[Problem, None]) -> _Looked:
    key = key_of(layout, asked, "keys")
    agent_id = session_key.agent_of(key, layout.rules)
    try:
        store = store_of(app, layout, agent_id)
        snapshot = await store.read()
    except (ReadFailed, PathNotAllowed) as error:
        problems[Problem("unreadableStore", error.message, path=error.data["path"])] = None
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


METHODS: dict[str, Handler] = {"gateway/preview": preview}
