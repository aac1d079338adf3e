"""Messages of a conversation, as typed values for clients.

These are views of stored JSON. Only `role` is required, because real files lack what their
documents show; members that are not named here are not kept. What does not fit becomes
`UnknownMessage`, which holds the JSON value as it came. Decoding is the business of `convert`.
"""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import attrs
from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.content import Anything, Content, Usage
from sessiond_protocol.wire import raw, wire

if TYPE_CHECKING:
    Message: TypeAlias = (
        "UserMessage | AssistantMessage | ToolResultMessage | BashExecutionMessage | CustomMessage"
        " | BranchSummaryMessage | CompactionSummaryMessage | SystemMessage | UnknownMessage"
    )
else:
    # Built by tag, and described by its component.
    Message = raw("Message")

Timestamp: TypeAlias = Annotated[int | UnsetType, Meta(description="Unix milliseconds.")]


@attrs.frozen
class UnknownMessage:
    """A message of a role not known here, or one that does not fit its role."""

    raw: Any


@wire
class UserMessage:
    """What a person, or a program in their place, said."""

    role: Literal["user"] = "user"
    content: Annotated[
        Content | UnsetType | None, Meta(description="Text, or text and image blocks.")
    ] = UNSET
    timestamp: Timestamp = UNSET


@wire
class AssistantMessage:
    """What a model answered."""

    role: Literal["assistant"] = "assistant"
    content: Annotated[
        Content | UnsetType | None, Meta(description="Text, thinking and toolCall blocks.")
    ] = UNSET
    api: Annotated[str | UnsetType, Meta(description="Such as `anthropic-messages`.")] = UNSET
    provider: str | UnsetType = UNSET
    model: Annotated[str | UnsetType, Meta(description="The model that was asked.")] = UNSET
    responseModel: Annotated[
        str | UnsetType, Meta(description="The model that answered, as the provider says.")
    ] = UNSET
    responseId: Annotated[str | UnsetType, Meta(description="The provider's.")] = UNSET
    providerThinkingLevel: str | UnsetType = UNSET
    thinkingLevel: str | UnsetType = UNSET
    diagnostics: Annotated[Anything, Meta(description="Of the provider's answer.")] = UNSET
    usage: Usage | UnsetType = UNSET
    stopReason: Annotated[
        str | UnsetType,
        Meta(
            description="Why the answer ended; `error` and `aborted` answers are not whole.",
            extra_json_schema={
                "x-knownValues": [
                    "pending",
                    "stop",
                    "length",
                    "toolUse",
                    "error",
                    "aborted",
                    "deferred",
                ]
            },
        ),
    ] = UNSET
    deferred: Annotated[Anything, Meta(description="Where a deferred answer can be fetched.")] = (
        UNSET
    )
    errorMessage: str | UnsetType = UNSET
    rawStopReason: Annotated[str | UnsetType, Meta(description="The provider's word.")] = UNSET
    endTurn: bool | UnsetType = UNSET
    timestamp: Timestamp = UNSET


@wire
class ToolResultMessage:
    """What a tool gave back."""

    role: Literal["toolResult"] = "toolResult"
    toolCallId: Annotated[str | UnsetType, Meta(description="`id` of the `ToolCall`.")] = UNSET
    toolName: str | UnsetType = UNSET
    content: Annotated[Content | UnsetType | None, Meta(description="Text and image blocks.")] = (
        UNSET
    )
    details: Annotated[Anything, Meta(description="The tool's own; not sent to a model.")] = UNSET
    usage: Annotated[
        Usage | UnsetType, Meta(description="What the tool itself spent on models.")
    ] = UNSET
    nestedCalls: Annotated[
        Anything,
        Meta(description="`{calls: [{id, name, arguments?, …}], complete}`: tools it called."),
    ] = UNSET
    isError: bool | UnsetType = UNSET
    timestamp: Timestamp = UNSET


@wire
class BashExecutionMessage:
    """A shell command a person ran (`!` in pi)."""

    role: Literal["bashExecution"] = "bashExecution"
    command: str | UnsetType = UNSET
    output: str | UnsetType = UNSET
    exitCode: Annotated[
        int | UnsetType | None, Meta(description="Absent or null: it did not end by itself.")
    ] = UNSET
    cancelled: bool | UnsetType = UNSET
    truncated: Annotated[bool | UnsetType, Meta(description="Whether `output` is cut.")] = UNSET
    fullOutputPath: Annotated[
        str | UnsetType, Meta(description="File with the whole output, if it was cut.")
    ] = UNSET
    excludeFromContext: Annotated[
        bool | UnsetType, Meta(description="Never sent to a model (`!!` in pi).")
    ] = UNSET
    timestamp: Timestamp = UNSET


@wire
class CustomMessage:
    """A message of an extension, sent to a model as a user's. Stored as `custom_message` entry."""

    role: Literal["custom"] = "custom"
    customType: Annotated[str | UnsetType, Meta(description="Name of the extension.")] = UNSET
    content: Annotated[
        Content | UnsetType | None, Meta(description="Text, or text and image blocks.")
    ] = UNSET
    display: Annotated[bool | UnsetType, Meta(description="Whether front ends show it.")] = UNSET
    details: Annotated[
        Anything, Meta(description="Data of the extension; not sent to a model.")
    ] = UNSET
    timestamp: Timestamp = UNSET


@wire
class BranchSummaryMessage:
    """A summary of a branch that was left; made from a `branch_summary` entry, never stored."""

    role: Literal["branchSummary"] = "branchSummary"
    summary: str | UnsetType = UNSET
    fromId: Annotated[
        str | UnsetType | None, Meta(description="As in the entry it was made from.")
    ] = UNSET
    timestamp: Timestamp = UNSET


@wire
class CompactionSummaryMessage:
    """A summary in place of earlier messages; made from a `compaction` entry, never stored."""

    role: Literal["compactionSummary"] = "compactionSummary"
    summary: str | UnsetType = UNSET
    tokensBefore: Annotated[
        int | UnsetType | None, Meta(description="Tokens of the context before compaction.")
    ] = UNSET
    timestamp: Timestamp = UNSET


@wire
class SystemMessage:
    """A part of the system prompt. All of them, replayed in order, give the one in force."""

    role: Literal["system"] = "system"
    content: Annotated[
        Content | UnsetType | None, Meta(description="Text added to what came before.")
    ] = UNSET
    sections: Annotated[
        dict[str, str | None] | UnsetType,
        Meta(description="Named sections set to a text; null takes one out."),
    ] = UNSET
    toolsAdded: Annotated[
        list[Any] | UnsetType, Meta(description="Declarations of tools, set by their `name`.")
    ] = UNSET
    toolsRemoved: Annotated[
        list[Any] | UnsetType, Meta(description="`{name}` of tools taken out, before adding.")
    ] = UNSET
    timestamp: Timestamp = UNSET


MESSAGES: dict[str, type[Any]] = {
    "user": UserMessage,
    "assistant": AssistantMessage,
    "toolResult": ToolResultMessage,
    "bashExecution": BashExecutionMessage,
    "custom": CustomMessage,
    "branchSummary": BranchSummaryMessage,
    "compactionSummary": CompactionSummaryMessage,
    "system": SystemMessage,
}
"""`role` → class."""
