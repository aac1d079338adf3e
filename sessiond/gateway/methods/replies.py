"""Rules of which only `gateway/planMemoryFlush` may read a store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
from msgspec import UNSET, UnsetType
from sessiond_protocol.gateway import keys as naming
from sessiond_protocol.gateway import replies as contract
from sessiond_protocol.gateway import rules as keeping
from sessiond_protocol.gateway.store import StoreProblem
from sessiond_protocol.wire import given

from sessiond.gateway import expiry, keys, memory_flush, message_key, silence
from sessiond.gateway.config import Part
from sessiond.gateway.methods.request import (
    StoreRequest,
    config_of,
    dialect,
    members_of,
    moments_of,
    policy_object,
    problems_of,
)
from sessiond.methods.client import Client
from sessiond.methods.dates import zone_of
from sessiond.methods.handlers import Handler
from sessiond.runtime.clock import now_ms
from sessiond.runtime.errors import InvalidParams

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
    facts = await _known(client, params)
    settings = memory_flush.FlushSettings.of(facts.config)
    where = zone_of(params.timezone) or settings.timezone
    threshold = settings.threshold(given(params.contextWindow))
    reason = memory_flush.flush_reason(settings, facts.counters, threshold, params)
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
        problems=list(facts.problems) or UNSET,
        configProblems=problems_of(facts.config),
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


async def resolve_key(client: Client, params: naming.ResolveKeyParams) -> naming.ResolveKeyResult:
    context, key = given(params.context), given(params.key)
    config = config_of(params.config)
    rules = keys.KeyRules.of(config, given(params.agentId), dialect(client))
    if context is not None and key is None:
        canonical_key = key = message_key.message_key(context, rules, message_key.surfaces(config))
        agent = message_key.message_agent(context, rules)
    elif key is not None and context is None:
        canonical_key = keys.canonical(key, rules)
        agent = keys.agent_of(canonical_key, rules)
    else:
        raise InvalidParams("expected exactly one of `context` and `key`")
    parsed = keys.parse(key)
    return naming.ResolveKeyResult(
        sessionKey=canonical_key,
        kind=keys.kind(canonical_key),
        agentId=agent,
        parsed=None
        if parsed is None
        else naming.ParsedKey(agentId=parsed.agent_id, rest=parsed.rest),
        aliases=keys.aliases(canonical_key, key, rules),
        configProblems=problems_of(config),
    )


async def evaluate_freshness(
    _client: Client, params: keeping.EvaluateFreshnessParams
) -> keeping.EvaluateFreshnessResult:
    config = config_of(params.config)
    policy = _policy(params, config)
    updated = params.updatedAt
    judged = expiry.evaluate(
        policy,
        # As in JavaScript comparisons: null is 0, absent compares with nothing.
        None if isinstance(updated, UnsetType) else updated or 0,
        params.now,
        zone_of(params.timezone),
    )
    daily, idle = moments_of(judged)
    return keeping.EvaluateFreshnessResult(
        fresh=judged.fresh,
        policy=policy_object(policy),
        dailyResetAt=daily,
        idleExpiresAt=idle,
        configProblems=problems_of(config),
    )


def _policy(params: keeping.EvaluateFreshnessParams, config: Part) -> expiry.ResetPolicy:
    reset_type: expiry.ResetType | None = given(params.resetType)
    policy = given(params.policy)
    if (reset_type is None) == (policy is None):
        raise InvalidParams("expected exactly one of `resetType` and `policy`")
    if reset_type is not None:
        return expiry.reset_policy(config, reset_type, given(params.channel))
    assert policy is not None  # noqa: S101 - one of the two is there
    return expiry.ResetPolicy(
        policy.mode,
        expiry.DEFAULT_HOUR if policy.atHour is None else policy.atHour,
        given(policy.idleMinutes),
    )


METHODS: dict[str, Handler] = {
    "gateway/resolveKey": resolve_key,
    "gateway/evaluateFreshness": evaluate_freshness,
    "gateway/isSilentReply": is_silent_reply,
    "gateway/planMemoryFlush": plan_memory_flush,
}
