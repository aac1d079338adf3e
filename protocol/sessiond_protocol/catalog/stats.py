"""Messages, tokens and cost of sessions."""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.method import Method
from sessiond_protocol.prices import Calculated, PricesUsed, WithPrices
from sessiond_protocol.wire import Path, wire


@wire
class StatsParams:
    """The session to count: send exactly one of the two members."""

    path: Annotated[
        Path | UnsetType | None, Meta(description="A session file; it is not changed.")
    ] = UNSET
    session: Annotated[
        str | UnsetType | None,
        Meta(description="Handle of an open session, also before its file is written."),
    ] = UNSET
    timezone: Annotated[
        str | UnsetType | None,
        Meta(
            description=(
                "IANA name of the time zone for days; by default that of the daemon's machine."
            )
        ),
    ] = UNSET
    since: Annotated[
        str | UnsetType | None,
        Meta(
            description=(
                "First day to count, as `YYYY-MM-DD` in `timezone`. With it or `until` entries"
                " without a date do not count; `branches` and `sizeBytes` are always those of the"
                " whole file."
            )
        ),
    ] = UNSET
    until: Annotated[
        str | UnsetType | None,
        Meta(description="Last day to count, as `YYYY-MM-DD` in `timezone`."),
    ] = UNSET
    prices: WithPrices = False


@wire
class MessageFigures:
    """Messages of the whole file, including other branches and compacted messages."""

    byRole: Annotated[
        dict[str, int],
        Meta(
            description=(
                "Number of messages by role; the key is empty for messages without a role. An"
                " answer that an agent keeps in several entries (`partOf`) is one message."
            )
        ),
    ]


@wire
class TokenFigures:
    """Sum of the tokens in all recorded usage."""

    input: int
    output: int
    cacheRead: int
    cacheWrite: int
    total: Annotated[int, Meta(description="Sum of the other four (as in pi).")]


@wire
class CostFigures:
    """Sum of the cost in all recorded usage, in US dollars."""

    input: float
    output: float
    cacheRead: float
    cacheWrite: float
    total: Annotated[
        float,
        Meta(description="Sum of the recorded totals; where a total is missing, of its parts."),
    ]


KnownCost = Annotated[
    CostFigures | UnsetType,
    Meta(description="Absent: there is usage, and none of it records a cost."),
]

WithoutCost = Annotated[
    int | UnsetType,
    Meta(
        description=(
            "Number of entries with usage that record no cost: the true cost is higher. Absent:"
            " there are none."
        )
    ),
]


@wire
class ModelFigures:
    """Messages, tokens and cost of one model."""

    provider: Annotated[
        str, Meta(description="Empty, like `model`, for usage that names no model.")
    ]
    model: str
    messages: Annotated[int, Meta(description="Number of its assistant messages.")]
    tokens: TokenFigures
    cost: KnownCost = UNSET
    withoutCost: WithoutCost = UNSET
    calculated: Calculated = UNSET


@wire
class DayFigures:
    """Messages, tokens and cost of one day."""

    day: Annotated[str, Meta(description="`YYYY-MM-DD`, from midnight to midnight in `timezone`.")]
    messages: Annotated[int, Meta(description="Number of messages of any role.")]
    tokens: TokenFigures
    cost: KnownCost = UNSET
    withoutCost: WithoutCost = UNSET
    calculated: Calculated = UNSET


@wire
class StatsResult:
    """Statistics over all entries of the file, on all branches.

    Usage is counted from assistant messages, tool results, `usage` entries, and the summaries of
    compactions and branches (as in pi 1.6.0).
    """

    messages: MessageFigures
    toolCalls: Annotated[int, Meta(description="Tool calls in assistant messages.")]
    toolResults: Annotated[int, Meta(description="Messages of role `toolResult`.")]
    branches: Annotated[
        int, Meta(description="Number of entries without children: 1 for a session without forks.")
    ]
    compactions: int
    tokens: TokenFigures
    cost: KnownCost = UNSET
    withoutCost: WithoutCost = UNSET
    calculated: Calculated = UNSET
    byModel: Annotated[
        list[ModelFigures],
        Meta(description="In order of first use; the sums equal the totals."),
    ]
    byDay: Annotated[
        list[DayFigures],
        Meta(
            description=(
                "In order of days. An entry counts for the day of its message's timestamp,"
                " else of its own timestamp; without a date it counts for no day."
            )
        ),
    ]
    firstActivity: Annotated[
        str | UnsetType,
        Meta(
            description=(
                "Time of the earliest user or assistant message, ISO 8601 UTC with"
                " milliseconds; absent: there is none."
            )
        ),
    ] = UNSET
    lastActivity: Annotated[
        str | UnsetType,
        Meta(description="Time of the latest user or assistant message, as `modified` in lists."),
    ] = UNSET
    sizeBytes: Annotated[int, Meta(description="Size of the file; 0 before it is written.")]
    prices: PricesUsed = UNSET


METHODS = (
    Method(
        "catalog/stats",
        StatsParams,
        StatsResult,
        "Count a session's messages, tool calls, tokens and cost, by model and by day.",
        (
            "UnknownSession",
            "SessionNotFound",
            "InvalidSessionFile",
            "PathNotAllowed",
            "ReadFailed",
            "Unsupported",
        ),
        repeatable=True,
    ),
)
