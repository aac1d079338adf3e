"""Messages of a conversation, as the clients type them.

Required are the members that pi's types require, except the timestamp, which appends do not need.
A message that does not fit its class, as it happens in real files, is an `UnknownMessage` with the
JSON value unchanged.
"""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import attrs
from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.content import Anything, Block, Content, Usage
from sessiond_protocol.wire import raw, wire

if TYPE_CHECKING:
    Message: TypeAlias = (
        "UserMessage | AssistantMessage | ToolResultMessage | BashExecutionMessage | CustomMessage"
        " | BranchSummaryMessage | CompactionSummaryMessage | SystemMessage | UnknownMessage"
    )
else:
    # Built by tag, and described by its component.
    Message = raw("Message")

Timestamp: TypeAlias = Annotated[
    int | UnsetType | None,
    Meta(description="Unix milliseconds; absent or null: not known. Appends do not need it."),
]


@attrs.frozen
class UnknownMessage:
    """A message of an unknown role, or one that does not fit its role."""

    raw: Any


@wire
class UserMessage:
    """A message from a user, or from a program that acts for one."""

    role: Literal["user"] = "user"
    content: Annotated[Content, Meta(description="Text, or text and image blocks.")]
    timestamp: Timestamp = UNSET


@wire
class AssistantMessage:
    """A message from a model."""

    role: Literal["assistant"] = "assistant"
    content: Annotated[list[Block], Meta(description="Text, thinking and toolCall blocks.")]
    api: Annotated[str, Meta(description="Such as `anthropic-messages`.")]
    provider: str
    model: Annotated[str, Meta(description="The model that was requested.")]
    responseModel: Annotated[
        str | UnsetType, Meta(description="The model that answered, according to the provider.")
    ] = UNSET
    responseId: Annotated[str | UnsetType, Meta(description="The provider's id of the answer.")] = (
        UNSET
    )
    providerThinkingLevel: str | UnsetType = UNSET
    thinkingLevel: str | UnsetType = UNSET
    diagnostics: Annotated[Anything, Meta(description="Diagnostics of the provider's answer.")] = (
        UNSET
    )
    usage: Usage
    stopReason: Annotated[
        str,
        Meta(
            description="Why the answer ended; answers with `error` or `aborted` are incomplete.",
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
    ]
    deferred: Annotated[Anything, Meta(description="Where a deferred answer can be fetched.")] = (
        UNSET
    )
    errorMessage: str | UnsetType = UNSET
    rawStopReason: Annotated[
        str | UnsetType, Meta(description="The stop reason as the provider spells it.")
    ] = UNSET
    endTurn: bool | UnsetType = UNSET
    timestamp: Timestamp = UNSET


@wire
class ToolResultMessage:
    """The result of a tool call."""

    role: Literal["toolResult"] = "toolResult"
    toolCallId: Annotated[str, Meta(description="`id` of the `ToolCall`.")]
    toolName: str
    content: Annotated[list[Block], Meta(description="Text and image blocks.")]
    details: Annotated[Anything, Meta(description="Data of the tool; not sent to a model.")] = UNSET
    usage: Annotated[Usage | UnsetType, Meta(description="Usage of models by the tool itself.")] = (
        UNSET
    )
    nestedCalls: Annotated[
        Anything,
        Meta(
            description=(
                "`{calls: [{id, name, arguments?, …}], complete}`: the tools that this tool called."
            )
        ),
    ] = UNSET
    isError: bool
    timestamp: Timestamp = UNSET


@wire
class BashExecutionMessage:
    """A shell command that a user ran (`!` in pi)."""

    role: Literal["bashExecution"] = "bashExecution"
    command: str
    output: str
    exitCode: Annotated[
        int | UnsetType | None,
        Meta(description="Absent or null: the command did not end by itself."),
    ] = UNSET
    cancelled: bool
    truncated: Annotated[bool, Meta(description="Whether `output` is truncated.")]
    fullOutputPath: Annotated[
        str | UnsetType, Meta(description="File with the whole output, if `output` is truncated.")
    ] = UNSET
    excludeFromContext: Annotated[
        bool | UnsetType, Meta(description="Never sent to a model (`!!` in pi).")
    ] = UNSET
    timestamp: Timestamp = UNSET


@wire
class CustomMessage:
    """A message of an extension, sent to a model as a user message.

    It is stored as a `custom_message` entry.
    """

    role: Literal["custom"] = "custom"
    customType: Annotated[str, Meta(description="Name of the extension.")]
    content: Annotated[Content, Meta(description="Text, or text and image blocks.")]
    display: Annotated[bool, Meta(description="Whether front ends show it.")]
    details: Annotated[
        Anything, Meta(description="Data of the extension; not sent to a model.")
    ] = UNSET
    timestamp: Timestamp = UNSET


@wire
class BranchSummaryMessage:
    """A summary of a branch that was left; made from a `branch_summary` entry and never stored."""

    role: Literal["branchSummary"] = "branchSummary"
    summary: str
    fromId: Annotated[str | None, Meta(description="`fromId` of the entry.")]
    timestamp: Timestamp = UNSET


@wire
class CompactionSummaryMessage:
    """A summary that replaces earlier messages; made from a `compaction` entry and never stored."""

    role: Literal["compactionSummary"] = "compactionSummary"
    summary: str
    tokensBefore: Annotated[int, Meta(description="Tokens of the context before compaction.")]
    timestamp: Timestamp = UNSET


@wire
class SystemMessage:
    """A part of the system prompt; all parts, applied in order, give the present prompt."""

    role: Literal["system"] = "system"
    content: Annotated[Content, Meta(description="Text to append to the prompt.")]
    sections: Annotated[
        dict[str, str | None] | UnsetType,
        Meta(description="Named sections and their new text; null removes a section."),
    ] = UNSET
    toolsAdded: Annotated[
        list[Any] | UnsetType,
        Meta(description="Tool declarations to add or replace, by their `name`."),
    ] = UNSET
    toolsRemoved: Annotated[
        list[Any] | UnsetType,
        Meta(description="`{name}` of the tools to remove, before others are added."),
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
