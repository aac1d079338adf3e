"""Compaction: what to summarise, what to keep, and the entry that records it."""
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
    """Paths that tools were called with, each once per list."""

    read: list[str]
    written: list[str]
    edited: list[str]


@wire
class CompactionPrompts:
    """What to send to a model, each text as one user message below `system`."""

    system: Annotated[str, Meta(description="System prompt for both.")]
    history: Annotated[
        str | UnsetType,
        Meta(description="Gives `historySummary`; absent: there is nothing to summarise."),
    ] = UNSET
    prefix: Annotated[
        str | UnsetType, Meta(description="Gives `prefixSummary`; absent: no turn is split.")
    ] = UNSET


@wire
class CompactionPreparation:
    """What a compaction is made from. `context/finishCompaction` takes it back, messages or not."""

    firstKeptEntryId: Annotated[str, Meta(description="First entry that stays in the context.")]
    isSplitTurn: Annotated[
        bool,
        Meta(
            description=(
                "Whether the first kept entry lies within a turn, whose beginning is then"
                " summarised apart."
            )
        ),
    ]
    tokensBefore: Annotated[Tokens, Meta(description="Tokens of the context as it is.")]
    previousSummary: Annotated[
        str | UnsetType | None,
        Meta(description="Of the compaction before; the new summary brings it up to date."),
    ] = UNSET
    fileOps: Annotated[
        FileOperations,
        Meta(description="Of the messages to summarise and of the compaction before."),
    ]
    messagesToSummarize: Annotated[
        MessagesJson | UnsetType, Meta(description="Always in an answer; may be empty.")
    ] = UNSET
    turnPrefixMessages: Annotated[
        MessagesJson | UnsetType,
        Meta(description="The split turn's beginning. Always in an answer; may be empty."),
    ] = UNSET
    prompts: Annotated[
        CompactionPrompts | UnsetType, Meta(description="With `includePrompts`.")
    ] = UNSET


@wire
class PrepareCompactionParams:
    """How much to keep."""

    session: Annotated[str, Meta(description="Handle of the session.")]
    settings: CompactionSettings | UnsetType | None = UNSET
    includePrompts: Annotated[
        bool | None, Meta(description="Add the finished texts for the model.")
    ] = False
    customInstructions: Annotated[
        str | UnsetType | None,
        Meta(description="What the summaries shall dwell on; goes into the prompts."),
    ] = UNSET


@wire
class PrepareCompactionResult:
    """A plan, or why there is none."""

    preparation: Annotated[
        CompactionPreparation | None, Meta(description="null: there is nothing to do.")
    ]
    reason: Annotated[
        str | UnsetType,
        Meta(
            description="Why there is nothing to do, in pi's words.",
            extra_json_schema={
                "x-knownValues": ["Already compacted", "Nothing to compact (session too small)"]
            },
        ),
    ] = UNSET


@wire
class FinishCompactionParams(AppendParams):
    """A plan, and what the model made of it."""

    preparation: Annotated[
        CompactionPreparation, Meta(description="As `context/prepareCompaction` answered it.")
    ]
    historySummary: Annotated[
        str | UnsetType | None,
        Meta(
            description=(
                "What the model made of `messagesToSummarize`. May be absent only where a turn is"
                " split and there were none: the previous summary then stands for it, or the words"
                " `No prior history.`"
            )
        ),
    ] = UNSET
    prefixSummary: Annotated[
        str | UnsetType | None,
        Meta(description="What it made of `turnPrefixMessages`, if and only if a turn is split."),
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
        "What to summarise, what to keep, and what to ask a model.",
        ("UnknownSession", "ReadFailed"),
        repeatable=True,
    ),
    Method(
        "context/finishCompaction",
        FinishCompactionParams,
        AppendResult,
        "Append a compaction made from a plan and a model's summaries.",
        WRITES,
        repeatable=True,
    ),
)
