"""Messages of a conversation, as typed values for clients.

These are views of stored JSON. Only `role` is required, because real files lack members that their
documentation shows. Members that are not named here are dropped. A message that does not fit its
class becomes `UnknownMessage`, which holds the JSON value unchanged. `convert` does the decoding.
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
    """A message of an unknown role, or one that does not fit its role."""

    raw: Any


@wire
class UserMessage:
    """A message from a user, or from a program that acts for one."""

    role: Literal["user"] = "user"
    content: Annotated[
        Content | UnsetType | None, Meta(description="Text, or text and image blocks.")
    ] = UNSET
    timestamp: Timestamp = UNSET


@wire
class AssistantMessage:
    """A message from a model."""

    role: Literal["assistant"] = "assistant"
    content: Annotated[
        Content | UnsetType | None, Meta(description="Text, thinking and toolCall blocks.")
    ] = UNSET
    api: Annotated[str | UnsetType, Meta(description="Such as `anthropic-messages`.")] = UNSET
    provider: str | UnsetType = UNSET
    model: Annotated[str | UnsetType, Meta(description="The model that was requested.")] = UNSET
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
    usage: Usage | UnsetType = UNSET
    stopReason: Annotated[
        str | UnsetType,
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
    ] = UNSET
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
    toolCallId: Annotated[str | UnsetType, Meta(description="`id` of the `ToolCall`.")] = UNSET
    toolName: str | UnsetType = UNSET
    content: Annotated[Content | UnsetType | None, Meta(description="Text and image blocks.")] = (
        UNSET
    )
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
    isError: bool | UnsetType = UNSET
    timestamp: Timestamp = UNSET


@wire
class BashExecutionMessage:
    """A shell command that a user ran (`!` in pi)."""

    role: Literal["bashExecution"] = "bashExecution"
    command: str | UnsetType = UNSET
    output: str | UnsetType = UNSET
    exitCode: Annotated[
        int | UnsetType | None,
        Meta(description="Absent or null: the command did not end by itself."),
    ] = UNSET
    cancelled: bool | UnsetType = UNSET
    truncated: Annotated[bool | UnsetType, Meta(description="Whether `output` is truncated.")] = (
        UNSET
    )
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
    """A summary of a branch that was left; made from a `branch_summary` entry and never stored."""

    role: Literal["branchSummary"] = "branchSummary"
    summary: str | UnsetType = UNSET
    fromId: Annotated[str | UnsetType | None, Meta(description="`fromId` of the entry.")] = UNSET
    timestamp: Timestamp = UNSET


@wire
class CompactionSummaryMessage:
    """A summary that replaces earlier messages; made from a `compaction` entry and never stored."""

    role: Literal["compactionSummary"] = "compactionSummary"
    summary: str | UnsetType = UNSET
    tokensBefore: Annotated[
        int | UnsetType | None, Meta(description="Tokens of the context before compaction.")
    ] = UNSET
    timestamp: Timestamp = UNSET


@wire
class SystemMessage:
    """A part of the system prompt; all parts, applied in order, give the present prompt."""

    role: Literal["system"] = "system"
    content: Annotated[
        Content | UnsetType | None, Meta(description="Text to append to the prompt.")
    ] = UNSET
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
