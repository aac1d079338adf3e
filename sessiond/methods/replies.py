"""CoderClaw's session layer around a turn: silence, leave to send, time to save memories."""

from __future__ import annotations

import time

from msgspec import UNSET
from sessiond_protocol import replies as contract
from sessiond_protocol.wire import given

from sessiond.gateway import flush, policy, silent
from sessiond.methods.app import App, Handler
from sessiond.methods.gateway import config_of, members_of, problems_of, zone_of

_COUNTERS = ("totalTokens", "totalTokensFresh", "compactionCount", "memoryFlushCompactionCount")
_ROUTE = ("sendPolicy", "channel", "lastChannel", "chatType")


async def is_silent_reply(
    _app: App, params: contract.IsSilentReplyParams
) -> contract.IsSilentReplyResult:
    text, token = params.text, params.token or silent.TOKEN
    return contract.IsSilentReplyResult(
        silent=silent.is_silent(text, token),
        hold=bool(params.streaming) and silent.could_become_silent(text, token),
    )


async def send_policy(_app: App, params: contract.SendPolicyParams) -> contract.SendPolicyResult:
    config = config_of(params.config)
    sent = members_of(params.entry, _ROUTE)
    entry = {name: value for name, value in sent.items() if isinstance(value, str)}
    conversation = policy.Conversation(
        params.sessionKey,
        given(params.channel) or entry.get("channel") or entry.get("lastChannel"),
        given(params.chatType) or entry.get("chatType"),
        entry.get("sendPolicy"),
    )
    return contract.SendPolicyResult(
        policy=policy.send_policy(config, conversation), configProblems=problems_of(config)
    )


async def memory_flush(_app: App, params: contract.MemoryFlushParams) -> contract.MemoryFlushResult:
    config = config_of(params.config)
    settings = flush.FlushSettings.of(config)
    where = zone_of(params.timezone) or settings.timezone
    threshold = settings.threshold(given(params.contextWindow))
    turn = flush.Turn(
        sandboxed=bool(params.sandboxed),
        workspace_access=given(params.workspaceAccess),
        heartbeat=bool(params.heartbeat),
        cli_provider=bool(params.cliProvider),
    )
    reason = flush.flush_reason(settings, members_of(params.entry, _COUNTERS), threshold, turn)
    now = given(params.now)
    due = reason == "due"
    return contract.MemoryFlushResult(
        flush=due,
        reason=reason,
        threshold=threshold,
        prompt=flush.dated(settings.prompt, _now() if now is None else now, where)
        if due
        else UNSET,
        systemPrompt=settings.system_prompt if due else UNSET,
        configProblems=problems_of(config),
    )


def _now() -> float:
    return time.time() * 1000


METHODS: dict[str, Handler] = {
    "gateway/isSilentReply": is_silent_reply,
    "gateway/sendPolicy": send_policy,
    "gateway/memoryFlush": memory_flush,
}
