"""`gateway/begin`: find or start the session of an inbound message."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

import attrs
from msgspec import UNSET, UnsetType
from sessiond_protocol.gateway import begin as contract
from sessiond_protocol.wire import given

from sessiond.clock import now_ms
from sessiond.errors import AlreadyExists, InvalidParams
from sessiond.files import disk
from sessiond.gateway.keys.identity import trim
from sessiond.gateway.rules.begin import BeginContext, BeginPlan, plan
from sessiond.gateway.rules.continuation import ResolvedMessage, resolve_message
from sessiond.gateway.rules.message import InboundMessage
from sessiond.gateway.rules.route import settled
from sessiond.gateway.store import maintenance
from sessiond.gateway.store.snapshot import StoreProblem
from sessiond.gateway.transcripts import archive, fork
from sessiond.methods.client import Client
from sessiond.methods.dates import zone_of
from sessiond.methods.gateway.request import StoreRequest, moments_of, policy_object
from sessiond.methods.gateway.rules import origin_of
from sessiond.methods.gateway.transaction import changing, locating, put_away, without_used
from sessiond.methods.handlers import Handler


async def begin(client: Client, params: contract.BeginParams) -> contract.BeginResult:
    now = given(params.now)
    if now is not None and not params.dryRun:
        raise InvalidParams("expected `now` with `dryRun` only", "$.now")
    request = StoreRequest.of(client, params)
    layout = request.layout
    resolved = resolve_message(
        message_of(params.context),
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
        client.directories.agent.name,
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
    foreseen = await plan(resolved, snapshot.items, context)
    others = {key: item for key, item in snapshot.items.items() if key != resolved.key}
    retired = filter(
        request.client.places.roots.allow,
        maintenance.unused(
            _retired(request, resolved, context, foreseen),
            others,
            locating(request, context.store_path),
        ),
    )
    archived = archive.planned(retired, "reset", context.now)
    return _Begun(foreseen, list(archived.values()), list(snapshot.problems))


async def _execute(
    request: StoreRequest, resolved: ResolvedMessage, context: BeginContext
) -> _Begun:
    written: str | None = None
    saved = False
    try:
        async with changing(request, resolved.key) as change:
            draft = change.draft
            planned = await plan(resolved, draft.items, context)
            if planned.transcript is not None:
                # Lost a race; the file is identical.
                with suppress(AlreadyExists):
                    await fork.write(planned.transcript)
                    written = planned.transcript.path
            draft.items[resolved.key] = planned.entry
            retired = await without_used(
                request,
                context.store_path,
                draft,
                resolved.key,
                _retired(request, resolved, context, planned),
            )
        saved = True
    finally:
        if written is not None and not (saved or draft.saved):
            # The store does not refer to this transcript.
            with suppress(OSError):
                disk.unlink(written)
    if written is not None:
        request.client.live.look_at((written,))
    archived = put_away(
        request.client, retired, "reset", now=context.now, key=resolved.key, problems=draft.problems
    )
    return _Begun(planned, archived, draft.problems)


def _retired(
    request: StoreRequest, resolved: ResolvedMessage, context: BeginContext, planned: BeginPlan
) -> Iterable[str]:
    """The transcripts that a trigger archives; an expired session keeps its own."""
    if planned.previous is None or resolved.rest is None:
        return ()
    locate = locating(request, context.store_path)
    return locate(resolved.key, planned.previous)


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
        # As it is after the save.
        entry=settled(planned.entry, request.rules.dialect).compact(),
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


def message_of(context: contract.MessageContext) -> InboundMessage:
    """Convert the context of a message to a value for the rules."""
    source = origin_of(context)
    target = trim(given(context.CommandTargetSessionKey) or "")
    if target and given(context.CommandSource) == "native":
        source = attrs.evolve(source, session_key=target)
    texts = (context.BodyForCommands, context.CommandBody, context.RawBody, context.Body)
    said = (given(text) for text in texts)
    thread = context.MessageThreadId
    return InboundMessage(
        source=source,
        text=next((text for text in said if text is not None), ""),
        to=given(context.To),
        originating_to=given(context.OriginatingTo),
        originating_channel=given(context.OriginatingChannel),
        surface=given(context.Surface),
        account_id=given(context.AccountId),
        # mypy infers `object` for a union passed through `given`.
        thread_id=None if isinstance(thread, UnsetType) else thread,
        thread_label=given(context.ThreadLabel),
        thread_starter=given(context.ThreadStarterBody),
        parent_key=given(context.ParentSessionKey),
        group_subject=given(context.GroupSubject),
        group_channel=given(context.GroupChannel),
        group_space=given(context.GroupSpace),
        sender_name=given(context.SenderName),
        label=given(context.ConversationLabel),
    )


METHODS: dict[str, Handler] = {"gateway/begin": begin}
