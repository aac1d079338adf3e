"""Writing: every method appends one entry under the handle's leaf and moves the leaf to it."""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.json_members import ContentJson, MessageJson, ReplacementJson, UsageJson
from sessiond_protocol.method import Method
from sessiond_protocol.wire import NULL_IS_A_VALUE, Count, Opaque, wire


@wire
class AppendParams:
    """What every append takes beside the entry's own members.

    The conditions are looked at together, under the file's lock, after a known `newEntryId`.
    """

    session: Annotated[str, Meta(description="Handle of the session.")]
    newEntryId: Annotated[
        Annotated[str, Meta(min_length=1)] | UnsetType | None,
        Meta(
            description=(
                "Id for the entry, for safe retries: if an entry with it is there already, that"
                " one is answered and nothing is written. Absent: 8 hexadecimal digits."
            )
        ),
    ] = UNSET
    expectedLeafId: Annotated[
        str | UnsetType | None,
        NULL_IS_A_VALUE,
        Meta(
            description=(
                "Write only if the handle's leaf is this (null: before any entry), else"
                " `LeafConflict`."
            )
        ),
    ] = UNSET
    expectedTipId: Annotated[
        str | UnsetType | None,
        NULL_IS_A_VALUE,
        Meta(
            description=(
                "Write only if the file's last entry is this (null: there is none), so that nobody"
                " else has written meanwhile; else `LeafConflict`."
            )
        ),
    ] = UNSET


@wire
class AppendResult:
    """The entry that was appended, now the handle's leaf."""

    id: str
    parentId: Annotated[str | None, Meta(description="null: the entry is a root.")]
    timestamp: Annotated[str, Meta(description="ISO 8601 UTC with milliseconds.")]
    written: Annotated[
        bool,
        Meta(
            description=(
                "Whether the entry is in the file. It is not for a session in memory, nor while the"
                " file waits for the first user or assistant message. A written entry survives the"
                " end of the process, but not a crash of the machine."
            )
        ),
    ]
    existed: Annotated[
        bool | UnsetType,
        Meta(
            description=(
                "true: an entry with the id `newEntryId` existed already; it is the answer, and"
                " nothing was written. Absent otherwise."
            )
        ),
    ] = UNSET


@wire
class AppendMessageParams(AppendParams):
    """A message of the conversation."""

    message: Annotated[
        MessageJson,
        Meta(
            description=(
                "An object with a string `role` other than `compactionSummary` and"
                " `branchSummary`, which have entries of their own. Nothing else in it is checked."
            )
        ),
    ]


@wire
class AppendThinkingLevelChangeParams(AppendParams):
    """Another thinking level from here on."""

    thinkingLevel: Annotated[str, Meta(description="As the agent names it, such as `high`.")]


@wire
class AppendModelChangeParams(AppendParams):
    """Another model from here on."""

    provider: str
    modelId: str


@wire
class AppendCompactionParams(AppendParams):
    """A summary in place of everything before the first kept entry."""

    summary: str
    firstKeptEntryId: Annotated[
        str | UnsetType | None,
        NULL_IS_A_VALUE,
        Meta(
            description=(
                "First entry to stay in the context; absent or null keeps nothing, and so does, as"
                " in pi, an id that is not on the branch."
            )
        ),
    ] = UNSET
    tokensBefore: Annotated[Count, Meta(description="Tokens of the context before compaction.")]
    details: Annotated[Opaque | UnsetType, Meta(description="Anything; never sent to a model.")] = (
        UNSET
    )
    fromHook: Annotated[
        bool | UnsetType | None, Meta(description="Whether an extension made the summary.")
    ] = UNSET
    usage: Annotated[
        UsageJson | UnsetType, NULL_IS_A_VALUE, Meta(description="What making the summary took.")
    ] = UNSET


@wire
class AppendCustomEntryParams(AppendParams):
    """State of an extension, never part of the context."""

    customType: Annotated[str, Meta(description="Names the extension.")]
    data: Annotated[Opaque | UnsetType, Meta(description="Anything.")] = UNSET


@wire
class AppendSessionInfoParams(AppendParams):
    """A name for the session."""

    name: Annotated[
        str, Meta(description="Line breaks become a space, ends are trimmed; empty: no name.")
    ]


