"""Decisions before and after a turn.

A `config` is read as in `keys`. The methods write nothing, and read a store only if a member
requires it.
"""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.gateway.keys import JsonObject, Moment, Problems
from sessiond_protocol.gateway.store import StoreParams, StoreProblems
from sessiond_protocol.method import Method
from sessiond_protocol.wire import wire

Window: TypeAlias = Annotated[float, Meta(ge=0, le=2**53 - 1)]


@wire
class IsSilentReplyParams:
    """A reply, or the part of it received so far."""

    text: Annotated[str, Meta(description="The text received so far.")]
    token: Annotated[
        Annotated[str, Meta(min_length=1, max_length=256)] | None,
        Meta(description="The token that marks a silent reply."),
    ] = "NO_REPLY"  # noqa: S105 - a word, not a secret
    streaming: Annotated[bool | None, Meta(description="Whether more text may follow.")] = False


@wire
class IsSilentReplyResult:
    """Show the text if both are false."""

    silent: Annotated[
        bool,
        Meta(description="It starts with the token, or ends with it, apart from punctuation."),
    ]
    hold: Annotated[
        bool,
        Meta(
            description=(
                "While streaming: the end of the text could become the token. Wait for more."
            )
        ),
    ]


@wire
class PlanMemoryFlushParams(StoreParams):
    """A session before its next turn. Exactly one of `entry` and `sessionKey`.

    With `entry` no file is read, and an absent `config` is then empty.
    """

    sessionKey: Annotated[
        str | UnsetType | None,
        Meta(description="Key, in any spelling that a gateway accepts; the store is read."),
    ] = UNSET
    entry: Annotated[
        JsonObject | UnsetType | None,
        Meta(
            description=(
                "Entry of the session; the rule reads `totalTokens`, `totalTokensFresh`,"
                " `compactionCount` and `memoryFlushCompactionCount`."
            )
        ),
    ] = UNSET
    contextWindow: Annotated[
        Window | UnsetType | None,
        Meta(
            description=("Context window; absent: `agents.defaults.contextTokens`, else 200,000.")
        ),
    ] = UNSET
    sandboxed: Annotated[bool | None, Meta(description="Whether the turn is sandboxed.")] = False
    workspaceAccess: Annotated[
        str | UnsetType | None,
        Meta(description="Access of the sandbox: `none`, `ro` or `rw`; a flush needs `rw`."),
    ] = UNSET
    heartbeat: Annotated[bool | None, Meta(description="Whether the turn is a heartbeat.")] = False
    cliProvider: Annotated[
        bool | None, Meta(description="Whether the model is run as a command.")
    ] = False
    now: Annotated[
        Moment | UnsetType | None,
        Meta(
            description=(
                "Time in the prompt, in milliseconds since the epoch; absent: the host's time."
            )
        ),
    ] = UNSET
    timezone: Annotated[
        str | UnsetType | None,
        Meta(
            description=(
                "IANA name of the time zone in the prompt; absent:"
                " `agents.defaults.userTimezone`, else the host's."
            )
        ),
    ] = UNSET


@wire
class PlanMemoryFlushResult:
    """Whether to run a turn that saves memories first."""

    flush: bool
    reason: Annotated[
        str,
        Meta(
            description="`due`, or the first reason why not.",
            extra_json_schema={
                "x-knownValues": [
                    "due",
                    "disabled",
                    "workspaceNotWritable",
                    "heartbeat",
                    "cliProvider",
                    "tokensUnknown",
                    "windowTooSmall",
                    "belowThreshold",
                    "alreadyFlushed",
                ]
            },
        ),
    ]
    threshold: Annotated[
        int,
        Meta(
            description=(
                "Number of tokens at which the flush is due; 0: the context window is too small."
            )
        ),
    ]
    prompt: Annotated[str | UnsetType, Meta(description="Prompt for the agent.")] = UNSET
    systemPrompt: Annotated[
        str | UnsetType,
        Meta(description="Text to append to its system prompt, after a blank line."),
    ] = UNSET
    problems: StoreProblems = UNSET
    configProblems: Problems = UNSET


METHODS = (
    Method(
        "gateway/isSilentReply",
        IsSilentReplyParams,
        IsSilentReplyResult,
        "Decide whether a reply is silent; the text of a silent reply is not shown.",
        repeatable=True,
    ),
    Method(
        "gateway/planMemoryFlush",
        PlanMemoryFlushParams,
        PlanMemoryFlushResult,
        "Decide whether the agent should save memories before a compaction, and build the prompt.",
        ("PathNotAllowed", "ReadFailed", "Busy", "Unsupported"),
        repeatable=True,
    ),
)
