"""Reset rules, computed without reading files.

A `config` is read as in `keys`.
"""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.gateway.keys import Config, Moment, Problems
from sessiond_protocol.method import Method
from sessiond_protocol.wire import NULL_IS_A_VALUE, closed, wire

ResetType: TypeAlias = Literal["direct", "group", "thread"]


@wire
class ResetPolicy:
    """When a session is reset.

    In mode `daily` both the hour and the idle minutes apply, whichever expires first.
    """

    mode: Literal["daily", "idle"]
    atHour: Annotated[int, Meta(description="Hour of the daily reset, in local time.")]
    idleMinutes: Annotated[
        int | UnsetType,
        Meta(
            description=(
                "Minutes without use after which the session expires; absent: it does not"
                " expire by idleness."
            )
        ),
    ] = UNSET


@closed
@wire
class GivenPolicy:
    """A policy in the form that `gateway/evaluateFreshness` answers."""

    mode: Literal["daily", "idle"]
    atHour: Annotated[
        Annotated[int, Meta(ge=0, le=23)] | None,
        Meta(description="Hour of the daily reset, in local time."),
    ] = 4
    idleMinutes: Annotated[
        Annotated[int, Meta(ge=1, le=2**53)] | UnsetType | None,
        Meta(
            description=(
                "Minutes without use after which the session expires; absent: it does not"
                " expire by idleness."
            )
        ),
    ] = UNSET


@wire
class EvaluateFreshnessParams:
    """Facts about a session, and exactly one of `resetType` and `policy`."""

    updatedAt: Annotated[
        float | UnsetType | None,
        NULL_IS_A_VALUE,
        Meta(
            description=(
                "`updatedAt` of the entry before the message, in milliseconds. Absent: the entry"
                " has none and is fresh; null counts as 0."
            )
        ),
    ] = UNSET
    now: Annotated[Moment, Meta(description="Milliseconds since the epoch.")]
    resetType: Annotated[
        ResetType | UnsetType | None, Meta(description="Type by which `config` has the policy.")
    ] = UNSET
    policy: GivenPolicy | UnsetType | None = UNSET
    config: Config = UNSET
    channel: Annotated[
        str | UnsetType | None, Meta(description="For `session.resetByChannel`, which comes first.")
    ] = UNSET
    timezone: Annotated[
        str | UnsetType | None,
        Meta(description="IANA name of the local time zone; absent: the host's."),
    ] = UNSET


@wire
class EvaluateFreshnessResult:
    """Whether the session continues; at the exact limit it does."""

    fresh: bool
    policy: ResetPolicy
    dailyResetAt: Annotated[
        int | UnsetType,
        Meta(
            description=(
                "Time of the latest daily reset, in milliseconds since the epoch; absent in"
                " mode `idle`."
            )
        ),
    ] = UNSET
    idleExpiresAt: Annotated[
        float | UnsetType,
        Meta(
            description=(
                "Time until which the entry is fresh, in milliseconds since the epoch;"
                " absent: no limit, or no `updatedAt`."
            )
        ),
    ] = UNSET
    configProblems: Problems = UNSET


METHODS = (
    Method(
        "gateway/evaluateFreshness",
        EvaluateFreshnessParams,
        EvaluateFreshnessResult,
        "Decide whether a session continues or has expired, daily or by idleness.",
        repeatable=True,
    ),
)
