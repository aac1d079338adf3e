"""`gateway/isSilentReply` and `planMemoryFlush`: rules around a turn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
from msgspec import UNSET
from sessiond_protocol.gateway import replies as contract
from sessiond_protocol.wire import given

from sessiond.clock import now_ms
from sessiond.errors import InvalidParams
from sessiond.gateway import memory_flush, silence
from sessiond.gateway.config import Part
from sessiond.gateway.store import StoreProblem
from sessiond.methods.client import Client
from sessiond.methods.dates import zone_of
from sessiond.methods.gateway.request import (
    StoreRequest,
    config_of,
    dialect,
    members_of,
    problems_of,
    store_problems,
)
from sessiond.methods.handlers import Handler

_COUNTERS = ("totalTokens", "totalTokensFresh", "compactionCount", "memoryFlushCompactionCount")


async def is_silent_reply(
    client: Client, params: contract.IsSilentReplyParams
) -> contract.IsSilentReplyResult:
    text, token, gateway = params.text, params.token or silence.SILENT_TOKEN, dialect(client)
    return contract.IsSilentReplyResult(
        silent=silence.is_silent(text, token, gateway),
        hold=bool(params.streaming) and silence.could_become_silent(text, token, gateway),
    )


async def plan_memory_flush(
    client: Client, params: contract.PlanMemoryFlushParams
) -> contract.PlanMemoryFlushResult:
    known = await _known(client, params)
    settings = memory_flush.FlushSettings.of(known.config)
    where = zone_of(params.timezone) or settings.timezone
    threshold = settings.threshold(given(params.contextWindow))
    turn = memory_flush.Turn(
        sandboxed=bool(params.sandboxed),
        workspace_access=given(params.workspaceAccess),
        heartbeat=bool(params.heartbeat),
        cli_provider=bool(params.cliProvider),
    )
    reason = memory_flush.flush_reason(settings, known.counters, threshold, turn)
    now = given(params.now)
    due = reason == "due"
    return contract.PlanMemoryFlushResult(
        flush=due,
        reason=reason,
        threshold=threshold,
        prompt=memory_flush.dated(settings.prompt, now_ms() if now is None else now, where)
        if due
        else UNSET,
        systemPrompt=settings.system_prompt if due else UNSET,
        problems=store_problems(known.problems),
        configProblems=problems_of(known.config),
    )


@attrs.frozen
class _Known:
    """The configuration and counters before a turn."""

    config: Part
    counters: Mapping[str, Any]
    problems: tuple[StoreProblem, ...] = ()


async def _known(client: Client, params: contract.PlanMemoryFlushParams) -> _Known:
    session_key = given(params.sessionKey)
    if (given(params.entry) is None) == (session_key is None):
        raise InvalidParams("expected exactly one of `entry` and `sessionKey`", "$.entry")
    if session_key is None:
        return _Known(config_of(params.config), members_of(params.entry, _COUNTERS))
    request = StoreRequest.of(client, params).for_session(session_key)
    snapshot = await request.store().read()
    entry = request.find(snapshot.items)
    counters = {} if entry is None else {name: entry.get(name) for name in _COUNTERS}
    return _Known(request.layout.config, counters, snapshot.problems)


METHODS: dict[str, Handler] = {
    "gateway/isSilentReply": is_silent_reply,
    "gateway/planMemoryFlush": plan_memory_flush,
}
