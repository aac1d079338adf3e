"""The rows of the table: one per figure, with its budget."""

from __future__ import annotations

from collections.abc import Iterable

import attrs
from budgets import Budget

HEAD = "| work | ours | baseline | ratio | budget | | command |\n|---|---|---|---|---|---|---|"


@attrs.frozen
class Row:
    """One figure as it is shown, and in numbers where `budget` limits it."""

    work: str
    ours: str
    baseline: str = ""
    ratio: str = ""
    figure: float = 0.0
    budget: Budget | None = None
    topic: str = ""

    def markdown(self) -> str:
        limit = verdict = ""
        if self.budget is not None:
            sign = "≥" if self.budget.at_least else "≤"
            limit = f"{sign} {amount(self.budget.limit, self.budget.unit)}"
            verdict = "met" if self.budget.is_met_by(self.figure) else "**missed**"
        cells = [self.work, self.ours, self.baseline, self.ratio, limit, verdict]
        return f"| {' | '.join(cells)} | `python dev/bench/run.py {self.topic}` |"


def limited(work: str, figure: float, budget: Budget, baseline: str = "", ratio: str = "") -> Row:
    """Return a row whose figure the budget limits as it is."""
    return Row(work, amount(figure, budget.unit), baseline, ratio, figure, budget)


def compared(
    work: str, ours: float, baseline: float, budget: Budget, *, unit: str, beside: str
) -> Row:
    """Return a row about how many times slower than the baseline ours is, or how many faster.

    A budget of `at_least` is about how many times faster.
    """
    ratio = baseline / ours if budget.at_least else ours / baseline
    shown = f"{ratio:.1f} x faster" if budget.at_least else f"{ratio:.2f} x"
    theirs = f"{amount(baseline, unit)} ({beside})"
    return Row(work, amount(ours, unit), theirs, shown, ratio, budget)


def amount(value: float, unit: str) -> str:
    match unit:
        case "µs":
            return f"{value * 1e6:,.1f} µs"
        case "ms":
            return f"{value * 1e3:,.1f} ms"
        case "MB":
            return f"{value / 1e6:,.0f} MB"
        case "%":
            return f"{value:.2%} of a core"
        case "x":
            return f"{value:g} x"
        case _:
            return f"{value:,.0f} {unit}"


def median(values: Iterable[float]) -> float:
    return percentile(values, 0.5)


def percentile(values: Iterable[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]
