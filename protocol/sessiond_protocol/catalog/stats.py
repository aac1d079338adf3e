"""What sessions hold and what they cost, in numbers."""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.method import Method
from sessiond_protocol.wire import Path, wire


@wire
class StatsParams:
    """Which session to count: exactly one of the two."""

    path: Annotated[
        Path | UnsetType | None, Meta(description="A session file; it is only read.")
    ] = UNSET
    session: Annotated[
        str | UnsetType | None, Meta(description="The handle of an open session, written or not.")
    ] = UNSET


@wire
class MessageFigures:
    """Messages of the whole file, other branches and what was compacted away included."""

    byRole: Annotated[
        dict[str, int],
        Meta(description="Number of message entries by role; a message without one counts as ``."),
    ]


@wire
class TokenFigures:
    """Tokens, added up over all usage that was recorded."""

    input: int
    output: int
    cacheRead: int
    cacheWrite: int
    total: Annotated[int, Meta(description="Sum of the four others (as pi).")]


@wire
class CostFigures:
    """US dollars, added up over all usage that was recorded."""

    input: float
    output: float
    cacheRead: float
    cacheWrite: float
    total: Annotated[
        float, Meta(description="Sum of the totals recorded; of the parts where there is none.")
    ]


@wire
class ModelFigures:
    """What one model was used for."""

    provider: Annotated[
        str, Meta(description="Empty, as `model`, for usage recorded without naming a model.")
    ]
    model: str
    messages: Annotated[int, Meta(description="Number of its assistant messages.")]
    tokens: TokenFigures
    cost: CostFigures


@wire
class DayFigures:
    """What happened on one day."""

    day: Annotated[str, Meta(description="`YYYY-MM-DD`, from midnight to midnight UTC.")]
    messages: Annotated[int, Meta(description="Number of messages of any role.")]
    tokens: TokenFigures
    cost: CostFigures


@wire
class StatsResult:
    """All entries of the file are counted, whatever branch they are on.

    Usage is that of assistant messages, tool results, `usage` entries, and the summaries of
    compactions and branches (as pi 1.5.2).
    """

    messages: MessageFigures
    toolCalls: Annotated[int, Meta(description="Tool calls in assistant messages.")]
    toolResults: Annotated[int, Meta(description="Messages of role `toolResult`.")]
    branches: Annotated[
        int, Meta(description="Entries that nothing follows: 1 for a session without forks.")
    ]
    compactions: int
    tokens: TokenFigures
    cost: CostFigures
    byModel: Annotated[
        list[ModelFigures],
        Meta(description="In the order in which the models came up; adds up to the totals."),
    ]
    byDay: Annotated[
        list[DayFigures],
        Meta(
            description=(
                "In order. An entry counts for the day of its message's own time, else of its"
                " timestamp; one without a date counts for none."
            )
        ),
    ]
    firstActivity: Annotated[
        str | UnsetType,
        Meta(
            description=(
                "Time of the earliest user or assistant message, ISO 8601 UTC with milliseconds;"
                " absent: there is none."
            )
        ),
    ] = UNSET
    lastActivity: Annotated[
        str | UnsetType, Meta(description="Time of the latest one, as `modified` in lists.")
    ] = UNSET
    sizeBytes: Annotated[int, Meta(description="Size of the file; 0 while nothing is written.")]


METHODS = (
    Method(
        "catalog/stats",
        StatsParams,
        StatsResult,
        "Count a session's messages, tool calls, tokens and cost, by model and by day.",
        ("UnknownSession", "SessionNotFound", "InvalidSessionFile", "PathNotAllowed", "ReadFailed"),
        repeatable=True,
    ),
)
