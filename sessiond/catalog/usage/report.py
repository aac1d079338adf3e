"""Add up the usage of many sessions by day, week, month, model, project, agent or session."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Literal, NamedTuple

import attrs

from sessiond.catalog.discover import one_spelling
from sessiond.catalog.summaries import Summary
from sessiond.catalog.usage.count import QUARTER_MS, FileUsage, Part, Sums
from sessiond.format.describe.usage_line import OF_SUBAGENTS
from sessiond.runtime.clock import Zone
from sessiond.runtime.isolation import Faults

if TYPE_CHECKING:
    from sessiond.catalog.usage.prices import Prices

Grouping = Literal["day", "week", "month", "block", "model", "project", "agent", "session"]

Model = tuple[str, str]
"""Provider and model; both are empty for usage that names none."""

_Models = defaultdict[Model, list[Sums]]

_PERIODS = frozenset({"day", "week", "month", "block"})

_HOUR_QUARTERS = 4
_BLOCK_QUARTERS = 5 * _HOUR_QUARTERS
"""A block begins with the hour of its first entry, as the limits of subscriptions do."""

_QUARTER_SECONDS = QUARTER_MS // 1000


@attrs.frozen
class Question:
    """The usage to add up. Days are those of `zone`, as `YYYY-MM-DD`, both included."""

    by: Grouping
    then_by: Grouping | None = None
    """How each row is divided again; None: it is not."""
    zone: Zone = None
    since: str | None = None
    until: str | None = None
    model: str | None = None
    """Part of `provider/model`, in any case."""
    project_of: Callable[[Summary], str] = attrs.field(default=lambda summary: summary.cwd or "")
    """Returns the directory of a session's project."""
    agent_of: Callable[[str], str] = attrs.field(default=str)
    """Returns the agent of a session by its path."""
    copies: bool = False
    """Whether an entry that is in several sessions counts in each of them."""
    prices: Prices | None = None
    """Prices for usage without a recorded cost; None: its cost stays unknown."""

    def wants(self, model: Model) -> bool:
        """Whether the usage of a model counts."""
        return self.model is None or _contains(model, self.model)


class Total(NamedTuple):
    """Sums over entries: numbers, tokens, and US dollars."""

    entries: int = 0
    without_cost: int = 0
    """Number of entries that record no cost."""
    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    input_cost: float = 0.0
    output_cost: float = 0.0
    cache_read_cost: float = 0.0
    cache_write_cost: float = 0.0
    total_cost: float = 0.0
    cache_write_hour: int = 0
    """The part of `cache_write` that is kept for an hour."""
    calculated: int = 0
    """Number of entries whose cost was calculated."""

    @property
    def has_cost(self) -> bool:
        """Whether a cost is recorded, or nothing was used."""
        return self.without_cost < self.entries or not self.without_cost or bool(self.total_cost)

    @property
    def tokens(self) -> int:
        """Tokens of the four kinds."""
        return self.input + self.output + self.cache_read + self.cache_write


@attrs.frozen
class ReportRow:
    """The usage of one day, model, project, agent or session."""

    key: str
    total: Total
    by_model: dict[Model, Total]
    """In order of first use in the session that was created first."""
    summary: Summary | None = None
    """The session; None if the rows are not sessions."""
    inner: list[ReportRow] | None = None
    """The parts of the row, in the order of rows; None: it is not divided."""

    def uses(self, part: str) -> bool:
        """Whether the name of one of its models contains a text, in any case."""
        return any(_contains(model, part) for model in self.by_model)


@attrs.frozen
class Report:
    """The rows, and their sum. Periods in order of time, others by cost, the highest first."""

    rows: list[ReportRow]
    total: Total
    sessions: int
    """Number of sessions with an entry that counts."""
    copies: int
    """Number of entries that were not counted again."""


def total(sums: Iterable[Sums]) -> Total:
    """Add up column by column, which is much faster than row by row."""
    columns = list(zip(*sums, strict=True))
    if not columns:
        return Total()
    added = Total._make(map(sum, columns))
    # Costs that are recorded later, on another day, may cover more answers than this sum has.
    return added._replace(without_cost=max(0, added.without_cost))


def report(
    counted: Iterable[tuple[Summary, FileUsage]], question: Question, faults: Faults
) -> Report:
    """Add up the usage of sessions; those for which that fails are noted in `faults`.

    An entry that is in several sessions, because of a fork or a copied file, counts for the session
    that was created first; of those that were created together, for the one that ended first,
    because a fork goes on where it was copied.
    """
    counted = list(counted)
    adding = _Adding(question, _blocks(counted, question))
    counted_keys: set[int] = set()
    parents = {
        item.header.parent_session for item, _ in counted if item.header.subagent is not None
    }
    for summary, recorded in sorted(
        counted,
        key=lambda item: (item[0].created, item[0].modified, len(item[1].keys), item[0].path),
    ):
        with faults.isolate(summary.path):
            prices = question.prices
            usage = recorded if prices is None else prices.fill(recorded)
            parts = usage.parts
            keys = usage.key_view()
            if not question.copies and not counted_keys.isdisjoint(keys):
                parts, copied = usage.split(counted_keys)
                adding.omit(usage, copied)
            if summary.path in parents and OF_SUBAGENTS in usage.models:
                # The sessions of the subagents say more.
                subagents = usage.models.index(OF_SUBAGENTS)
                parts = [part for part in parts if part[1] != subagents]
            adding.add(summary, usage, parts)
            counted_keys.update(keys)
    return adding.report(faults)


