"""`gateway/resolveKey` and `evaluateFreshness`: rules that need no store."""

from __future__ import annotations

from msgspec import UnsetType
from sessiond_protocol.gateway import keys as contract
from sessiond_protocol.gateway import rules as keeping
from sessiond_protocol.wire import given

from sessiond.errors import InvalidParams
from sessiond.gateway import expiry, keys, message_key
from sessiond.gateway.config import Part
from sessiond.methods.client import Client
from sessiond.methods.dates import zone_of
from sessiond.methods.gateway.request import (
    config_of,
    dialect,
    moments_of,
    policy_object,
    problems_of,
)
from sessiond.methods.handlers import Handler


async def resolve_key(
    client: Client, params: contract.ResolveKeyParams
) -> contract.ResolveKeyResult:
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
    return contract.ResolveKeyResult(
        sessionKey=canonical_key,
        kind=keys.kind(canonical_key),
        agentId=agent,
        parsed=None
        if parsed is None
        else contract.ParsedKey(agentId=parsed.agent_id, rest=parsed.rest),
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
}
