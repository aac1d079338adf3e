"""Tokens and cost of many sessions."""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.catalog.scope import CatalogScope
from sessiond_protocol.catalog.stats import KnownCost, TokenFigures
from sessiond_protocol.method import Method
from sessiond_protocol.prices import Calculated, PricesUsed, WithPrices
from sessiond_protocol.session.state import FileProblems, SessionInfo
from sessiond_protocol.wire import Path, wire

UsageGrouping: TypeAlias = Literal[
    "day", "week", "month", "block", "model", "project", "agent", "session"
]


@wire
class CatalogUsageParams(CatalogScope):
    """The usage to add up."""

    by: Annotated[
        UsageGrouping | UnsetType | None,
        Meta(
            description=(
                "The unit of a row; `day` by default. A block is a window of five hours that begins"
                " with the hour of its first entry. A project is a repository with its worktrees,"
                " or a directory outside of repositories."
            )
        ),
    ] = UNSET
    thenBy: Annotated[
        UsageGrouping | UnsetType | None,
        Meta(description="The unit of the rows into which each row is divided; absent: none."),
    ] = UNSET
    timezone: Annotated[
        str | UnsetType | None,
        Meta(
            description=(
                "IANA name of the time zone for days; by default that of the daemon's machine."
                " Exact in zones that differ from UTC by whole quarters of an hour, as all zones"
                " do since 1972."
            )
        ),
    ] = UNSET
    since: Annotated[
        str | UnsetType | None,
        Meta(description="First day to count, as `YYYY-MM-DD` in `timezone`."),
    ] = UNSET
    until: Annotated[
        str | UnsetType | None,
        Meta(description="Last day to count, as `YYYY-MM-DD` in `timezone`."),
    ] = UNSET
    project: Annotated[
        Path | UnsetType | None,
        Meta(description="Only sessions of the project of this directory: see `session/listAll`."),
    ] = UNSET
    model: Annotated[
        str | UnsetType | None,
        Meta(description="Only usage whose `provider/model` contains this text, in any case."),
    ] = UNSET
    copies: Annotated[
        bool | UnsetType | None,
        Meta(
            description=(
                "Whether an entry that is in several sessions counts in each of them. By default"
                " it counts once, for the session that was created first, because the entries"
                " that a fork copies cost nothing. Entries with the same id, time and tokens are"
                " treated as copies."
            )
        ),
    ] = UNSET
    prices: WithPrices = False


@wire
class UsageSums:
    """Sums over entries.

    Every assistant message counts, and every tool result, `usage` entry, and summary of a
    compaction or a branch that has recorded usage.
    """

    entries: int
    withoutCost: Annotated[
        int,
        Meta(
            description=(
                "Number of these entries without a cost. The true cost is higher if this is not 0."
            )
        ),
    ]
    tokens: TokenFigures
    cost: KnownCost = UNSET
    calculated: Calculated = UNSET


@wire
class ModelUsage:
    """The usage of one model."""

    provider: Annotated[
        str, Meta(description="Empty, like `model`, for usage that names no model.")
    ]
    model: str
    sums: UsageSums


@wire
class InnerUsageRow:
    """A part of the usage of a row."""

    key: Annotated[
        str, Meta(description="What the part is about, as `key` of `UsageRow`, by `thenBy`.")
    ]
    sums: UsageSums
    info: Annotated[
        SessionInfo | UnsetType, Meta(description="The session, if `thenBy` is `session`.")
    ] = UNSET


@wire
class UsageRow:
    """The usage of one day, week, month, model, project, agent or session."""

    key: Annotated[
        str,
        Meta(
            description=(
                "`YYYY-MM-DD`, the ISO week (`2026-W03`, from Monday), `YYYY-MM`, when the block"
                " begins (`YYYY-MM-DD HH:MM`),"
                " `provider/model`, the directory of the project, the agent, or the path of the"
                " session. Empty for entries without time, model or directory."
            )
        ),
    ]
    sums: UsageSums
    models: Annotated[list[ModelUsage], Meta(description="By model; they add up to `sums`.")]
    info: Annotated[
        SessionInfo | UnsetType, Meta(description="The session; only in rows by `session`.")
    ] = UNSET
    rows: Annotated[
        list[InnerUsageRow] | UnsetType,
        Meta(
            description=(
                "The parts of this row by `thenBy`, in the order of rows; they add up to `sums`."
            )
        ),
    ] = UNSET


@wire
class CatalogUsageResult:
    """Usage by rows: periods in order of time, others by cost, the highest first."""

    rows: list[UsageRow]
    sums: UsageSums
    sessionCount: Annotated[int, Meta(description="Number of sessions with an entry that counts.")]
    omittedCopies: Annotated[
        int, Meta(description="Number of entries that are copies and did not count again.")
    ]
    currency: Annotated[Literal["USD"], Meta(description="Of all costs, as the agents write them.")]
    timezone: Annotated[
        str,
        Meta(
            description=(
                "The IANA name that was given; else the abbreviation of the machine's zone at"
                " present."
            )
        ),
    ]
    prices: PricesUsed = UNSET
    problems: FileProblems = UNSET


METHODS = (
    Method(
        "catalog/usage",
        CatalogUsageParams,
        CatalogUsageResult,
        "Add up tokens and cost of sessions by time, model, project, agent or session.",
        ("PathNotAllowed", "ReadFailed", "Unsupported"),
        repeatable=True,
    ),
)
