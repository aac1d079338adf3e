"""`gateway/begin`: find or start the session of an inbound message."""

from __future__ import annotations

from contextlib import suppress

import attrs
from msgspec import UNSET
from sessiond_protocol.gateway import begin as contract
from sessiond_protocol.wire import given

from sessiond.clock import now_ms
from sessiond.errors import AlreadyExists, InvalidParams
from sessiond.files import disk, workers
from sessiond.gateway import maintenance, transcript
from sessiond.gateway.keys import trim
from sessiond.gateway.message import BeginContext, BeginPlan, ResolvedMessage, plan, resolve_message
from sessiond.gateway.store import Draft, StoreProblem
from sessiond.methods.client import Client
from sessiond.methods.dates import zone_of
from sessiond.methods.gateway.change import put_away
from sessiond.methods.gateway.request import StoreRequest, moments_of, policy_object
from sessiond.methods.handlers import Handler


async def begin(client: Client, params: contract.BeginParams) -> contract.BeginResult:
    now = given(params.now)
    if now is not None and not params.dryRun:
        raise InvalidParams("expected `now` with `dryRun` only", "$.now")
    message, request = params.context, StoreRequest.of(client, params)
    target = trim(given(message.CommandTargetSessionKey) or "")
    if target and given(message.CommandSource) == "native":
        message.SessionKey = target
    layout = request.layout
    resolved = resolve_message(
        message,
        layout.config,
        layout.rules,
        authorized=params.authorized is not False,
    )
    request = request.for_agent(resolved.agent_id)
    cwd = given(params.cwd)
    context = BeginContext(
        layout,
        request.store().path,
        now_ms() if now is None else int(now),
        zone_of(params.timezone),
        client.places.cwd(layout.workspace(resolved.agent_id) if cwd is None else cwd),
        client.places.roots.check,
    )
    done = await (_foresee if params.dryRun else _execute)(request, resolved, context)
    return _result(request, resolved, context, done)


@attrs.frozen
class _Begun:
    plan: BeginPlan
    archived: list[str]
    problems: list[StoreProblem]


async def _foresee(
    request: StoreRequest, resolved: ResolvedMessage, context: BeginContext
) -> _Begun:
    snapshot = await request.store().read()
    return _Begun(await plan(resolved, snapshot.items, context), [], list(snapshot.problems))


async def _execute(
    request: StoreRequest, resolved: ResolvedMessage, context: BeginContext
) -> _Begun:
    key, written, drafts = resolved.key, list[str](), list[Draft]()

    async def edit(draft: Draft) -> tuple[BeginPlan, list[str]]:
        _unlink(written)
        drafts[:] = [draft]
        planned = await plan(resolved, draft.items, context)
        if planned.transcript is not None:
            # Another program may just have created it.
            with suppress(AlreadyExists):
                await transcript.write(planned.transcript)
                written.append(planned.transcript.path)
        draft.put(key, planned.entry)
        ended: list[str] = []
        if planned.previous is not None and resolved.rest is not None:
            # A trigger archives the transcripts; an expired session keeps its own.
            locate = request.locate()
            ended = list(locate(key, planned.previous))
            others = {other: item for other, item in draft.items.items() if other != key}
            ended = await workers.reading(draft.size, maintenance.unused, ended, others, locate)
        return planned, ended

    try:
        (planned, ended), problems = await request.store_to_change().change(edit)
    except BaseException:
        if not any(draft.saved for draft in drafts):
            # The store does not refer to this transcript.
            _unlink(written)
        raise
    if written:
        request.client.live.look_at(tuple(written))
    archived = await put_away(request.client, dict.fromkeys(ended, key), "reset", problems)
    return _Begun(planned, archived, problems)


def _unlink(written: list[str]) -> None:
    while written:
        with suppress(OSError):
            disk.unlink(written.pop())


def _result(
    request: StoreRequest, resolved: ResolvedMessage, context: BeginContext, done: _Begun
) -> contract.BeginResult:
    planned, verdict = done.plan, done.plan.verdict
    daily, idle = moments_of(verdict.freshness)
    problems = [problem for problem in done.problems if not _is_over(problem, resolved.key)]
    if verdict.trouble is not None:
        problems.append(verdict.trouble)
    replaced = planned.previous if verdict.is_new else None
    return contract.BeginResult(
        sessionKey=resolved.key,
        sessionId=planned.session_id,
        sessionFile=planned.session_file,
        isNewSession=verdict.is_new,
        resetTriggered=resolved.rest is not None,
        bodyStripped=UNSET if resolved.rest is None else resolved.rest,
        entry=planned.entry.compact(),
        previousEntry=UNSET if replaced is None else replaced.compact(),
        resetType=resolved.reset_type,
        policy=policy_object(resolved.policy),
        freshness=contract.BeginFreshness(
            fresh=verdict.freshness.fresh, dailyResetAt=daily, idleExpiresAt=idle
        ),
        archived=done.archived,
        forkedFrom=UNSET if planned.forked_from is None else planned.forked_from,
        storePath=context.store_path,
        **request.reported(problems),
    )


def _is_over(problem: StoreProblem, key: str) -> bool:
    # The new entry has replaced null.
    return problem.kind == "notAnEntry" and problem.session_key == key


METHODS: dict[str, Handler] = {"gateway/begin": begin}
