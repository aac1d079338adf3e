"""Methods that need no store: keys, freshness and paths of transcripts."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping
from typing import Any, cast

from msgspec import UNSET, UnsetType
from sessiond_protocol.gateway import keys as contract
from sessiond_protocol.gateway import rules as keeping
from sessiond_protocol.wire import given

from sessiond.agents.agent_ids import normal_agent_id
from sessiond.agents.dialect import Dialect
from sessiond.agents.sessions import database_at, is_place, places_with
from sessiond.errors import InvalidParams
from sessiond.gateway.config.reader import Part
from sessiond.gateway.keys import build, inbound, session_key
from sessiond.gateway.keys.identity import trim
from sessiond.gateway.rules import freshness
from sessiond.gateway.transcripts.paths import Directory, session_id_of
from sessiond.home import absolute
from sessiond.jsontext.spans import loads
from sessiond.methods.client import Client
from sessiond.methods.dates import zone_of
from sessiond.methods.handlers import Handler

_READ = ("session", "agents", "channels", "cron", "messages", "models")


def config_of(sent: contract.JsonObject | UnsetType | None) -> Part:
    return Part.root(members_of(sent, _READ))


def members_of(
    sent: contract.JsonObject | UnsetType | None, names: Iterable[str]
) -> Mapping[str, Any]:
    """The decoded values of the named members of an object; other members are ignored."""
    members = given(sent) or {}
    return {name: loads(bytes(cast("bytes", members[name]))) for name in names if name in members}


def dialect(client: Client) -> Dialect:
    """The dialect of the connection's profile."""
    return client.directories.agent.dialect


def problems_of(config: Part) -> list[contract.ConfigProblem] | UnsetType:
    problems = config.problems.items()
    return [contract.ConfigProblem(path=path, message=text) for path, text in problems] or UNSET


async def resolve_key(
    client: Client, params: contract.ResolveKeyParams
) -> contract.ResolveKeyResult:
    context, key = given(params.context), given(params.key)
    config = config_of(params.config)
    rules = session_key.KeyRules.of(config, given(params.agentId), dialect(client))
    if context is not None and key is None:
        origin = origin_of(context)
        canonical_key = key = inbound.message_key(origin, rules, inbound.surfaces(config))
        agent = inbound.message_agent(origin, rules)
    elif key is not None and context is None:
        canonical_key = session_key.canonical(key, rules)
        agent = session_key.agent_of(canonical_key, rules)
    else:
        raise InvalidParams("expected exactly one of `context` and `key`")
    parsed = session_key.parse(key)
    return contract.ResolveKeyResult(
        sessionKey=canonical_key,
        kind=session_key.kind(canonical_key),
        agentId=agent,
        parsed=None
        if parsed is None
        else contract.ParsedKey(agentId=parsed.agent_id, rest=parsed.rest),
        shape=session_key.shape(key),
        aliases=session_key.aliases(canonical_key, key, rules),
        configProblems=problems_of(config),
    )


def origin_of(context: contract.InboundContext) -> inbound.MessageSource:
    sent = (context.SessionKey, context.From, context.ChatType, context.Provider)
    return inbound.MessageSource(*map(given, sent))


async def build_key(client: Client, params: contract.BuildKeyParams) -> contract.BuildKeyResult:
    peer = build.Peer(
        given(params.channel),
        given(params.accountId),
        params.peerKind or "direct",
        given(params.peerId),
    )
    base = build.peer_key(
        params.agentId,
        peer,
        main_key=given(params.mainKey),
        dm_scope=params.dmScope or "main",
        links=given(params.identityLinks),
        dialect=dialect(client),
    )
    key, parent = build.thread_key(
        base, given(params.threadId), given(params.parentSessionKey), dialect=dialect(client)
    )
    return contract.BuildKeyResult(
        sessionKey=key, parentSessionKey=UNSET if parent is None else parent
    )


