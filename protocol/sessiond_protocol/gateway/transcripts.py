"""Preview, compact and count the transcripts of a store's sessions."""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.catalog.stats import (
    CostFigures,
    DayFigures,
    MessageFigures,
    ModelFigures,
    TokenFigures,
)
from sessiond_protocol.gateway.keys import JsonObject, Problems
from sessiond_protocol.gateway.store import StoreParams, StoreProblems
from sessiond_protocol.method import Method
from sessiond_protocol.wire import wire

Day: TypeAlias = Annotated[str, Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
"""`YYYY-MM-DD`, from midnight to midnight UTC."""


@wire
class StorePreviewParams(StoreParams):
    """Sessions by their keys."""

    keys: Annotated[
        Annotated[list[str], Meta(min_length=1)],
        Meta(description="Of these the first 64 that are not blank count."),
    ]
    limit: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(
            description=(
                "Maximum number of messages to read, at most 50; some may have nothing to show."
            )
        ),
    ] = 12
    maxChars: Annotated[
        Annotated[int, Meta(ge=20)] | None,
        Meta(description="Length of a text in UTF-16 code units, at most 2000; `...` included."),
    ] = 240


@wire
class PreviewItem:
    """One message."""

    role: Annotated[
        Literal["user", "assistant", "system", "tool", "other"],
        Meta(description="`tool`: it calls tools. `other`: also what tools answered."),
    ]
    text: Annotated[
        str,
        Meta(
            description=(
                "Its text; else `call a, b +2` with the tools it calls; else `[type]` of its first"
                " block."
            )
        ),
    ]


@wire
class SessionPreview:
    """The end of one session's transcript, whatever branch it is on."""

    key: Annotated[str, Meta(description="As it was sent, without white space around it.")]
    status: Annotated[
        Literal["ok", "empty", "missing", "error"],
        Meta(
            description=(
                "`missing`: there is no such session. `empty`: nothing to show, or no transcript."
                " `error`: the transcript or the store could not be read."
            )
        ),
    ]
    items: list[PreviewItem]


@wire
class StorePreviewResult:
    """One for each key that counts, in their order."""

    ts: Annotated[int, Meta(description="When this was looked at; milliseconds since the epoch.")]
    previews: list[SessionPreview]
    problems: StoreProblems = UNSET
    configProblems: Problems = UNSET


@wire
class StoreCompactParams(StoreParams):
    """A session by its key. No model is asked: the beginning of its transcript goes."""

    key: Annotated[
        str, Meta(description="Key of the session, in any spelling that a gateway accepts.")
    ]
    maxLines: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(
            description=(
                "Lines that stay beside the header: the last ones, blank ones not counted, damaged"
                " ones as they are."
            )
        ),
    ] = 400


@wire
class StoreCompactResult:
    """What stays is a session again.

    An entry whose parent went goes under the nearest entry above it that stays, else becomes a
    root; a compaction whose first kept entry went keeps from the first there is. A result whose
    call went has no place in a context: what followed it goes on without it. Labels of entries that
    went stay, and mean nothing.
    """

    ok: bool
    key: Annotated[str, Meta(description="The key as it is spelled in the store.")]
    compacted: Annotated[bool, Meta(description="Whether anything went.")]
    reason: Annotated[
        Literal["no sessionId", "no transcript"] | UnsetType,
        Meta(description="Why there was nothing to do, unless there were so few lines."),
    ] = UNSET
    kept: Annotated[
        int | UnsetType,
        Meta(description="`maxLines`; all lines the transcript has, where nothing went."),
    ] = UNSET
    archived: Annotated[
        str | UnsetType, Meta(description="Absolute path of the transcript as it was.")
    ] = UNSET
    problems: StoreProblems = UNSET
    configProblems: Problems = UNSET


@wire
class StoreUsageParams(StoreParams):
    """Which sessions to count. Without `key` and `agentId` those of all agents."""

    key: Annotated[
        str | UnsetType | None, Meta(description="Only this session; absent: all there are.")
    ] = UNSET
    startDate: Annotated[
        Day | UnsetType | None, Meta(description="First day that counts; absent: the first.")
    ] = UNSET
    endDate: Annotated[
        Day | UnsetType | None, Meta(description="Last day that counts; absent: the last.")
    ] = UNSET
    limit: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(description="Sessions in the answer; `totals` are those of all."),
    ] = 50
    includeContextWeight: Annotated[
        bool | None, Meta(description="Tell what system prompts were made of.")
    ] = False


@wire
class UsageFigures:
    """What was used on the days that count, as `catalog/stats` counts."""

    messages: MessageFigures
    toolCalls: Annotated[int, Meta(description="Tool calls in assistant messages.")]
    toolResults: Annotated[int, Meta(description="Messages of role `toolResult`.")]
    compactions: int
    tokens: TokenFigures
    cost: CostFigures
    byModel: Annotated[
        list[ModelFigures], Meta(description="In the order in which the models came up.")
    ]
    byDay: Annotated[list[DayFigures], Meta(description="In order.")]
    firstActivity: Annotated[
        str | UnsetType, Meta(description="Time of the earliest user or assistant message.")
    ] = UNSET
    lastActivity: Annotated[str | UnsetType, Meta(description="Time of the latest one.")] = UNSET


@wire
class SessionUsage:
    """One session of a store."""

    key: Annotated[str, Meta(description="The key as it is spelled in the store.")]
    agentId: Annotated[str, Meta(description="Whose store has it.")]
    sessionId: str | None
    updatedAt: Annotated[
        float | None, Meta(description="Milliseconds since the epoch, as the entry says.")
    ]
    label: str | UnsetType = UNSET
    displayName: str | UnsetType = UNSET
    channel: str | UnsetType = UNSET
    usage: Annotated[
        UsageFigures | None, Meta(description="null: it has no transcript that can be read.")
    ]
    contextWeight: Annotated[
        JsonObject | UnsetType,
        Meta(description="`systemPromptReport` of the entry, if it has one; only if asked for."),
    ] = UNSET


@wire
class StoreUsageResult:
    """Every transcript is counted once. Archived ones do not count."""

    count: Annotated[int, Meta(description="Number of sessions there are.")]
    sessions: Annotated[list[SessionUsage], Meta(description="The latest first.")]
    totals: Annotated[UsageFigures, Meta(description="Of all of them.")]
    problems: StoreProblems = UNSET
    configProblems: Problems = UNSET


METHODS = (
    Method(
        "gateway/preview",
        StorePreviewParams,
        StorePreviewResult,
        "Read the last messages of sessions, shortened.",
        ("PathNotAllowed",),
        repeatable=True,
    ),
    Method(
        "gateway/compact",
        StoreCompactParams,
        StoreCompactResult,
        "Reduce a session's transcript to its last lines, and archive the old one.",
        (
            "ReadOnly",
            "PathNotAllowed",
            "InvalidSessionFile",
            "GatewayRejected",
            "Unsupported",
            "Busy",
            "ReadFailed",
            "WriteFailed",
        ),
        writes_store=True,
    ),
    Method(
        "gateway/usage",
        StoreUsageParams,
        StoreUsageResult,
        "Count tokens and cost of sessions, by session, model and day.",
        ("PathNotAllowed", "ReadFailed"),
        repeatable=True,
    ),
)
