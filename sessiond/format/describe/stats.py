"""Statistics of a session: messages, tool calls, tokens and cost of all entries in its file.

Usage is added up as in pi 1.6.0: of assistant messages, tool results, `usage` entries, and the
summaries of compactions and branches. Entries of all branches count, compacted or not.
"""

from __future__ import annotations

import functools
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

import attrs

from sessiond.format.describe.usage_line import (
    ENTRY_TYPES,
    PARTS,
    EntryUsage,
    time_of,
    usage_of_line,
)
from sessiond.format.entries import COMPACTION, Entry
from sessiond.format.line import Line, blocks_of, parse_line
from sessiond.format.tree.tree import Tree
from sessiond.text.dates import iso_from_ms

Counts = Callable[[str | None], bool]
Price = Callable[[Sequence[EntryUsage]], Sequence[EntryUsage]]
"""Returns the usage of all entries with the cost of those for which none is recorded."""

DayOf = Callable[[float], str | None]
"""Returns the day of a time in epoch milliseconds; None if it is not a valid time."""

_DAY = 86_400_000


@attrs.define
class Used:
    """Sums of tokens and US dollars, by `PARTS` and as `total`, and the number of messages."""

    tokens: dict[str, int] = attrs.field(factory=lambda: dict.fromkeys((*PARTS, "total"), 0))
    cost: dict[str, float] = attrs.field(factory=lambda: dict.fromkeys((*PARTS, "total"), 0.0))
    messages: int = 0
    without_cost: int = 0
    """Number of entries with usage that record no cost."""
    has_cost: bool = False
    calculated: int = 0
    """Number of entries whose cost was calculated."""

    def add(self, usage: EntryUsage) -> None:
        """Add the usage of an entry, which may record the cost of answers before it."""
        amounts = usage.amounts
        self.calculated += usage.calculated
        if amounts is not None and amounts.has_cost:
            self.has_cost = True
            self.without_cost = max(0, self.without_cost - usage.priced_answers)
        elif not usage.is_part:
            self.without_cost += 1
        if amounts is None:
            return
        for name, count, dollars in zip(PARTS, amounts.tokens, amounts.dollars, strict=True):
            self.tokens[name] += count
            self.cost[name] += dollars
        self.tokens["total"] += sum(amounts.tokens)
        self.cost["total"] += amounts.total


@attrs.define
class Stats:
    """The figures of one session."""

    by_role: Counter[str] = attrs.field(factory=Counter)
    tool_calls: int = 0
    branches: int = 0
    compactions: int = 0
    used: Used = attrs.field(factory=Used)
    by_model: defaultdict[tuple[str, str], Used] = attrs.field(factory=lambda: defaultdict(Used))
    """By provider and model, in order of first use; both are empty if not recorded."""
    by_day: defaultdict[str, Used] = attrs.field(factory=lambda: defaultdict(Used))
    """By `YYYY-MM-DD`."""
    first_activity: float | None = None
    """Epoch milliseconds of the earliest user or assistant message."""
    last_activity: float | None = None

    @property
    def tool_results(self) -> int:
        """Number of messages with the result of a tool call."""
        return self.by_role["toolResult"]

    def saw(self, at: float | None) -> None:
        """Include the time of a user or assistant message in the first and last activity."""
        if at is not None:
            first, last = self.first_activity, self.last_activity
            self.first_activity = at if first is None else min(at, first)
            self.last_activity = at if last is None else max(at, last)


def utc_day(at: float) -> str | None:
    """Return the day in UTC of a time in epoch milliseconds; None if it is not a valid time."""
    return _date(at // _DAY)


def count(
    tree: Tree,
    counts: Counts | None = None,
    day_of: DayOf = utc_day,
    price: Price | None = None,
) -> Stats:
    """Compute the statistics of a session. Slow for a big one; `tree` must not change meanwhile.

    `counts` tells for a day (None: no valid time) whether its entries count; branches always do.
    """
    stats = Stats()
    usages, days = [], []
    for entry in tree.entries:
        taken = _take(stats, entry, counts, day_of)
        if taken is not None:
            usages.append(taken[0])
            days.append(taken[1])
    for usage, day in zip(usages if price is None else price(usages), days, strict=True):
        if counts is None or counts(day):
            _add(stats, usage, day)
    stats.branches = tree.count_branches()
    stats.by_day = defaultdict(Used, sorted(stats.by_day.items()))
    return stats


def _take(
    stats: Stats, entry: Entry, counts: Counts | None, day_of: DayOf
) -> tuple[EntryUsage, str | None] | None:
    """Count an entry, and return its usage and day."""
    if entry.role is None and entry.type not in ENTRY_TYPES:
        return None
    line = parse_line(entry.raw)
    if line is None:
        return None
    at, usage = time_of(line), usage_of_line(line)
    day = None if at is None else day_of(at)
    if counts is None or counts(day):
        if entry.role is not None and line.part_of is None:
            _take_message(stats, entry, at, day)
        if usage is not None:
            # The models are in the order of first use.
            stats.by_model[usage.model].messages += entry.role == "assistant" and not usage.is_part
        if entry.role == "assistant":
            stats.tool_calls += _tool_calls(line)
        elif entry.type == COMPACTION:
            stats.compactions += 1
    return None if usage is None else (usage, day)


def _add(stats: Stats, usage: EntryUsage, day: str | None) -> None:
    used = [stats.used, stats.by_model[usage.model]]
    if day is not None:
        used.append(stats.by_day[day])
    for each in used:
        each.add(usage)


def _take_message(stats: Stats, entry: Entry, at: float | None, day: str | None) -> None:
    stats.by_role[entry.role or ""] += 1
    if at is None:
        return
    if day is not None:
        stats.by_day[day].messages += 1
    if entry.is_conversation:
        stats.saw(at)


@functools.lru_cache
def _date(day: float) -> str | None:
    """`YYYY-MM-DD` of a day number since the epoch, in UTC."""
    moment = iso_from_ms(day * _DAY)
    return None if moment is None else moment[:10]


def _tool_calls(line: Line) -> int:
    message = line.message
    if message is None or b'"toolCall"' not in bytes(message.content):
        return 0
    return sum(block.type == "toolCall" for block in blocks_of(message.content))
