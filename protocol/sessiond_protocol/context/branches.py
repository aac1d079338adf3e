"""Move to another branch, with or without a summary of the branch that is left."""
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
    """The entry to continue from, and limits for the summary."""

    session: Annotated[
        str,
        Meta(description="Handle of the session; the branch of its leaf is the one that is left."),
    ]
    targetId: Annotated[str, Meta(description="The entry to continue from.")]
    tokenBudget: Annotated[
        Tokens | UnsetType | None,
        Meta(
            description=(
                "Maximum number of tokens of messages; the newest are kept. Absent or 0: no"
                " limit. pi uses the context window (128,000 if unknown) minus 16,384."
            )
        ),
    ] = UNSET
    includePrompts: Annotated[
        bool | None, Meta(description="Add the complete prompts for the model.")
    ] = False
    customInstructions: Annotated[
        str | UnsetType | None,
        Meta(description="Instructions for the summary, added to the prompt."),
    ] = UNSET
    replaceInstructions: Annotated[
        bool | None,
        Meta(description="Use `customInstructions` instead of the standard instructions."),
    ] = False


@wire
class BranchPrompts:
    """Prompts for a model: `system`, and `branch` as one user message."""

    system: Annotated[str, Meta(description="System prompt.")]
    branch: Annotated[
        str | UnsetType,
        Meta(description="Prompt for `summary`; absent: there is nothing to summarise."),
    ] = UNSET


@wire
class PrepareBranchSummaryResult:
    """The part of the branch that is left."""

    commonAncestorId: Annotated[
        str | None, Meta(description="Deepest entry that is on both branches; null: there is none.")
    ]
    entries: Annotated[
        EntriesJson,
        Meta(description="The entries after the common ancestor up to the leaf; may be empty."),
    ]
    messages: Annotated[
        MessagesJson,
        Meta(
            description=(
                "Messages of the entries within the budget, after context edits, without"
                " tool results."
            )
        ),
    ]
    fileOps: FileOperations
    totalTokens: Annotated[int, Meta(description="Estimated tokens of `messages`.")]
    prompts: Annotated[
        BranchPrompts | UnsetType, Meta(description="Only with `includePrompts`.")
    ] = UNSET


@wire
class FinishBranchSummaryParams(AppendParams):
    """The entry to continue from, and the model's summary of the branch that is left."""

    targetId: Annotated[
        str, Meta(description="The entry to continue from, as in `context/navigate`.")
    ]
    summary: Annotated[
        str | UnsetType | None,
        Meta(
            description=(
                "The model's text; pi's preamble and the lists of files are added to it."
                " Absent: there was no message to summarise, and the entry says so."
            )
        ),
    ] = UNSET
    fileOps: Annotated[
        FileOperations | UnsetType | None,
        Meta(
            description=(
                "`fileOps` of `context/prepareBranchSummary`; absent: computed from the"
                " whole branch that is left."
            )
        ),
    ] = UNSET
    label: Annotated[
        str | UnsetType | None,
        Meta(
            description=(
                "Label for the summary's entry; it is stored in another entry, which"
                " becomes the leaf."
            )
        ),
    ] = UNSET
    usage: Annotated[
        UsageJson | UnsetType,
        NULL_IS_A_VALUE,
        Meta(description="Tokens and cost of making the summary."),
    ] = UNSET


@wire
class FinishBranchSummaryResult(AppendResult):
    """The entry of the summary."""

    editorText: Annotated[
        str | UnsetType, Meta(description="Text for the user to edit, as in `context/navigate`.")
    ] = UNSET


@wire
class NavigateParams(AppendParams):
    """The entry to move to.

    The conditions hold for the move, too; `newEntryId` is the id of the label's entry.
    """

    targetId: Annotated[
        str,
        Meta(
            description=(
                "If it is a user message or custom message, its parent becomes the leaf,"
                " and its text is answered for editing. Any other entry becomes the leaf"
                " itself. If it is the leaf already, nothing happens."
            )
        ),
    ]
    label: Annotated[
        str | UnsetType | None,
        Meta(
            description=(
                "Label for the target. It is stored in an entry under the new leaf, and"
                " that entry becomes the leaf. Absent, null or empty: no label."
            )
        ),
    ] = UNSET


@wire
class NavigateResult:
    """The new position of the handle."""

    leafId: Annotated[str | None, Meta(description="null: before the first entry.")]
    editorText: Annotated[
        str | UnsetType,
        Meta(description="Text of the user or custom message, for the user to edit."),
    ] = UNSET


METHODS = (
    Method(
        "context/prepareBranchSummary",
        PrepareBranchSummaryParams,
        PrepareBranchSummaryResult,
        ("Find what a move to another entry leaves, and prepare the prompts for its summary."),
        ("UnknownSession", "ReadFailed", "EntryNotFound"),
        repeatable=True,
    ),
    Method(
        "context/finishBranchSummary",
        FinishBranchSummaryParams,
        FinishBranchSummaryResult,
        "Move to another entry, with a model's summary of the branch that is left.",
        WRITES,
        repeatable=True,
    ),
    Method(
        "context/navigate",
        NavigateParams,
        NavigateResult,
        "Move to another entry by pi's rules, without a summary.",
        WRITES,
        repeatable=True,
    ),
)
