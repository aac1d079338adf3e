"""Lines of a session file, as typed values for clients.

These are views of stored JSON. Only `type` is required, because real files lack what their
documents show; members that are not named here are not kept. What does not fit becomes
`UnknownEntry`, which holds the JSON value as it came. Decoding is the business of `convert`.
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
    # Members of these types are built by tag, and described by their components.
    Header = raw("Header")
    Entry = raw("Entry")

SummaryDetails: TypeAlias = Annotated[
    Anything,
    Meta(description="`{readFiles, modifiedFiles}` from pi, else data of the extension."),
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
    id: Annotated[str | UnsetType, Meta(description="Id of the session.")] = UNSET
    timestamp: Annotated[
        str | UnsetType, Meta(description="When the session began; ISO 8601 UTC.")
    ] = UNSET
    cwd: Annotated[str | UnsetType, Meta(description="Working directory.")] = UNSET
    parentSession: Annotated[
        str | UnsetType, Meta(description="Path of the session this one was forked from.")
    ] = UNSET
    branchedFrom: Annotated[
        str | UnsetType, Meta(description="The same, as version 1 wrote it.")
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

    id: Annotated[
        str | UnsetType, Meta(description="Unique in the file; 8 hexadecimal digits from pi.")
    ] = UNSET
    parentId: Annotated[
        str | UnsetType | None,
        NULL_IS_A_VALUE,
        Meta(description="The entry this one comes after; null: it is a root."),
    ] = UNSET
    timestamp: Annotated[str | UnsetType, Meta(description="ISO 8601 UTC with milliseconds.")] = (
        UNSET
    )
    appendMode: Annotated[
        str | UnsetType,
        Meta(description="`side`: OpenClaw appended it aside, which does not move the leaf."),
    ] = UNSET


@wire
class SessionMessageEntry(_Node):
    """A message of the conversation."""

    type: Literal["message"] = "message"
    message: Message | UnsetType = UNSET


@wire
class ThinkingLevelChangeEntry(_Node):
    """Another thinking level from here on; written when the user changes it."""

    type: Literal["thinking_level_change"] = "thinking_level_change"
    thinkingLevel: Annotated[
        str | UnsetType, Meta(description="As the agent names it, such as `high`.")
    ] = UNSET


@wire
class ModelChangeEntry(_Node):
    """Another model from here on; written when the user changes it."""

    type: Literal["model_change"] = "model_change"
    provider: str | UnsetType = UNSET
    modelId: str | UnsetType = UNSET


@wire
class CompactionEntry(_Node):
    """A summary that stands in the context for everything before the first kept entry."""

    type: Literal["compaction"] = "compaction"
    summary: str | UnsetType = UNSET
    firstKeptEntryId: Annotated[
        str | UnsetType | None,
        NULL_IS_A_VALUE,
        Meta(description="First entry that stays in the context; the entry's own id: none does."),
    ] = UNSET
    tokensBefore: Annotated[
        int | UnsetType | None, Meta(description="Tokens of the context before compaction.")
    ] = UNSET
    details: SummaryDetails = UNSET
    usage: SummaryUsage = UNSET
    fromHook: FromHook = UNSET
    systemMessage: Annotated[
        SystemMessage | UnsetType,
        Meta(description="The system message in force here; precedes the summary in the context."),
    ] = UNSET


@wire
class BranchSummaryEntry(_Node):
    """A summary of a branch that was left; its parent is where the conversation went on."""

    type: Literal["branch_summary"] = "branch_summary"
    fromId: Annotated[
        str | UnsetType | None,
        Meta(description="The leaf that was left, or `root`; until pi 0.84.2 the one gone to."),
    ] = UNSET
    summary: str | UnsetType = UNSET
    details: SummaryDetails = UNSET
    usage: SummaryUsage = UNSET
    fromHook: FromHook = UNSET


@wire
class CustomEntry(_Node):
    """State of an extension, never part of the context; written by the extension."""

    type: Literal["custom"] = "custom"
    customType: Annotated[str | UnsetType, Meta(description="Name of the extension.")] = UNSET
    data: Annotated[Anything, Meta(description="The extension's.")] = UNSET


@wire
class CustomMessageEntry(_Node):
    """A message of an extension; the context contains it as a user message."""

    type: Literal["custom_message"] = "custom_message"
    customType: Annotated[str | UnsetType, Meta(description="Name of the extension.")] = UNSET
    content: Annotated[
        Content | UnsetType | None, Meta(description="Text, or text and image blocks.")
    ] = UNSET
    display: Annotated[bool | UnsetType, Meta(description="Whether front ends show it.")] = UNSET
    details: Annotated[
        Anything, Meta(description="Data of the extension; not sent to a model.")
    ] = UNSET


@wire
class LabelEntry(_Node):
    """A label of a user for an entry. The last one per target counts."""

    type: Literal["label"] = "label"
    targetId: Annotated[str | UnsetType, Meta(description="The entry marked.")] = UNSET
    label: Annotated[
        str | UnsetType | None, Meta(description="Absent, null or empty clears the label.")
    ] = UNSET


@wire
class SessionInfoEntry(_Node):
    """A person's name for the session. The last one in the file counts."""

    type: Literal["session_info"] = "session_info"
    name: Annotated[
        str | UnsetType | None, Meta(description="Trimmed when read; empty: no name.")
    ] = UNSET


@wire
class UsageEntry(_Node):
    """Usage outside the conversation: counted in totals, never part of the context."""

    type: Literal["usage"] = "usage"
    kind: Annotated[str | UnsetType, Meta(description="What it was for, such as `cache_warm`.")] = (
        UNSET
    )
    provider: str | UnsetType = UNSET
    model: str | UnsetType = UNSET
    usage: Usage | UnsetType = UNSET
    note: Annotated[str | UnsetType, Meta(description="Text for people.")] = UNSET


@wire
class Replacement:
    """What stands in the context in place of an entry's content."""

    content: Content


@wire
class ContextEditEntry(_Node):
    """Replaces the content of an earlier entry of the branch, in the context only."""

    type: Literal["context_edit"] = "context_edit"
    targetId: Annotated[str | UnsetType, Meta(description="The entry edited.")] = UNSET
    replacement: Annotated[
        Replacement | UnsetType | None,
        NULL_IS_A_VALUE,
        Meta(description="null takes the target out of the context."),
    ] = UNSET


@wire
class LeafEntry(_Node):
    """Moves the leaf of the file; written by OpenClaw. Never part of a branch.

    It is ignored if an id in it does not come before it in the file.
    """

    type: Literal["leaf"] = "leaf"
    targetId: Annotated[
        str | UnsetType | None,
        NULL_IS_A_VALUE,
        Meta(description="The leaf from here on; null: before any entry."),
    ] = UNSET
    appendParentId: Annotated[
        str | UnsetType | None,
        NULL_IS_A_VALUE,
        Meta(
            description=(
                "The entry OpenClaw appends under next; absent: the target. An entry under it goes"
                " on from the leaf all the same."
            )
        ),
    ] = UNSET


@wire
class ResetEntry(_Node):
    """The context begins after it; written by OpenClaw when a conversation starts over."""

    type: Literal["reset"] = "reset"
    reason: Annotated[str | UnsetType, Meta(description="Such as `new` or `reset`.")] = UNSET
    firstKeptEntryId: Annotated[
        str | UnsetType | None,
        Meta(description="First entry before it that stays in the context; absent: none does."),
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
