"""CoderClaw's session layer: the session of an inbound message."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

import attrs
from msgspec import UNSET, UnsetType
from sessiond_protocol.gateway import begin as contract
from sessiond_protocol.wire import given

from sessiond.errors import AlreadyExists, InvalidParams
from sessiond.files import disk
from sessiond.gateway.clock import now_ms
from sessiond.gateway.config.layout import Layout
from sessiond.gateway.keys.identity import trim
from sessiond.gateway.rules.begin import Plan, Setting, plan
from sessiond.gateway.rules.continuation import Inbound, look_at
from sessiond.gateway.rules.message import Message
from sessiond.gateway.rules.route import settled
from sessiond.gateway.store.snapshot import Problem
from sessiond.gateway.transcripts import archive, fork
from sessiond.methods.app import App, Handler
from sessiond.methods.gateway.archive import put_away
from sessiond.methods.gateway.request import layout_of, store_of, store_problems
from sessiond.methods.gateway.rules import (
    moments_of,
    origin_of,
    policy_object,
    problems_of,
    zone_of,
)
from sessiond.methods.gateway.transaction import changing, locating


async def begin(app: App, params: contract.BeginParams) -> contract.BeginResult:
    now = given(params.now)
    if now is not None and not params.dryRun:
        raise InvalidParams("expected `now` with `dryRun` only", "$.now")
    layout = layout_of(app, params)
    seen = look_at(
        message_of(params.context),
        layout.config,
        layout.rules,
        authorized=params.authorized is not False,
    )
    cwd = given(params.cwd)
    setting = Setting(
        layout,
        store_of(app, layout, seen.agent_id).path,
        now_ms() if now is None else int(now),
        zone_of(params.timezone),
        app.places.cwd(layout.workspace(seen.agent_id) if cwd is None else cwd),
        app.directories.profile.name,
        app.places.roots.check,
    )
    done = await (_foresee if params.dryRun else _execute)(app, seen, setting)
    return _result(layout, seen, setting, done)


@attrs.frozen
class _Done:
    plan: Plan
    archived: list[str]
    problems: list[Problem]


async def _foresee(app: App, seen: Inbound, setting: Setting) -> _Done:
    snapshot = await store_of(app, setting.layout, seen.agent_id).read()
    found = await plan(seen, snapshot.items, setting)
    retired = filter(app.places.roots.allow, _retired(seen, setting, found))
    archived = archive.planned(retired, "reset", setting.now)
    return _Done(found, list(archived.values()), list(snapshot.problems))


async def _execute(app: App, seen: Inbound, setting: Setting) -> _Done:
    written: str | None = None
    saved = False
    try:
        async with changing(app, setting.layout, seen.agent_id, seen.key) as change:
            draft = change.draft
            found = await plan(seen, draft.items, setting)
            if found.transcript is not None:
                # Whoever was quicker made the same one.
                with suppress(AlreadyExists):
                    await fork.write(found.transcript)
                    written = found.transcript.path
            draft.items[seen.key] = found.entry
        saved = True
    finally:
        if written is not None and not (saved or draft.saved):
            # A session that nobody knows of.
            with suppress(OSError):
                disk.unlink(written)
    if written is not None:
        app.live.look_at((written,))
    retired = _retired(seen, setting, found)
    archived = put_away(
        app, retired, "reset", now=setting.now, key=seen.key, problems=draft.problems
    )
    return _Done(found, archived, draft.problems)


def _retired(seen: Inbound, setting: Setting, found: Plan) -> Iterable[str]:
    """Where transcripts may lie that a trigger puts away; a session that expired keeps its own."""
    if found.previous is None or seen.rest is None:
        return ()
    locate = locating(setting.layout, seen.agent_id, setting.store_path)
    return locate(seen.key, found.previous)


def _result(layout: Layout, seen: Inbound, setting: Setting, done: _Done) -> contract.BeginResult:
    found, verdict = done.plan, done.plan.verdict
    daily, idle = moments_of(verdict.freshness)
    problems = [problem for problem in done.problems if not _is_over(problem, seen.key)]
    if verdict.trouble is not None:
        problems.append(verdict.trouble)
    replaced = found.previous if verdict.is_new else None
    return contract.BeginResult(
        sessionKey=seen.key,
        sessionId=found.session_id,
        sessionFile=found.session_file,
        isNewSession=verdict.is_new,
        resetTriggered=seen.rest is not None,
        bodyStripped=UNSET if seen.rest is None else seen.rest,
        # As every save leaves it.
        entry=settled(found.entry, layout.rules.dialect).compact(),
        previousEntry=UNSET if replaced is None else replaced.compact(),
        resetType=seen.reset_type,
        policy=policy_object(seen.policy),
        freshness=contract.BeginFreshness(
            fresh=verdict.freshness.fresh, dailyResetAt=daily, idleExpiresAt=idle
        ),
        archived=done.archived,
        forkedFrom=UNSET if found.forked_from is None else found.forked_from,
        storePath=setting.store_path,
        problems=store_problems(problems),
        configProblems=problems_of(layout.config),
    )


def _is_over(problem: Problem, key: str) -> bool:
    # null, which is what there is no session in, made room for one.
    return problem.kind == "notAnEntry" and problem.session_key == key


def message_of(context: contract.MessageContext) -> Message:
    """A message as the rules want it."""
    source = origin_of(context)
    target = trim(given(context.CommandTargetSessionKey) or "")
    if target and given(context.CommandSource) == "native":
        source = attrs.evolve(source, session_key=target)
    texts = (context.BodyForCommands, context.CommandBody, context.RawBody, context.Body)
    said = (given(text) for text in texts)
    thread = context.MessageThreadId
    return Message(
        source=source,
        text=next((text for text in said if text is not None), ""),
        to=given(context.To),
        originating_to=given(context.OriginatingTo),
        originating_channel=given(context.OriginatingChannel),
        surface=given(context.Surface),
        account_id=given(context.AccountId),
        # A type checker makes `object` of a union that goes through `given`.
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
