"""Prepare and finish compactions and branch summaries, and navigate between branches."""

from __future__ import annotations

from msgspec import UNSET, structs
from sessiond_protocol.context import branches, compaction
from sessiond_protocol.session.append import AppendResult
from sessiond_protocol.wire import given

from sessiond.files import workers
from sessiond.format.context import prompts
from sessiond.format.context.branch_summary import (
    BranchPlan,
    abandoned_entries,
    plan_branch_summary,
    prompt_for_branch,
)
from sessiond.format.context.build import Context
from sessiond.format.context.compaction import (
    NO_HISTORY,
    Preparation,
    compaction_prompts,
    compaction_summary,
    prepare_compaction,
)
from sessiond.format.context.file_operations import FileOperations
from sessiond.methods.client import Client
from sessiond.methods.context.tokens import array, planned, policy_of
from sessiond.methods.handlers import Handler, moment, turn
from sessiond.methods.session.append import conditions_of, result_of, usage_of_summary
from sessiond.runtime.errors import InvalidParams
from sessiond.sessions import planning as verbs
from sessiond.sessions.moment import Moment
from sessiond.text.spans import Buffer, Json, js_string


async def prepare(client: Client, params: compaction.PrepareCompactionParams) -> Json:
    keep = policy_of(params.settings).keep_recent
    focus = given(params.customInstructions)

    def plan(context: Context) -> Json:
        prepared = prepare_compaction(context, keep)
        if isinstance(prepared, str):
            return Json.of(b'{"preparation":null,"reason":', js_string(prepared), b"}")
        return _preparation(prepared, focus, with_prompts=bool(params.includePrompts))

    return await planned(client, params.session, plan)


def _preparation(plan: Preparation, focus: str | None, *, with_prompts: bool) -> Json:
    parts: list[Buffer] = [b'{"preparation":{"firstKeptEntryId":', js_string(plan.first_kept)]
    parts += [b',"isSplitTurn":', b"true" if plan.is_split else b"false"]
    parts += [b',"tokensBefore":%d' % plan.tokens_before]
    if plan.previous_summary is not None:
        parts += [b',"previousSummary":', js_string(plan.previous_summary)]
    parts += [b',"fileOps":', plan.files.as_json()]
    parts += [b',"messagesToSummarize":', *array(plan.history)]
    parts += [b',"turnPrefixMessages":', *array(plan.prefix)]
    if with_prompts:
        history, prefix = compaction_prompts(plan, focus)
        parts += [b',"prompts":', _texts(system=prompts.SYSTEM, history=history, prefix=prefix)]
    return Json.of(*parts, b"}}")


def _texts(**texts: str | None) -> bytes:
    pairs = ((name, text) for name, text in texts.items() if text is not None)
    return b"{" + b",".join(js_string(name) + b":" + js_string(text) for name, text in pairs) + b"}"


async def finish_compaction(
    client: Client, params: compaction.FinishCompactionParams
) -> AppendResult:
    plan = params.preparation
    files = _files(plan.fileOps)
    summary = compaction_summary(_history(params), given(params.prefixSummary), files)
    usage = await usage_of_summary(params.usage)
    async with turn(client, params.session) as view:
        appended = await verbs.finish_compaction(
            view,
            summary=summary,
            first_kept=plan.firstKeptEntryId,
            tokens_before=plan.tokensBefore,
            files=files,
            usage=usage,
            conditions=conditions_of(params),
        )
    return result_of(appended)


def _history(params: compaction.FinishCompactionParams) -> str:
    """Return the summary of the history or its replacement. Raises InvalidParams."""
    plan, history = params.preparation, given(params.historySummary)
    if plan.isSplitTurn != (given(params.prefixSummary) is not None):
        expected = "Expected a text for" if plan.isSplitTurn else "Unexpected without"
        raise InvalidParams(f"{expected} a split turn", "$.prefixSummary")
    if history is not None:
        return history
    sent = given(plan.messagesToSummarize)
    if not plan.isSplitTurn or sent:
        raise InvalidParams("expected a text for the messages to summarize", "$.historySummary")
    previous = given(plan.previousSummary)
    return NO_HISTORY if previous is None else previous


async def prepare_branch_summary(
    client: Client, params: branches.PrepareBranchSummaryParams
) -> Json:
    at = await moment(client, params.session)
    return await workers.computing(at.tree.cost, _branch_preparation, at, params)


def _branch_preparation(at: Moment, params: branches.PrepareBranchSummaryParams) -> Json:
    tree = at.tree
    abandoned = abandoned_entries(tree, at.leaf_id, at.entry(params.targetId).id)
    plan = plan_branch_summary(abandoned.entries, given(params.tokenBudget) or 0)
    ancestor = b"null" if abandoned.ancestor is None else js_string(abandoned.ancestor)
    parts: list[Buffer] = [b'{"commonAncestorId":', ancestor]
    parts += [b',"entries":', *array(entry.raw for entry in abandoned.entries)]
    parts += [b',"messages":', *array(plan.messages)]
    parts += [b',"fileOps":', plan.files.as_json(), b',"totalTokens":%d' % plan.tokens]
    if params.includePrompts:
        parts += [b',"prompts":', _branch_prompts(plan, params)]
    return Json.of(*parts, b"}")


def _branch_prompts(plan: BranchPlan, params: branches.PrepareBranchSummaryParams) -> bytes:
    focus = given(params.customInstructions)
    branch = prompt_for_branch(plan, focus, replace=bool(params.replaceInstructions))
    return _texts(system=prompts.SYSTEM, branch=branch)


async def finish_branch_summary(
    client: Client, params: branches.FinishBranchSummaryParams
) -> branches.FinishBranchSummaryResult:
    files = given(params.fileOps)
    usage = await usage_of_summary(params.usage)
    async with turn(client, params.session) as view:
        await view.document.refresh()
        appended, to = await verbs.finish_branch_summary(
            view,
            params.targetId,
            text=given(params.summary),
            files=None if files is None else _files(files),
            label=given(params.label),
            usage=usage,
            conditions=conditions_of(params),
        )
        # A label moved the leaf on.
        answer = result_of(structs.replace(appended, leaf_id=view.leaf_id))
    return branches.FinishBranchSummaryResult(
        **vars(answer), editorText=UNSET if to.text is None else to.text
    )


async def navigate(client: Client, params: branches.NavigateParams) -> branches.NavigateResult:
    async with turn(client, params.session) as view:
        await view.document.refresh()
        to = await verbs.navigate(view, params.targetId, given(params.label), conditions_of(params))
    text = UNSET if to.text is None else to.text
    return branches.NavigateResult(leafId=to.leaf_id, editorText=text)


def _files(sent: compaction.FileOperations) -> FileOperations:
    return FileOperations.of(sent.read, sent.written, sent.edited)


METHODS: dict[str, Handler] = {
    "context/prepareCompaction": prepare,
    "context/finishCompaction": finish_compaction,
    "context/prepareBranchSummary": prepare_branch_summary,
    "context/finishBranchSummary": finish_branch_summary,
    "context/navigate": navigate,
}
