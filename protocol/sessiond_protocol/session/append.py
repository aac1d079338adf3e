"""Append methods: each appends one entry under the handle's leaf and moves the leaf to it."""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.json_members import ContentJson, MessageJson, ReplacementJson, UsageJson
from sessiond_protocol.method import Method
from sessiond_protocol.wire import NULL_IS_A_VALUE, Count, Opaque, wire

Details: TypeAlias = Annotated[
    Opaque | UnsetType, Meta(description="Any JSON value; never sent to a model.")
]
FromHook: TypeAlias = Annotated[
    bool | UnsetType | None, Meta(description="Whether an extension made the summary.")
]


@wire
class AppendParams:
    """Members that every append takes besides those of its entry.

    All conditions are checked together, under the file's lock, unless an entry with the id
    `newEntryId` exists already.
    """

    session: Annotated[str, Meta(description="Handle of the session.")]
    newEntryId: Annotated[
        Annotated[str, Meta(min_length=1)] | UnsetType | None,
        Meta(
            description=(
                "Id of the new entry, for safe retries: if this entry exists already, it is the"
                " answer and nothing is written. If another entry has the id, the answer is"
                " `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits."
            )
        ),
    ] = UNSET
    expectedLeafId: Annotated[
        str | UnsetType | None,
        NULL_IS_A_VALUE,
        Meta(
            description=(
                "Write only if this is the handle's leaf (null: before the first entry);"
                " otherwise `LeafConflict`."
            )
        ),
    ] = UNSET
    expectedTipId: Annotated[
        str | UnsetType | None,
        NULL_IS_A_VALUE,
        Meta(
            description=(
                "Write only if this is the last entry of the file (null: there is none),"
                " which means that no other program has written in between; otherwise"
                " `LeafConflict`."
            )
        ),
    ] = UNSET


@wire
class CheckedAppendParams(AppendParams):
    """Members of appends whose entries the agent may be unable to read.

    pi 1.6.0 ends with an error when it opens a file with such an entry: an assistant message that
    has no usage or whose content is a string, a toolResult whose content is one, a block without
    its text.
    """

    unchecked: Annotated[
        bool | UnsetType | None,
        Meta(
            description=(
                "true: also append what pi cannot read, for readers that can. Otherwise it is"
                " `InvalidParams`."
            )
        ),
    ] = UNSET


@wire
class AppendResult:
    """The appended entry."""

    id: str
    parentId: Annotated[str | None, Meta(description="null: the entry is a root.")]
    leafId: Annotated[
        str | None,
        Meta(
            description=(
                "The handle's leaf: the entry, or the one of its label; after a retry perhaps an"
                " entry that follows it."
            )
        ),
    ]
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
class AppendMessageParams(CheckedAppendParams):
    """A message of the conversation."""

    message: Annotated[
        MessageJson,
        Meta(
            description=(
                "An object with a string `role`, except `compactionSummary` and"
                " `branchSummary`, which have entries of their own. In a message of a role that pi"
                " knows, what pi needs to read it is checked, unless `unchecked`; a `timestamp` is"
                " not needed."
            )
        ),
    ]


@wire
class AppendThinkingLevelChangeParams(AppendParams):
    """A change of the thinking level."""

    thinkingLevel: Annotated[str, Meta(description="As the agent names it, such as `high`.")]


@wire
class AppendModelChangeParams(AppendParams):
    """A change of the model."""

    provider: str
    modelId: str


@wire
class AppendCompactionParams(CheckedAppendParams):
    """A summary that replaces everything before the first kept entry."""

    summary: str
    firstKeptEntryId: Annotated[
        str | UnsetType | None,
        NULL_IS_A_VALUE,
        Meta(
            description=(
                "First entry that stays in the context, on the branch of the leaf. If it is absent"
                " or null, no earlier entry stays. With `unchecked` it may be any id; if it is not"
                " on the branch, no earlier entry stays (as in pi)."
            )
        ),
    ] = UNSET
    tokensBefore: Annotated[Count, Meta(description="Tokens of the context before compaction.")]
    details: Details = UNSET
    fromHook: FromHook = UNSET
    usage: Annotated[
        UsageJson | UnsetType,
        NULL_IS_A_VALUE,
        Meta(description="Tokens and cost of making the summary."),
    ] = UNSET


