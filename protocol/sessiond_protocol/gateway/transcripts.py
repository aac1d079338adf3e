"""Preview and count the transcripts of a store's sessions."""
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
        Meta(description="The first 64 that are not blank are used."),
    ]
    limit: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(
            description=("Maximum number of messages to read, at most 50; some may have no text.")
        ),
    ] = 12
    maxChars: Annotated[
        Annotated[int, Meta(ge=20)] | None,
        Meta(description="Maximum length of a text with `...`, in UTF-16 code units, up to 2000."),
    ] = 240


@wire
class PreviewItem:
    """One message."""

    role: Annotated[
        Literal["user", "assistant", "system", "tool", "other"],
        Meta(description="`tool`: a message that calls tools. `other`: also tool results."),
    ]
    text: Annotated[
        str,
        Meta(
            description=(
                "Text of the message; else `call a, b +2` with the tools it calls; else `[type]` of"
                " its first block."
            )
        ),
    ]


@wire
class SessionPreview:
    """The last messages of a session's transcript, on any branch."""

    key: Annotated[str, Meta(description="As it was sent, without white space around it.")]
    status: Annotated[
        Literal["ok", "empty", "missing", "error"],
        Meta(
            description=(
                "`missing`: the session does not exist. `empty`: no transcript, or no text in it."
                " `error`: the transcript or the store could not be read."
            )
        ),
    ]
    items: list[PreviewItem]


@wire
class StorePreviewResult:
    """One preview per key, in the order of the keys."""

    ts: Annotated[int, Meta(description="Time of the answer, milliseconds since the epoch.")]
    previews: list[SessionPreview]
    problems: StoreProblems = UNSET
    configProblems: Problems = UNSET


@wire
class StoreUsageParams(StoreParams):
    """The sessions to count; without `key` and `agentId` those of all agents."""

    key: Annotated[
        str | UnsetType | None, Meta(description="Only this session; absent: all sessions.")
    ] = UNSET
    since: Annotated[
        Day | UnsetType | None, Meta(description="First day to count; absent: no limit.")
    ] = UNSET
    until: Annotated[
        Day | UnsetType | None, Meta(description="Last day to count; absent: no limit.")
    ] = UNSET
    limit: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(description="Maximum number of sessions; `totals` include all sessions."),
    ] = 50
    includeContextWeight: Annotated[
        bool | None, Meta(description="Add `contextWeight`, the parts of the system prompt.")
    ] = False


@wire
class UsageFigures:
    """The usage on the selected days, counted as in `catalog/stats`."""

    messages: MessageFigures
    toolCalls: Annotated[int, Meta(description="Tool calls in assistant messages.")]
    toolResults: Annotated[int, Meta(description="Messages of role `toolResult`.")]
    compactions: int
    tokens: TokenFigures
    cost: CostFigures
    byModel: Annotated[list[ModelFigures], Meta(description="In order of first use.")]
    byDay: Annotated[list[DayFigures], Meta(description="In order of days.")]
    firstActivity: Annotated[
        str | UnsetType, Meta(description="Time of the earliest user or assistant message.")
    ] = UNSET
    lastActivity: Annotated[
        str | UnsetType, Meta(description="Time of the latest user or assistant message.")
    ] = UNSET


@wire
class SessionUsage:
    """One session of a store."""

    key: Annotated[str, Meta(description="The key as it is spelled in the store.")]
    agentId: Annotated[str, Meta(description="The agent of the store.")]
    sessionId: str | None
    updatedAt: Annotated[
        float | None, Meta(description="`updatedAt` of the entry, milliseconds since the epoch.")
    ]
    label: str | UnsetType = UNSET
    displayName: str | UnsetType = UNSET
    channel: str | UnsetType = UNSET
    usage: Annotated[UsageFigures | None, Meta(description="null: no readable transcript.")]
    contextWeight: Annotated[
        JsonObject | UnsetType,
        Meta(description="`systemPromptReport` of the entry; only with `includeContextWeight`."),
    ] = UNSET


@wire
class StoreUsageResult:
    """Usage of sessions. Every transcript is counted once; archived ones are not counted."""

    count: Annotated[int, Meta(description="Number of all selected sessions.")]
    sessions: Annotated[list[SessionUsage], Meta(description="The latest first.")]
    totals: Annotated[UsageFigures, Meta(description="Sums over all selected sessions.")]
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
        "gateway/usage",
        StoreUsageParams,
        StoreUsageResult,
        "Count tokens and cost of sessions, by session, model and day.",
        ("PathNotAllowed", "ReadFailed", "Busy", "Unsupported"),
        repeatable=True,
    ),
)
