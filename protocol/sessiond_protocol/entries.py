"""Lines of a session file, as the clients type them.

Required are the members that pi's types require. An entry that does not fit its class, as it
happens in real files, is an `UnknownEntry` with the JSON value unchanged. The daemon builds none of
these classes: it passes lines on as they are.
"""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import attrs
from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.content import Anything, Content, Usage
from sessiond_protocol.messages import Message, SystemMessage
from sessiond_protocol.wire import NULL_IS_A_VALUE, raw, wire

if TYPE_CHECKING:
    Header: TypeAlias = "SessionHeader | UnknownEntry"
    Entry: TypeAlias = (
        "SessionMessageEntry | ThinkingLevelChangeEntry | ModelChangeEntry | CompactionEntry"
        " | BranchSummaryEntry | CustomEntry | CustomMessageEntry | LabelEntry | SessionInfoEntry"
        " | UsageEntry | ContextEditEntry | LeafEntry | ResetEntry | UnknownEntry"
    )
else:
    # Built by tag, and described by their components.
    Header = raw("Header")
    Entry = raw("Entry")

SummaryDetails: TypeAlias = Annotated[
    Anything,
    Meta(description="`{readFiles, modifiedFiles}` from pi, or data of an extension."),
]
SummaryUsage: TypeAlias = Annotated[
    Usage | UnsetType, Meta(description="Tokens and cost of making the summary.")
]
FromHook: TypeAlias = Annotated[
    bool | UnsetType, Meta(description="Whether an extension made the summary.")
]


@attrs.frozen
class UnknownEntry:
    """An entry of an unknown type, or one that does not fit its type."""

    raw: Any


@wire
class SessionHeader:
    """The first line of a session file; not part of the tree."""

    type: Literal["session"] = "session"
    version: Annotated[
        int | UnsetType,
        Meta(description="Version of the file format; absent: 1. OpenClaw may write 4."),
    ] = UNSET
    id: Annotated[str, Meta(description="Id of the session.")]
    timestamp: Annotated[str, Meta(description="Start of the session; ISO 8601 UTC.")]
    cwd: Annotated[str, Meta(description="Working directory.")]
    parentSession: Annotated[
        str | UnsetType, Meta(description="Path of the session this one was forked from.")
    ] = UNSET
    branchedFrom: Annotated[
        str | UnsetType, Meta(description="The name of `parentSession` in version 1.")
    ] = UNSET
    provider: Annotated[
        str | UnsetType, Meta(description="Initial provider; only version 1 wrote it.")
    ] = UNSET
    modelId: Annotated[
        str | UnsetType, Meta(description="Initial model; only version 1 wrote it.")
    ] = UNSET
    thinkingLevel: Annotated[
        str | UnsetType, Meta(description="Initial thinking level; only version 1 wrote it.")
    ] = UNSET


@wire
class _Node:
    """The position of an entry in the tree."""

    id: Annotated[str, Meta(description="Unique in the file; pi writes 8 hexadecimal digits.")]
    parentId: Annotated[
        str | None, Meta(description="Id of the parent entry; null: the entry is a root.")
    ]
    timestamp: Annotated[str, Meta(description="ISO 8601 UTC with milliseconds.")]
    appendMode: Annotated[
        str | UnsetType,
        Meta(description="`side`: the entry does not move the leaf; written by OpenClaw."),
    ] = UNSET


@wire
class SessionMessageEntry(_Node):
    """A message of the conversation."""

    type: Literal["message"] = "message"
    message: Message


@wire
class ThinkingLevelChangeEntry(_Node):
    """A change of the thinking level by the user; it applies from here on."""

    type: Literal["thinking_level_change"] = "thinking_level_change"
    thinkingLevel: Annotated[str, Meta(description="As the agent names it, such as `high`.")]


@wire
class ModelChangeEntry(_Node):
    """A change of the model by the user; it applies from here on."""

    type: Literal["model_change"] = "model_change"
    provider: str
    modelId: str


@wire
class CompactionEntry(_Node):
    """A summary that replaces everything before the first kept entry in the context."""

    type: Literal["compaction"] = "compaction"
    summary: str
    firstKeptEntryId: Annotated[
        str,
        Meta(description="First entry that stays in the context; its own id: no entry stays."),
    ]
    tokensBefore: Annotated[int, Meta(description="Tokens of the context before compaction.")]
    details: SummaryDetails = UNSET
    usage: SummaryUsage = UNSET
    fromHook: FromHook = UNSET
    systemMessage: Annotated[
        SystemMessage | UnsetType,
        Meta(description="The system message that applies here; the context has it first."),
    ] = UNSET