@wire
class AppendCustomEntryParams(AppendParams):
    """State of an extension; never part of the context."""

    customType: Annotated[str, Meta(description="Name of the extension.")]
    data: Annotated[Opaque | UnsetType, Meta(description="Anything.")] = UNSET


@wire
class AppendSessionInfoParams(AppendParams):
    """A name for the session."""

    name: Annotated[
        str, Meta(description="Line breaks become a space, ends are trimmed; empty: no name.")
    ]


@wire
class AppendCustomMessageEntryParams(CheckedAppendParams):
    """A message of an extension; the context contains it as a user message."""

    customType: Annotated[str, Meta(description="Name of the extension.")]
    content: Annotated[ContentJson, Meta(description="Text, or text and image blocks.")]
    display: Annotated[bool, Meta(description="Whether user interfaces show it.")]
    details: Details = UNSET


@wire
class AppendLabelChangeParams(AppendParams):
    """A label for an entry, or its removal."""

    targetId: Annotated[str, Meta(description="The entry to label.")]
    label: Annotated[
        str | UnsetType | None,
        Meta(description="The label; absent, null or empty: the label is removed."),
    ] = UNSET


@wire
class AppendUsageParams(CheckedAppendParams):
    """Usage outside the conversation: counted in totals, never part of the context."""

    kind: Annotated[str, Meta(description="Purpose of the usage, such as `cache_warm`.")]
    provider: str
    model: str
    usage: UsageJson
    note: Annotated[
        str | UnsetType | None, Meta(description="Text for people; an empty note is left out.")
    ] = UNSET


@wire
class AppendContextEditParams(CheckedAppendParams):
    """Replaces the content of an earlier entry of the branch, in the context only."""

    targetId: Annotated[
        str,
        Meta(
            description=(
                "A user, assistant or toolResult message or a custom message on the active"
                " branch; otherwise `NotEditable`."
            )
        ),
    ]
    replacement: Annotated[
        ReplacementJson,
        NULL_IS_A_VALUE,
        Meta(description="The new content; null removes the target from the context."),
    ]


@wire
class BranchWithSummaryParams(CheckedAppendParams):
    """Moves the leaf and records a summary of the branch that is left."""

    entryId: Annotated[
        str | None,
        NULL_IS_A_VALUE,
        Meta(description="Entry to continue from; null: before the first entry."),
    ]
    summary: str
    details: Details = UNSET
    fromHook: FromHook = UNSET
    usage: Annotated[
        UsageJson | UnsetType,
        NULL_IS_A_VALUE,
        Meta(description="Tokens and cost of making the summary."),
    ] = UNSET


_WRITE = (
    "UnknownSession",
    "LeafConflict",
    "IdConflict",
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
        "Record a change of the thinking level.",
    ),
    _append("appendModelChange", AppendModelChangeParams, "Record a change of the model."),
    _append(
        "appendCompaction",
        AppendCompactionParams,
        "Record a summary that replaces the earlier context.",
        "EntryNotFound",
    ),
    _append("appendCustomEntry", AppendCustomEntryParams, "Store state of an extension."),
    _append("appendSessionInfo", AppendSessionInfoParams, "Set or clear the name of the session."),
    _append(
        "appendCustomMessageEntry",
        AppendCustomMessageEntryParams,
        "Append a message of an extension.",
    ),
    _append(
        "appendLabelChange",
        AppendLabelChangeParams,
        "Set or clear the label of an entry.",
        "EntryNotFound",
    ),
    _append("appendUsage", AppendUsageParams, "Record usage outside the conversation."),
    _append(
        "appendContextEdit",
        AppendContextEditParams,
        "Replace or omit the content of an earlier entry in the context.",
        "EntryNotFound",
        "NotEditable",
    ),
    _append(
        "branchWithSummary",
        BranchWithSummaryParams,
        "Continue from an earlier entry, with a summary of the branch that is left.",
        "EntryNotFound",
    ),
)