async def evaluate_freshness(
    client: Client, params: keeping.EvaluateFreshnessParams
) -> keeping.EvaluateFreshnessResult:
    config = config_of(params.config)
    rules = dialect(client)
    policy = _policy(params, config, rules)
    updated = params.updatedAt
    times = freshness.Times()
    if rules.has_session_times:
        times = freshness.Times(given(params.sessionStartedAt), given(params.lastInteractionAt))
    judged = freshness.evaluate(
        policy,
        # As in JavaScript comparisons: null is 0, absent compares with nothing.
        None if isinstance(updated, UnsetType) else updated or 0,
        params.now,
        zone_of(params.timezone),
        times,
    )
    daily, idle = moments_of(judged)
    return keeping.EvaluateFreshnessResult(
        fresh=judged.fresh,
        policy=policy_object(policy),
        dailyResetAt=daily,
        idleExpiresAt=idle,
        configProblems=problems_of(config),
    )


def policy_object(policy: freshness.ResetPolicy) -> keeping.ResetPolicy:
    """The policy in the form of the contract."""
    return keeping.ResetPolicy(
        mode=policy.mode,
        atHour=policy.at_hour,
        idleMinutes=UNSET if policy.idle_minutes is None else policy.idle_minutes,
    )


def moments_of(judged: freshness.Freshness) -> tuple[int | UnsetType, float | UnsetType]:
    """`dailyResetAt` and `idleExpiresAt` in the form of the contract."""
    daily, idle = judged.daily_reset_at, judged.idle_expires_at
    return (
        UNSET if daily is None else daily,
        UNSET if idle is None else int(idle) if idle == int(idle) else idle,
    )


def _policy(
    params: keeping.EvaluateFreshnessParams, config: Part, rules: Dialect
) -> freshness.ResetPolicy:
    reset_type: freshness.ResetType | None = given(params.resetType)
    policy = given(params.policy)
    if (reset_type is None) == (policy is None):
        raise InvalidParams("expected exactly one of `resetType` and `policy`")
    if reset_type is not None:
        return freshness.reset_policy(config, reset_type, given(params.channel), rules)
    assert policy is not None  # noqa: S101 - one of the two is there
    return freshness.ResetPolicy(
        policy.mode,
        freshness.DEFAULT_HOUR if policy.atHour is None else policy.atHour,
        given(policy.idleMinutes),
    )


async def transcript_path(
    client: Client, params: keeping.TranscriptPathParams
) -> keeping.TranscriptPathResult:
    session_id, session_file = given(params.sessionId), given(params.sessionFile)
    directory = _directory(client, params)
    if session_id is not None and not trim(session_file or ""):
        path = directory.default(session_id, _topic(params))
        directory_or_database, *_ = places_with(posixpath.dirname(path))
        if is_place(directory_or_database):
            database = database_at(directory_or_database)
            path = database.transcript_path(directory_or_database, session_id_of(session_id))
        return keeping.TranscriptPathResult(path=path)
    if session_file is None:
        raise InvalidParams("expected `sessionId` or `sessionFile`", "$.sessionId")
    return keeping.TranscriptPathResult(path=directory.locate(session_file))


def _topic(params: keeping.TranscriptPathParams) -> str | float | None:
    # mypy infers `object` for a union passed through `given`.
    return None if isinstance(params.topicId, UnsetType) else params.topicId


def _directory(client: Client, params: keeping.TranscriptPathParams) -> Directory:
    where = client.directories
    agent = given(params.agentId)
    owner = normal_agent_id(where.agent_id if agent is None else agent)
    state = where.agent_dir if where.agent.has_gateway else None
    sessions_dir, store_path = given(params.sessionsDir), given(params.storePath)
    for name, path in (("sessionsDir", sessions_dir), ("storePath", store_path)):
        if path is not None and "\0" in path:
            raise InvalidParams("expected a path without null characters", f"$.{name}")
    if sessions_dir is not None:
        base = absolute(sessions_dir, client.env)
    elif store_path is not None:
        base = posixpath.dirname(absolute(store_path.replace("{agentId}", owner), client.env))
    elif state is not None:
        base = posixpath.join(state, "agents", owner, "sessions")
    else:
        name = where.agent.name
        raise InvalidParams(
            f"expected a directory: agents of the profile {name} have no sessions directory",
            "$.sessionsDir",
        )
    return Directory(base, state, None if agent is None else owner)


METHODS: dict[str, Handler] = {
    "gateway/resolveKey": resolve_key,
    "gateway/buildKey": build_key,
    "gateway/evaluateFreshness": evaluate_freshness,
    "gateway/transcriptPath": transcript_path,
}