class _Adding:
    """Collects the parts that count for each row and model."""

    def __init__(self, question: Question, blocks: Mapping[int | None, str]) -> None:
        self._question = question
        self._blocks = blocks
        self._days: dict[int | None, str] = {None: ""}
        self._all_days = question.since is None and question.until is None
        self._rows: defaultdict[str, _Models] = defaultdict(_models)
        self._inner: defaultdict[str, defaultdict[str, _Models]]
        self._inner = defaultdict(lambda: defaultdict(_models))
        self._summaries: dict[str, Summary] = {}
        self._sessions = 0
        self._copies = 0

    def omit(self, usage: FileUsage, parts: Iterable[Part]) -> None:
        self._copies += sum(sums[0] for _, _, sums in self._wanted(usage, parts))

    def add(self, summary: Summary, usage: FileUsage, parts: Iterable[Part]) -> None:
        by, then_by = self._question.by, self._question.then_by
        fixed = self._fixed(summary)
        chosen = list(self._wanted(usage, parts))
        for quarter, model, sums in chosen:
            key = self._key(by, fixed, quarter, model)
            self._rows[key][model].append(sums)
            if then_by is not None:
                self._inner[key][self._key(then_by, fixed, quarter, model)][model].append(sums)
        if chosen:
            self._sessions += 1
            self._summaries[summary.path] = summary

    def _fixed(self, summary: Summary) -> dict[str, str]:
        """Return the keys that are the same for all of a session."""
        question = self._question
        fixed = {"session": summary.path}
        if "project" in {question.by, question.then_by}:
            fixed["project"] = one_spelling(question.project_of(summary))
        if "agent" in {question.by, question.then_by}:
            fixed["agent"] = question.agent_of(summary.path)
        return fixed

    def report(self, faults: Faults) -> Report:
        rows = faults.each(self._rows, str, self._row)
        _sort(rows, self._question.by)
        return Report(rows, total(row.total for row in rows), self._sessions, self._copies)

    def _row(self, key: str) -> ReportRow:
        row = self._made(key, self._rows[key], self._question.by)
        then_by = self._question.then_by
        if then_by is None:
            return row
        inner = [self._made(name, models, then_by) for name, models in self._inner[key].items()]
        _sort(inner, then_by)
        return attrs.evolve(row, inner=inner)

    def _made(self, key: str, models: _Models, by: Grouping) -> ReportRow:
        by_model = {model: total(sums) for model, sums in models.items()}
        summary = self._summaries[key] if by == "session" else None
        return ReportRow(key, total(by_model.values()), by_model, summary)

    def _wanted(
        self, usage: FileUsage, parts: Iterable[Part]
    ) -> Iterator[tuple[int | None, Model, Sums]]:
        """The parts that the question asks for, with quarter and model."""
        chosen = [self._question.wants(model) for model in usage.models]
        for quarter, index, sums in parts:
            if chosen[index] and (self._all_days or self._has(self._day(quarter))):
                yield quarter, usage.models[index], sums

    def _key(
        self, by: Grouping, fixed: Mapping[str, str], quarter: int | None, model: Model
    ) -> str:
        """The key of a row; `fixed`: the keys that are the same for all of a session."""
        if by in fixed:
            return fixed[by]
        if by == "model":
            return name_of(model)
        return self._blocks[quarter] if by == "block" else period_of(self._day(quarter), by)

    def _has(self, day: str) -> bool:
        return bool(day) and (self._question.since or day) <= day <= (self._question.until or day)

    def _day(self, quarter: int | None) -> str:
        day = self._days.get(quarter)
        if day is None:
            seconds = (quarter or 0) * _QUARTER_SECONDS
            day = datetime.fromtimestamp(seconds, self._question.zone).date().isoformat()
            self._days[quarter] = day
        return day


def _models() -> _Models:
    return defaultdict(list)


def _blocks(
    counted: Iterable[tuple[Summary, FileUsage]], question: Question
) -> dict[int | None, str]:
    """The beginning of the block of each quarter; empty for no time."""
    quarters = {
        quarter
        for _, usage in counted
        for quarter, index, _ in usage.parts
        if quarter is not None and question.wants(usage.models[index])
    }
    blocks: dict[int | None, str] = {None: ""}
    start, name = -_BLOCK_QUARTERS, ""
    for quarter in sorted(quarters) if "block" in {question.by, question.then_by} else ():
        if quarter >= start + _BLOCK_QUARTERS:
            start = quarter - quarter % _HOUR_QUARTERS
            name = (
                f"{datetime.fromtimestamp(start * _QUARTER_SECONDS, question.zone):%Y-%m-%d %H:%M}"
            )
        blocks[quarter] = name
    return blocks


def _sort(rows: list[ReportRow], by: Grouping) -> None:
    if by in _PERIODS:
        rows.sort(key=lambda row: row.key)
    else:
        rows.sort(key=lambda row: (-row.total.total_cost, -row.total.tokens, row.key))


def name_of(model: Model) -> str:
    """`provider/model`, or the model alone if it has no provider; empty if there is none."""
    return "/".join(filter(None, model))


def _contains(model: Model, part: str) -> bool:
    return part.casefold() in name_of(model).casefold()


def period_of(day: str, by: Grouping) -> str:
    """The day itself, its ISO week (`2026-W03`, from Monday) or its month; empty for no day."""
    if not day or by == "day":
        return day
    if by == "month":
        return day[:7]
    year, week, _ = datetime.fromisoformat(day).isocalendar()
    return f"{year:04}-W{week:02}"
