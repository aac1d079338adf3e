"""Compaction: the messages to summarise, those to keep, and the entry that records it."""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.context.tokens import CompactionSettings, Tokens
from sessiond_protocol.json_members import MessagesJson, UsageJson
from sessiond_protocol.method import Method
from sessiond_protocol.session.append import AppendParams, AppendResult
from sessiond_protocol.wire import NULL_IS_A_VALUE, wire


@wire
class FileOperations:
    """Paths that tools were called with; each list has no duplicates."""

    read: list[str]
    written: list[str]
    edited: list[str]


@wire
class CompactionPrompts:
    """Prompts for a model; each text is one user message after `system`."""

    system: Annotated[str, Meta(description="System prompt of both.")]
    history: Annotated[
        str | UnsetType,
        Meta(description="Prompt for `historySummary`; absent: there is nothing to summarise."),
    ] = UNSET
    prefix: Annotated[
        str | UnsetType, Meta(description="Prompt for `prefixSummary`; absent: no turn is split.")
    ] = UNSET


@wire
class CompactionPreparation:
    """The plan of a compaction.

    `context/finishCompaction` takes it, with or without its messages.
    """

    firstKeptEntryId: Annotated[str, Meta(description="First entry that stays in the context.")]
    isSplitTurn: Annotated[
        bool,
        Meta(
            description=(
                "Whether the first kept entry is inside a turn; the start of that turn is"
                " then summarised separately."
            )
        ),
    ]
    tokensBefore: Annotated[
        Tokens, Meta(description="Tokens of the context before the compaction.")
    ]
    previousSummary: Annotated[
        str | UnsetType | None,
        Meta(description="Summary of the previous compaction, which the new summary updates."),
    ] = UNSET
    fileOps: Annotated[
        FileOperations,
        Meta(description="Files of the messages to summarise and of the previous compaction."),
    ]
    messagesToSummarize: Annotated[
        MessagesJson | UnsetType, Meta(description="Always present in an answer; may be empty.")
    ] = UNSET
    turnPrefixMessages: Annotated[
        MessagesJson | UnsetType,
        Meta(description="The start of the split turn. Always present in an answer; may be empty."),
    ] = UNSET
    prompts: Annotated[
        CompactionPrompts | UnsetType, Meta(description="Only with `includePrompts`.")
    ] = UNSET


@wire
class PrepareCompactionParams:
    """Settings of the plan."""

    session: Annotated[str, Meta(description="Handle of the session.")]
    settings: CompactionSettings | UnsetType | None = UNSET
    includePrompts: Annotated[
        bool | None, Meta(description="Add the complete prompts for the model.")
    ] = False
    customInstructions: Annotated[
        str | UnsetType | None,
        Meta(description="Instructions for the summaries, added to the prompts."),
    ] = UNSET


@wire
class PrepareCompactionResult:
    """A plan, or the reason why there is none."""

    preparation: Annotated[
        CompactionPreparation | None, Meta(description="null: there is nothing to compact.")
    ]
    reason: Annotated[
        str | UnsetType,
        Meta(
            description="Why there is nothing to compact, in pi's words.",
            extra_json_schema={
                "x-knownValues": ["Already compacted", "Nothing to compact (session too small)"]
            },
        ),
    ] = UNSET


@wire
class FinishCompactionParams(AppendParams):
    """A plan and the model's summaries."""

    preparation: Annotated[
        CompactionPreparation, Meta(description="The answer of `context/prepareCompaction`.")
    ]
    historySummary: Annotated[
        str | UnsetType | None,
        Meta(
            description=(
                "Summary of `messagesToSummarize`. It may be absent only if a turn is split"
                " and there were no such messages: then the previous summary is used, or"
                " `No prior history.`"
            )
        ),
    ] = UNSET
    prefixSummary: Annotated[
        str | UnsetType | None,
        Meta(
            description=(
                "Summary of `turnPrefixMessages`; required if a turn is split, otherwise"
                " not allowed."
            )
        ),
    ] = UNSET
    usage: Annotated[
        UsageJson | UnsetType,
        NULL_IS_A_VALUE,
        Meta(description="Tokens and cost of making the summaries."),
    ] = UNSET


WRITES = (
    "UnknownSession",
    "ReadFailed",
    "EntryNotFound",
    "LeafConflict",
    "IdConflict",
    "ReadOnly",
    "Busy",
    "WriteFailed",
    "InvalidSessionFile",
    "AlreadyExists",
)

METHODS = (
    Method(
        "context/prepareCompaction",
        PrepareCompactionParams,
        PrepareCompactionResult,
        "Plan a compaction and prepare the prompts for its summaries.",
        ("UnknownSession", "ReadFailed"),
        repeatable=True,
    ),
    Method(
        "context/finishCompaction",
        FinishCompactionParams,
        AppendResult,
        "Append a compaction from a plan and a model's summaries.",
        WRITES,
        repeatable=True,
    ),
)
