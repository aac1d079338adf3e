"""`gateway/preview`: the last messages of sessions."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Literal

import attrs
from sessiond_protocol.gateway import transcripts as contract

from sessiond.agents.many_readings import many_readings
from sessiond.clock import now_ms
from sessiond.errors import PathNotAllowed
from sessiond.files import workers
from sessiond.gateway.keys.identity import trim
from sessiond.gateway.preview import PreviewItem, read_items
from sessiond.gateway.store.agent_store import UNREADABLE
from sessiond.gateway.store.faults import EntryFaults
from sessiond.gateway.store.snapshot import StoreProblem
from sessiond.methods.client import Client
from sessiond.methods.gateway.request import SessionRequest, StoreRequest
from sessiond.methods.gateway.transaction import transcripts_of
from sessiond.methods.handlers import Handler

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


METHODS: dict[str, Handler] = {"gateway/preview": preview}