@wire
class BranchSummaryEntry(_Node):
    """A summary of a branch that was left; the conversation continues from its parent."""

    type: Literal["branch_summary"] = "branch_summary"
    fromId: Annotated[
        str,
        Meta(description="The leaf that was left, or `root`; until pi 0.84.2 the new leaf."),
    ]
    summary: str
    details: SummaryDetails = UNSET
    usage: SummaryUsage = UNSET
    fromHook: FromHook = UNSET


@wire
class CustomEntry(_Node):
    """State of an extension; never part of the context."""

    type: Literal["custom"] = "custom"
    customType: Annotated[str, Meta(description="Name of the extension.")]
    data: Annotated[Anything, Meta(description="Data of the extension.")] = UNSET


@wire
class CustomMessageEntry(_Node):
    """A message of an extension; the context contains it as a user message."""

    type: Literal["custom_message"] = "custom_message"
    customType: Annotated[str, Meta(description="Name of the extension.")]
    content: Annotated[Content, Meta(description="Text, or text and image blocks.")]
    display: Annotated[bool, Meta(description="Whether front ends show it.")]
    details: Annotated[
        Anything, Meta(description="Data of the extension; not sent to a model.")
    ] = UNSET


@wire
class LabelEntry(_Node):
    """A user's label for an entry. The last label of a target applies."""

    type: Literal["label"] = "label"
    targetId: Annotated[str, Meta(description="The labelled entry.")]
    label: Annotated[
        str | UnsetType | None, Meta(description="Absent, null or empty: the label is removed.")
    ] = UNSET


@wire
class SessionInfoEntry(_Node):
    """A user's name for the session. The last name in the file applies."""

    type: Literal["session_info"] = "session_info"
    name: Annotated[str | UnsetType, Meta(description="Trimmed when read; empty: no name.")] = UNSET


@wire
class UsageEntry(_Node):
    """Usage outside the conversation: counted in totals, never part of the context."""

    type: Literal["usage"] = "usage"
    kind: Annotated[str, Meta(description="Purpose, such as `cache_warm`.")]
    provider: str
    model: str
    usage: Usage
    note: Annotated[str | UnsetType, Meta(description="Text for people.")] = UNSET


@wire
class Replacement:
    """The content that replaces the content of an entry in the context."""

    content: Content


@wire
class ContextEditEntry(_Node):
    """Replaces the content of an earlier entry of the branch, in the context only."""

    type: Literal["context_edit"] = "context_edit"
    targetId: Annotated[str, Meta(description="The edited entry.")]
    replacement: Annotated[
        Replacement | None,
        Meta(description="The new content; null removes the target from the context."),
    ]


@wire
class LeafEntry(_Node):
    """Moves the leaf of the file; written by OpenClaw. Never part of a branch.

    It is ignored if one of its ids does not occur before it in the file.
    """

    type: Literal["leaf"] = "leaf"
    targetId: Annotated[
        str | UnsetType | None,
        NULL_IS_A_VALUE,
        Meta(description="The leaf from here on; null: before the first entry."),
    ] = UNSET
    appendParentId: Annotated[
        str | UnsetType | None,
        NULL_IS_A_VALUE,
        Meta(
            description=(
                "The parent of OpenClaw's next entry; absent: the target. Entries with this parent"
                " still continue from the leaf."
            )
        ),
    ] = UNSET


@wire
class ResetEntry(_Node):
    """Starts the context again after this entry; written by OpenClaw for a new conversation."""

    type: Literal["reset"] = "reset"
    reason: Annotated[str | UnsetType, Meta(description="Such as `new` or `reset`.")] = UNSET
    firstKeptEntryId: Annotated[
        str | UnsetType | None,
        Meta(description="First earlier entry that stays in the context; absent: no entry stays."),
    ] = UNSET


ENTRIES: dict[str, type[Any]] = {
    "message": SessionMessageEntry,
    "thinking_level_change": ThinkingLevelChangeEntry,
    "model_change": ModelChangeEntry,
    "compaction": CompactionEntry,
    "branch_summary": BranchSummaryEntry,
    "custom": CustomEntry,
    "custom_message": CustomMessageEntry,
    "label": LabelEntry,
    "session_info": SessionInfoEntry,
    "usage": UsageEntry,
    "context_edit": ContextEditEntry,
    "leaf": LeafEntry,
    "reset": ResetEntry,
}
"""`type` → class."""
