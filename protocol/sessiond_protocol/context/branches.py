"""Leaving a branch: moves in the tree, with and without a summary of what is left behind."""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.context.compaction import WRITES, FileOperations
from sessiond_protocol.context.tokens import Tokens
from sessiond_protocol.json_members import EntriesJson, MessagesJson, UsageJson
from sessiond_protocol.method import Method
from sessiond_protocol.session.append import AppendParams, AppendResult
from sessiond_protocol.wire import NULL_IS_A_VALUE, wire


@wire
class PrepareBranchSummaryParams:
    """Where the session is about to go on."""

    session: Annotated[str, Meta(description="Handle of the session; its leaf is what is left.")]
    targetId: Annotated[str, Meta(description="The entry to go to.")]
    tokenBudget: Annotated[
        Tokens | UnsetType | None,
        Meta(
            description=(
                "Most tokens of messages, the newest first; absent or 0: no limit. pi takes the"
                " window (128,000 if unknown) less 16,384."
            )
        ),
    ] = UNSET
    includePrompts: Annotated[
        bool | None, Meta(description="Add the finished texts for the model.")
    ] = False
    customInstructions: Annotated[
        str | UnsetType | None,
        Meta(description="What the summary shall dwell on; goes into the prompt."),
    ] = UNSET
    replaceInstructions: Annotated[
        bool | None, Meta(description="Let `customInstructions` be all that the prompt asks for.")
    ] = False


@wire
class BranchPrompts:
    """What to send to a model: `branch` as one user message below `system`."""

    system: Annotated[str, Meta(description="System prompt.")]
    branch: Annotated[
        str | UnsetType,
        Meta(description="Gives `summary`; absent: there is nothing to summarise."),
    ] = UNSET


@wire
class PrepareBranchSummaryResult:
    """What going to an entry leaves behind."""

    commonAncestorId: Annotated[
        str | None, Meta(description="Deepest entry on both branches; null: there is none.")
    ]
    entries: Annotated[
        EntriesJson, Meta(description="Behind the common ancestor down to the leaf; may be empty.")
    ]
    messages: Annotated[
        MessagesJson,
        Meta(
            description=(
                "Those of the entries that fit the budget, context edits applied, results of tools"
                " left out."
            )
        ),
    ]
    fileOps: FileOperations
    totalTokens: Annotated[int, Meta(description="Estimate of `messages`.")]
    prompts: Annotated[BranchPrompts | UnsetType, Meta(description="With `includePrompts`.")] = (
        UNSET
    )


@wire
class FinishBranchSummaryParams(AppendParams):
    """Where to go on, and what the model made of what is left behind."""

    targetId: Annotated[str, Meta(description="The entry to go to, as in `context/navigate`.")]
    summary: Annotated[
        str | UnsetType | None,
        Meta(
            description=(
                "The model's text; pi's preamble and lists of files are added. Absent: there was"
                " no message to summarise, and the entry says so."
            )
        ),
    ] = UNSET
    fileOps: Annotated[
        FileOperations | UnsetType | None,
        Meta(
            description=(
                "As `context/prepareBranchSummary` answered them; absent: those of the whole branch"
                " that is left."
            )
        ),
    ] = UNSET
    label: Annotated[
        str | UnsetType | None,
        Meta(description="For the summary's entry; takes an entry of its own, then the leaf."),
    ] = UNSET
    usage: Annotated[
        UsageJson | UnsetType,
        NULL_IS_A_VALUE,
        Meta(description="Tokens and cost of making the summary."),
    ] = UNSET


@wire
class FinishBranchSummaryResult(AppendResult):
    """The summary's entry."""

    editorText: Annotated[
        str | UnsetType, Meta(description="Text to write again, as in `context/navigate`.")
    ] = UNSET


@wire
class NavigateParams:
    """Where to go in the tree."""

    session: Annotated[str, Meta(description="Handle of the session.")]
    targetId: Annotated[
        str,
        Meta(
            description=(
                "A user message or custom message is taken back for editing: its parent becomes"
                " the leaf. Anything else becomes the leaf. The leaf itself: nothing happens."
            )
        ),
    ]
    label: Annotated[
        str | UnsetType | None,
        Meta(
            description=(
                "For the target. Appended as an entry under the new leaf, which it then is;"
                " absent, null or empty: none."
            )
        ),
    ] = UNSET
    newEntryId: Annotated[
        Annotated[str, Meta(min_length=1)] | UnsetType | None,
        Meta(description="Id for the label's entry, for safe retries."),
    ] = UNSET


@wire
class NavigateResult:
    """The handle's new position."""

    leafId: Annotated[str | None, Meta(description="null: before the first entry.")]
    editorText: Annotated[
        str | UnsetType,
        Meta(description="Text of the user or custom message that was taken back."),
    ] = UNSET


METHODS = (
    Method(
        "context/prepareBranchSummary",
        PrepareBranchSummaryParams,
        PrepareBranchSummaryResult,
        "What going to another entry leaves behind, and what to ask a model.",
        ("UnknownSession", "ReadFailed", "EntryNotFound"),
        repeatable=True,
    ),
    Method(
        "context/finishBranchSummary",
        FinishBranchSummaryParams,
        FinishBranchSummaryResult,
        "Go to another entry with a model's summary of the branch left.",
        WRITES,
        repeatable=True,
    ),
    Method(
        "context/navigate",
        NavigateParams,
        NavigateResult,
        "Go to another entry by pi's rules, without a summary.",
        WRITES,
        repeatable=True,
    ),
)
