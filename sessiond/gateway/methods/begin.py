"""`gateway/begin`: find or start the session of an inbound message."""

from __future__ import annotations

from contextlib import suppress

from msgspec import UNSET
from sessiond_protocol.gateway import begin as contract
from sessiond_protocol.gateway.store import StoreProblem
from sessiond_protocol.wire import given

from sessiond.files import workers
from sessiond.gateway import maintenance, transcript
from sessiond.gateway.keys import trim
from sessiond.gateway.message import BeginContext, Plan, ResolvedMessage, plan, resolve_message
from sessiond.gateway.methods.change import put_away
from sessiond.gateway.methods.request import StoreRequest, moments_of, policy_object
from sessiond.gateway.store import Draft
from sessiond.methods.client import Client
from sessiond.methods.dates import zone_of
from sessiond.methods.handlers import Handler
from sessiond.runtime.clock import now_ms
from sessiond.runtime.errors import AlreadyExists, InvalidParams


async def begin(client: Client, params: contract.BeginParams) -> contract.BeginResult:
    now = given(params.now)
    if now is not None and not params.dryRun:
        raise InvalidParams("expected `now` with `dryRun` only", "$.now")
    message, request = params.context, StoreRequest.of(client, params)
    target = trim(given(message.CommandTargetSessionKey) or "")
    if target and given(message.CommandSource) == "native":
        message.SessionKey = target
    layout = request.layout
    authorized = params.authorized is not False
    resolved = resolve_message(message, layout.config, layout.rules, authorized=authorized)
    request = request.for_agent(resolved.agent_id)
    cwd = given(params.cwd)
    context = BeginContext(
        layout,
        request.store().path,
        now_ms() if now is None else int(now),
        zone_of(params.timezone),
        lambda: client.places.cwd(layout.workspace(resolved.agent_id) if cwd is None else cwd),
        client.places.roots.check,
    )
    archived: list[str] = []
    if params.dryRun:
        snapshot = await request.store().read()
        planned = await workers.reading(workers.LONG, plan, resolved, snapshot.items, context)
        problems = list(snapshot.problems)
    else:
        planned, ended, problems = await _execute(request, resolved, context)
        if planned.transcript is not None:
            client.live.look_at((planned.transcript.path,))
        if ended:
            ends = dict.fromkeys(ended, resolved.key)
            archived = await put_away(client, ends, "reset", problems)
    problems = [problem for problem in problems if not _is_over(problem, resolved.key)]
    if planned.trouble is not None:
        problems.append(planned.trouble)
    daily, idle = moments_of(planned.freshness)
    replaced = planned.previous if planned.is_new else None
    return contract.BeginResult(
        sessionKey=resolved.key,
        sessionId=planned.session_id,
        sessionFile=planned.session_file,
        isNewSession=planned.is_new,
        resetTriggered=resolved.rest is not None,
        bodyStripped=UNSET if resolved.rest is None else resolved.rest,
        entry=planned.entry.compact(),
        previousEntry=UNSET if replaced is None else replaced.compact(),
        resetType=resolved.reset_type,
        policy=policy_object(resolved.policy),
        freshness=contract.BeginFreshness(
            fresh=planned.freshness.fresh, dailyResetAt=daily, idleExpiresAt=idle
        ),
        archived=archived,
        forkedFrom=UNSET if planned.forked_from is None else planned.forked_from,
        storePath=context.store_path,
        **request.reported(problems),
    )


async def _execute(
    request: StoreRequest, resolved: ResolvedMessage, context: BeginContext
) -> tuple[Plan, list[str], list[StoreProblem]]:
    """Store the session of the message; also the transcripts to archive, and the problems."""
    key, locate = resolved.key, request.locate()

    def edit(draft: Draft) -> tuple[Plan, list[str]]:
        planned = plan(resolved, draft.items, context)
        if planned.transcript is not None:
            # Another program may just have created it.
            with suppress(AlreadyExists):
                transcript.write(planned.transcript)
                draft.created.append(planned.transcript.path)
        draft.put(key, planned.entry)
        ended: list[str] = []
        if planned.previous is not None and resolved.rest is not None:
            # A trigger archives the transcripts; an expired session keeps its own.
            others = {other: item for other, item in draft.items.items() if other != key}
            ended = maintenance.unused(locate(key, planned.previous), others, locate)
        return planned, ended

    (planned, ended), problems = await request.store_to_change().change(edit)
    return planned, ended, problems


def _is_over(problem: StoreProblem, key: str) -> bool:
    # The new entry has replaced null.
    return problem.kind == "notAnEntry" and problem.sessionKey == key


METHODS: dict[str, Handler] = {"gateway/begin": begin}
