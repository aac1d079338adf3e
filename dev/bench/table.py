"""The rows of the table: one per figure, with its budget."""

from __future__ import annotations

from collections.abc import Iterable

import attrs

HEAD = "| work | ours | baseline | ratio | budget | | command |\n|---|---|---|---|---|---|---|"


@attrs.frozen
class Row:
    """One figure. The budget limits `ratio`; `met` is None without a budget."""

    work: str
    ours: str
    baseline: str
    ratio: str
    budget: str
    met: bool | None
    topic: str = ""

    def markdown(self) -> str:
        verdict = {True: "met", False: "**missed**", None: ""}[self.met]
        cells = [self.work, self.ours, self.baseline, self.ratio, self.budget, verdict]
        return f"| {' | '.join(cells)} | `python dev/bench/run.py {self.topic}` |"


def slower_at_most(
    work: str, ours: float, baseline: float, limit: float, *, unit: str, beside: str
) -> Row:
    """Return a row whose figure may be at most `limit` times the baseline."""
    ratio = ours / baseline
    return Row(
        work,
        amount(ours, unit),
        f"{amount(baseline, unit)} ({beside})",
        f"{ratio:.2f} x",
        f"≤ {limit:g} x",
        ratio <= limit,
    )


def faster_at_least(
    work: str, ours: float, baseline: float, limit: float, *, unit: str, beside: str
) -> Row:
    """Return a row whose baseline must take at least `limit` times as long."""
    ratio = baseline / ours
    return Row(
        work,
        amount(ours, unit),
        f"{amount(baseline, unit)} ({beside})",
        f"{ratio:.1f} x faster",
        f"≥ {limit:g} x",
        ratio >= limit,
    )


def amount(value: float, unit: str) -> str:
    match unit:
        case "µs":
            return f"{value * 1e6:,.1f} µs"
        case "ms":
            return f"{value * 1e3:,.1f} ms"
        case "MB":
            return f"{value / 1e6:,.0f} MB"
        case _:
            return f"{value:,.0f} {unit}"


def median(values: Iterable[float]) -> float:
    return percentile(values, 0.5)


def percentile(values: Iterable[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]
