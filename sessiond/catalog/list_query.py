"""Which sessions a list has, in which order, and which page of them.

The methods, commands, MCP and partial results all use these rules.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

import attrs

from sessiond.catalog import cursors
from sessiond.catalog.kinds import Kinds
from sessiond.catalog.listing import Listing
from sessiond.catalog.marks import MarkFilter
from sessiond.catalog.projects import Project
from sessiond.catalog.scope import SessionScope
from sessiond.catalog.summaries import Summary
from sessiond.files import workers
from sessiond.runtime.isolation import Fault, Faults

if TYPE_CHECKING:
    # Most lists do not ask what sessions used.
    from sessiond.catalog.usage.count import FileUsage
    from sessiond.catalog.usage.prices import Prices
    from sessiond.catalog.usage.report import ReportRow

Sort = Literal["modified", "used", "size", "messages", "cost"]

Usages: TypeAlias = "Mapping[str, ReportRow]"
"""The usage of sessions, by their paths; a session that used nothing has no row."""


@attrs.frozen(kw_only=True)
class ListQuery:
    """Which sessions of a scope a list has, and which page of them."""

    kinds: Kinds = attrs.field(factory=Kinds)
    named: bool = False
    """Only sessions with a name."""
    since: float | None = None
    """Only sessions that were used at this time or later, in milliseconds since the epoch."""
    until: float | None = None
    """Only sessions that were created before this time."""
    model: str | None = None
    """Only sessions with a `provider/model` that contains this text, in any case."""
    project: Project | None = None
    agents: frozenset[str] | None = None
    """Only sessions of these agents; None: of all."""
    agent_of: Callable[[str], str] = attrs.field(default=str, eq=False)
    """Returns the agent of a session by its path."""
    marked: MarkFilter = attrs.field(factory=MarkFilter)
    sort: Sort = "modified"
    """The order: first the latest, largest, longest or most expensive session; `used` differs from
    `modified` for forks only."""
    with_usage: bool = False
    """Whether each session of the page comes with what it used."""
    prices: Prices | None = attrs.field(default=None, eq=False)
    """Prices for usage without a recorded cost; None: its cost stays unknown."""
    with_ids: bool = False
    """Whether the page comes with the ids of all sessions of the scope."""
    with_text: bool = False
    """Whether each session comes with the text of all messages."""
    limit: int | None = None
    cursor: str | None = None

    @property
    def is_plain(self) -> bool:
        """Whether every session of its kinds is in the list, the latest first, or those named."""
        return not self.marked.chooses and self._is_usual

    @property
    def needs_usage(self) -> bool:
        """Whether the list depends on what sessions used."""
        return self.model is not None or self.sort == "cost"

    @property
    def _is_usual(self) -> bool:
        """Whether the list has all sessions, the latest first, but for kinds, names and marks."""
        return self.sort == "modified" and not any(each is not None for each in self._chosen)

    @property
    def _chosen(self) -> tuple[object, ...]:
        agents = None if self.agents is None else sorted(self.agents)
        return self.since, self.until, self.model, self.project, agents

    def bound(self, scope: SessionScope) -> str:
        """Return which list it is, for cursors and resume tokens."""
        parts: list[object] = [scope.directory, scope.below, scope.cwd, self.named, *self.kinds]
        parts += self.marked.bound
        if not self._is_usual:
            parts += [self.sort, *self._chosen]
        if self.prices is not None:
            parts.append(self.prices.version)
        return "|".join(map(str, parts))

    def check_cursor(self, scope: SessionScope) -> None:
        """Raise InvalidCursor for a cursor that belongs to another list."""
        if self.cursor is not None:
            cursors.place(self.cursor, self.bound(scope), self._numbers)

    def select(self, summaries: Sequence[Summary]) -> Sequence[Summary]:
        """Return those that are in the list, as far as their summaries say."""
        if self.is_plain and not self.named:
            return summaries
        return [each for each in summaries if self._holds(each)]

    def _holds(self, summary: Summary) -> bool:
        return (
            (not self.named or bool(summary.name))
            # The time of a session begins with its creation and ends with its last use.
            and (self.since is None or summary.used >= self.since)
            and (self.until is None or summary.created < self.until)
            and (self.project is None or self.project.has_session(summary))
            and (self.agents is None or self.agent_of(summary.path) in self.agents)
            and self.marked.has(summary)
        )

    def ordered(self, summaries: Sequence[Summary], usages: Usages) -> Sequence[Summary]:
        """Return the sessions of the model in the order of the list; they come latest first."""
        if self.model is not None:
            rows = [(each, usages.get(each.path)) for each in summaries]
            summaries = [each for each, row in rows if row is not None and row.uses(self.model)]
        if self.sort == "modified":
            return self.marked.in_order(summaries)
        return sorted(summaries, key=self._rank(usages), reverse=True)

    def page(
        self, summaries: Sequence[Summary], scope: SessionScope, usages: Usages
    ) -> tuple[Sequence[Summary], str | None]:
        """Return the page of a list in its order, and the cursor of the next page.

        Raises InvalidCursor.
        """
        bound, rank = self.bound(scope), self._rank(usages)
        rest = summaries
        if self.cursor is not None:
            reached = cursors.place(self.cursor, bound, self._numbers)
            rest = [each for each in rest if rank(each) < reached]
        if self.limit is None or len(rest) <= self.limit:
            return rest, None
        if self.limit == 0:
            start = (float("inf"),) * self._numbers
            return [], self.cursor or cursors.cursor(bound, start, "")
        return rest[: self.limit], cursors.cursor(bound, *rank(rest[self.limit - 1]))

    @property
    def _numbers(self) -> int:
        """How many numbers the rank of a session has."""
        return self.marked.pinned_first + (1 if self.sort == "modified" else 2)

    def _rank(self, usages: Usages) -> Callable[[Summary], tuple[tuple[float, ...], str]]:
        """Return what orders the sessions; of equal ones the latest is first, as in pi's lists."""
        own = self._own_rank(usages)
        if not self.marked.pinned_first:
            return lambda summary: (own(summary), summary.path)
        is_pinned = self.marked.is_pinned
        return lambda summary: ((is_pinned(summary), *own(summary)), summary.path)

    def _own_rank(self, usages: Usages) -> Callable[[Summary], tuple[float, ...]]:
        if self.sort == "modified":
            return lambda summary: (summary.modified,)
        value = self._value(usages)
        return lambda summary: (value(summary), summary.modified)

    def _value(self, usages: Usages) -> Callable[[Summary], float]:
        if self.sort == "used":
            return lambda summary: summary.used
        if self.sort == "size":
            return lambda summary: summary.state.size
        if self.sort == "messages":
            return lambda summary: summary.message_count
        return lambda summary: _cost(usages.get(summary.path))

    async def usages_of(
        self, summaries: Sequence[Summary], faults: Faults, read_usage: UsageReader
    ) -> dict[str, ReportRow]:
        """Return what sessions used, by path; an entry counts in every session that has it."""
        counted = await read_usage(summaries, faults)
        return await workers.scanning(_usages, counted, self.prices, faults)


