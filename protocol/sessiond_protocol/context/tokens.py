"""Estimate the size of contexts, and convert messages for a model.

The daemon plans and records; clients call the model. The rules are those of pi 1.6.0: four UTF-16
code units are one token, an image is 1,200 tokens, and the counts of a provider take precedence
over estimates.
"""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.json_members import MessageJson, MessagesJson
from sessiond_protocol.method import Method
from sessiond_protocol.wire import closed, wire

Tokens: TypeAlias = Annotated[int, Meta(ge=0, le=2**53 - 1)]
Window: TypeAlias = Annotated[int, Meta(ge=1, le=2**53 - 1)]


@wire
class MessagesParams:
    """The messages to measure: send exactly one of the two members."""

    session: Annotated[
        str | UnsetType | None,
        Meta(description="Handle of the session: measure the context at its leaf."),
    ] = UNSET
    messages: Annotated[
        list[MessageJson] | UnsetType | None,
        Meta(
            description=(
                "Messages in order, each an object with a string `role`. Other members that"
                " are missing or have an unexpected type count as 0."
            )
        ),
    ] = UNSET


@wire
class ToLlmParams(MessagesParams):
    """The messages to convert: send exactly one of `session` and `messages`."""

    repair: Annotated[
        bool | None,
        Meta(
            description=(
                "Make providers accept what an interrupted turn left: each call without a result"
                " gets one (`No result provided`), and results without a call, aborted answers and"
                " answers that ended in an error are left out."
            )
        ),
    ] = False


@wire
class EstimateTokensResult:
    """The size of a context; `tokens` is the sum of the next two members."""

    tokens: int
    usageTokens: Annotated[
        int,
        Meta(
            description=(
                "Tokens counted by a provider, from the last usage of a complete answer; 0:"
                " there is no valid usage. Usage from before the last compaction or context"
                " edit is not valid."
            )
        ),
    ]
    trailingTokens: Annotated[
        int, Meta(description="Estimated tokens of the messages after that answer.")
    ]
    lastUsageEntryId: Annotated[
        str | UnsetType, Meta(description="With `session`: the entry that has the usage.")
    ] = UNSET
    lastUsageIndex: Annotated[
        int | UnsetType,
        Meta(description="With `messages`: index of the message that has the usage."),
    ] = UNSET


@closed
@wire
class CompactionSettings:
    """Settings for compaction, as in pi, with the values for the present model."""

    enabled: Annotated[bool | None, Meta(description="Whether compaction is enabled.")] = True
    reserveTokens: Annotated[
        Tokens | UnsetType | None,
        Meta(description="Part of the context window to keep free; absent: 16,384."),
    ] = UNSET
    keepRecentTokens: Annotated[
        Tokens | UnsetType | None,
        Meta(description="Tokens of the latest messages to keep; absent: 20,000."),
    ] = UNSET
    reserveTokensFloor: Annotated[
        Tokens | UnsetType | None,
        Meta(
            description=(
                "Minimum of `reserveTokens`, as in CoderClaw; absent: no minimum."
                " CoderClaw's default is 20,000."
            )
        ),
    ] = UNSET


@wire
class ShouldCompactParams:
    """The context window that the context must fit into."""

    session: Annotated[str, Meta(description="Handle of the session.")]
    contextWindow: Annotated[
        Tokens, Meta(description="Size of the model's context window, in tokens.")
    ]
    settings: CompactionSettings | UnsetType | None = UNSET


@wire
class ShouldCompactResult:
    """Whether to compact: compaction is enabled and `tokens` exceed `threshold`."""

    compact: bool
    tokens: Annotated[int, Meta(description="The `tokens` of `context/estimateTokens`.")]
    threshold: Annotated[
        int,
        Meta(
            description="The context window minus the reserve; negative if the reserve is larger."
        ),
    ]


@wire
class WindowUsageParams:
    """The context window of the present model."""

    session: Annotated[str, Meta(description="Handle of the session.")]
    contextWindow: Annotated[
        Window, Meta(description="Size of the model's context window, in tokens.")
    ]


@wire
class WindowUsageResult:
    """Measure how much of the context window is used."""

    tokens: Annotated[
        int | None, Meta(description="null: unknown, between a compaction and the next answer.")
    ]
    contextWindow: Annotated[int, Meta(description="The context window from the request.")]
    percent: Annotated[
        float | None,
        Meta(description="Percentage of the context window, which may exceed 100; null: unknown."),
    ]


@wire
class LlmMessagesResult:
    """Messages with the roles that providers accept."""

    messages: Annotated[
        MessagesJson,
        Meta(
            description=(
                "Messages with the roles system, user, assistant and toolResult; others are"
                " converted to these."
            )
        ),
    ]


@wire
class SerializeResult:
    """A conversation as one text."""

    text: Annotated[
        str,
        Meta(
            description=(
                "The text has no thinking. Tool results are cut after 2,000 UTF-16 code"
                " units, never inside a character."
            )
        ),
    ]


_ANY = ("UnknownSession", "ReadFailed")

METHODS = (
    Method(
        "context/estimateTokens",
        MessagesParams,
        EstimateTokensResult,
        "Estimate the tokens of a context.",
        _ANY,
        repeatable=True,
    ),
    Method(
        "context/shouldCompact",
        ShouldCompactParams,
        ShouldCompactResult,
        "Decide whether the context should be compacted.",
        _ANY,
        repeatable=True,
    ),
    Method(
        "context/windowUsage",
        WindowUsageParams,
        WindowUsageResult,
        "Measure how much of the context window is used.",
        _ANY,
        repeatable=True,
    ),
    Method(
        "context/toLlm",
        ToLlmParams,
        LlmMessagesResult,
        "Convert messages to the form in which a model is sent them.",
        _ANY,
        repeatable=True,
    ),
    Method(
        "context/serialize",
        MessagesParams,
        SerializeResult,
        "Convert a conversation to text, for a model to read but not to continue.",
        _ANY,
        repeatable=True,
    ),
)
