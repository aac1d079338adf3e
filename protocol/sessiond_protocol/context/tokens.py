"""The size of contexts, and their messages as a model is sent them.

Planning: the daemon computes and records, clients call the model. Numbers and rules are those of pi
1.5.2: four UTF-16 code units make a token, an image makes 1,200, and what a provider counted goes
before what is estimated.
"""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.json_members import MessageJson, MessagesJson
from sessiond_protocol.method import Method
from sessiond_protocol.wire import wire

Tokens: TypeAlias = Annotated[int, Meta(ge=0, le=2**53 - 1)]
Window: TypeAlias = Annotated[int, Meta(ge=1, le=2**53 - 1)]


@wire
class MessagesParams:
    """Messages to look at: exactly one of the two."""

    session: Annotated[
        str | UnsetType | None, Meta(description="Handle of the session: the context at its leaf.")
    ] = UNSET
    messages: Annotated[
        list[MessageJson] | UnsetType | None,
        Meta(
            description=(
                "Messages in order, each an object with a string `role`. What else is missing or"
                " odd in one counts for nothing."
            )
        ),
    ] = UNSET


@wire
class EstimateTokensResult:
    """The size of a context. `tokens` is the sum of the next two."""

    tokens: int
    usageTokens: Annotated[
        int,
        Meta(
            description=(
                "What a provider counted, by the last usage of a whole answer; 0: there is none to"
                " be believed. Usage from before the last compaction or context edit is not."
            )
        ),
    ]
    trailingTokens: Annotated[int, Meta(description="Estimate of what that does not include.")]
    lastUsageEntryId: Annotated[
        str | UnsetType, Meta(description="With `session`: the entry the usage is from.")
    ] = UNSET
    lastUsageIndex: Annotated[
        int | UnsetType, Meta(description="With `messages`: the message the usage is from.")
    ] = UNSET


@wire
class CompactionSettings:
    """pi's settings `compaction`, as they stand for the model in use."""

    enabled: Annotated[bool | None, Meta(description="Whether to compact at all.")] = True
    reserveTokens: Annotated[
        Tokens | UnsetType | None,
        Meta(description="Part of the window to keep free; absent: 16,384."),
    ] = UNSET
    keepRecentTokens: Annotated[
        Tokens | UnsetType | None,
        Meta(description="Tokens of the latest messages to keep; absent: 20,000."),
    ] = UNSET
    reserveTokensFloor: Annotated[
        Tokens | UnsetType | None,
        Meta(
            description=(
                "CoderClaw's: `reserveTokens` is at least this; absent: no floor. CoderClaw's own"
                " default is 20,000."
            )
        ),
    ] = UNSET


@wire
class ShouldCompactParams:
    """A window the context has to fit."""

    session: Annotated[str, Meta(description="Handle of the session.")]
    contextWindow: Annotated[Tokens, Meta(description="Tokens the model takes.")]
    settings: CompactionSettings | UnsetType | None = UNSET


@wire
class ShouldCompactResult:
    """Whether it is time: `contextTokens` are more than `threshold`, and compacting is enabled."""

    compact: bool
    contextTokens: Annotated[int, Meta(description="As `context/estimateTokens`.")]
    threshold: Annotated[
        int,
        Meta(description="The window less the reserve; negative where the reserve is larger."),
    ]


@wire
class ContextUsageParams:
    """The window of the model in use."""

    session: Annotated[str, Meta(description="Handle of the session.")]
    contextWindow: Annotated[Window, Meta(description="Tokens the model takes.")]


@wire
class ContextUsageResult:
    """How full the context is, as a front end shows it."""

    tokens: Annotated[
        int | None, Meta(description="null: unknown, from a compaction to the next answer.")
    ]
    contextWindow: Annotated[int, Meta(description="As it was sent.")]
    percent: Annotated[
        float | None, Meta(description="Of the window, above 100 if need be; null: unknown.")
    ]


@wire
class LlmMessagesResult:
    """Messages in the roles providers know."""

    messages: Annotated[
        MessagesJson,
        Meta(description="Roles system, user, assistant and toolResult only; others converted."),
    ]


@wire
class SerializeResult:
    """A conversation as one text."""

    text: Annotated[
        str,
        Meta(
            description=(
                "Without thinking; results of tools cut after 2,000 UTF-16 code units, never within"
                " a character."
            )
        ),
    ]


_ANY = ("UnknownSession", "ReadFailed")

METHODS = (
    Method(
        "context/estimateTokens",
        MessagesParams,
        EstimateTokensResult,
        "How many tokens a context takes.",
        _ANY,
        repeatable=True,
    ),
    Method(
        "context/shouldCompact",
        ShouldCompactParams,
        ShouldCompactResult,
        "Whether the context leaves too little of the window.",
        _ANY,
        repeatable=True,
    ),
    Method(
        "context/usage",
        ContextUsageParams,
        ContextUsageResult,
        "How full the context is, as a front end shows it.",
        _ANY,
        repeatable=True,
    ),
    Method(
        "context/toLlm",
        MessagesParams,
        LlmMessagesResult,
        "Messages as they are sent to a model.",
        _ANY,
        repeatable=True,
    ),
    Method(
        "context/serialize",
        MessagesParams,
        SerializeResult,
        "A conversation as text, for a model to read and not to go on with.",
        _ANY,
        repeatable=True,
    ),
)