def _cost(row: ReportRow | None) -> float:
    return 0.0 if row is None else row.total.total_cost


@attrs.frozen
class SessionPage:
    """One page of a list."""

    sessions: Sequence[Summary]
    total: int
    """Number of sessions on all pages."""
    after: str | None
    """The cursor of the next page."""
    faults: Collection[Fault] = ()
    ids: Collection[str] | None = None
    """The ids of all sessions of the scope, if the query wants them; None: not all are known."""
    usages: Usages = attrs.field(factory=dict)
    """The usage of the sessions of the page, if the query needs it."""


UsageReader: TypeAlias = (
    "Callable[[Sequence[Summary], Faults], Awaitable[list[tuple[Summary, FileUsage]]]]"
)
"""Returns what sessions used: see `Catalogue.usage`."""


async def page_of(
    listing: Listing, query: ListQuery, scope: SessionScope, read_usage: UsageReader
) -> SessionPage:
    """Return the page of a list whose sessions are in a listing. Raises InvalidCursor."""
    faults, usages = Faults(listing.faults), dict[str, "ReportRow"]()
    summaries = query.select(listing.of_kinds(query.kinds))
    if query.needs_usage:
        usages = await query.usages_of(summaries, faults, read_usage)
    summaries = query.ordered(summaries, usages)
    page, after = query.page(summaries, scope, usages)
    if query.with_usage and not query.needs_usage:
        usages = await query.usages_of(page, faults, read_usage)
    faults_of_all = (*listing.faults, *faults)
    ids = {each.header.id for each in listing.newest_first()} if query.with_ids else None
    return SessionPage(page, len(summaries), after, faults_of_all, ids, usages)


def _usages(
    counted: Sequence[tuple[Summary, FileUsage]], prices: Prices | None, faults: Faults
) -> dict[str, ReportRow]:
    from sessiond.catalog.usage.report import Question, report

    question = Question(by="session", copies=True, prices=prices)
    rows = report(counted, question, faults).rows
    return {row.summary.path: row for row in rows if row.summary is not None}