@wire
class AppendCustomMessageEntryParams(AppendParams):
    """A message of an extension, part of the context as a user message."""

    customType: Annotated[str, Meta(description="Names the extension.")]
    content: Annotated[ContentJson, Meta(description="Text, or text and image blocks.")]
    display: Annotated[bool, Meta(description="Whether front ends show it.")]
    details: Annotated[Opaque | UnsetType, Meta(description="Anything; never sent to a model.")] = (
        UNSET
    )


@wire
class AppendLabelChangeParams(AppendParams):
    """A label for an entry, or its removal."""

    targetId: Annotated[str, Meta(description="The entry to label.")]
    label: Annotated[
        str | UnsetType | None, Meta(description="Absent, null or empty clears the label.")
    ] = UNSET


@wire
class AppendUsageParams(AppendParams):
    """Usage beside the conversation: counted in totals, never part of the context."""

    kind: Annotated[str, Meta(description="What it was for, such as `cache_warm`.")]
    provider: str
    model: str
    usage: UsageJson
    note: Annotated[
        str | UnsetType | None, Meta(description="For people; an empty one is left out.")
    ] = UNSET


@wire
class AppendContextEditParams(AppendParams):
    """Another content for an earlier entry of the branch, in the context only."""

    targetId: Annotated[
        str,
        Meta(
            description=(
                "A user, assistant or toolResult message or a custom message on the active branch,"
                " else `NotEditable`."
            )
        ),
    ]
    replacement: Annotated[
        ReplacementJson,
        NULL_IS_A_VALUE,
        Meta(description="null takes the target out of the context."),
    ]


@wire
class BranchWithSummaryParams(AppendParams):
    """A move of the leaf with a summary of what is left behind."""

    entryId: Annotated[
        str | None,
        NULL_IS_A_VALUE,
        Meta(description="Entry to go on from; null: before any entry."),
    ]
    summary: str
    details: Annotated[Opaque | UnsetType, Meta(description="Anything; never sent to a model.")] = (
        UNSET
    )
    fromHook: Annotated[
        bool | UnsetType | None, Meta(description="Whether an extension made the summary.")
    ] = UNSET
    usage: Annotated[
        UsageJson | UnsetType, NULL_IS_A_VALUE, Meta(description="What making the summary took.")
    ] = UNSET


_WRITE = (
    "UnknownSession",
    "LeafConflict",
    "ReadOnly",
    "Busy",
    "WriteFailed",
    "ReadFailed",
    "InvalidSessionFile",
    "AlreadyExists",
)


def _append(name: str, params: type[AppendParams], summary: str, *errors: str) -> Method:
    return Method(
        f"session/{name}", params, AppendResult, summary, (*_WRITE, *errors), repeatable=True
    )


METHODS = (
    _append("appendMessage", AppendMessageParams, "Append a message."),
    _append(
        "appendThinkingLevelChange",
        AppendThinkingLevelChangeParams,
        "Record another thinking level.",
    ),
    _append("appendModelChange", AppendModelChangeParams, "Record another model."),
    _append(
        "appendCompaction", AppendCompactionParams, "Put a summary in place of earlier context."
    ),
    _append("appendCustomEntry", AppendCustomEntryParams, "Keep state of an extension."),
    _append("appendSessionInfo", AppendSessionInfoParams, "Name the session, or clear its name."),
    _append(
        "appendCustomMessageEntry",
        AppendCustomMessageEntryParams,
        "Append a message of an extension.",
    ),
    _append(
        "appendLabelChange",
        AppendLabelChangeParams,
        "Label an entry, or clear its label.",
        "EntryNotFound",
    ),
    _append("appendUsage", AppendUsageParams, "Record usage beside the conversation."),
    _append(
        "appendContextEdit",
        AppendContextEditParams,
        "Replace or omit an earlier entry's content in the context.",
        "EntryNotFound",
        "NotEditable",
    ),
    _append(
        "branchWithSummary",
        BranchWithSummaryParams,
        "Go on from an earlier entry, with a summary of the branch left.",
        "EntryNotFound",
    ),
)
