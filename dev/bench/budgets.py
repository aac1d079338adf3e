"""The one table of budgets: what a figure may be at most, or must be at least.

A topic takes its own part, `BUDGETS["live"]`, and names a budget in each row that has one.
"""

from __future__ import annotations

import attrs


@attrs.frozen
class Budget:
    """A limit of a figure: in seconds, bytes, shares of a core, numbers, or times a baseline.

    `unit` is how it is shown: see `table.amount`.
    """

    limit: float
    unit: str
    at_least: bool = False

    def is_met_by(self, figure: float) -> bool:
        return figure >= self.limit if self.at_least else figure <= self.limit


def _most(limit: float, unit: str = "x") -> Budget:
    return Budget(limit, unit)


def _least(limit: float, unit: str = "x") -> Budget:
    return Budget(limit, unit, at_least=True)


BUDGETS: dict[str, dict[str, Budget]] = {
    "round_trips": {
        "small request": _most(1.3),
        "small request, p99": _most(1),
        "append": _most(1.7),
    },
    "opening": {
        "open": _least(8),
        "touched": _least(4),
        "entries": _least(10),
        "memory": _most(1.3),
        "several open": _most(500e6, "MB"),
        "idle": _most(1.2),
        "memory of statistics and a fork": _most(2.6),
    },
    "appending": {"pipelined": _least(0.3)},
    "sync": {"without a difference": _most(4), "growth": _most(10_000, "bytes")},
    "starting": {"first answer": _most(3.5)},
    "shared": {
        "second client": _most(0.6),
        "request": _most(1.05),
        "request beside floods": _most(0.02, "ms"),
        "memory of a client": _most(2e6, "MB"),
        "memory of all clients": _most(1.1),
    },
    "fairness": {
        "small request": _most(0.25, "ms"),
        "append behind large answers": _most(0.02, "ms"),
    },
    "mcp": {"start": _most(6), "shared": _most(2)},
    "lsp": {
        "start": _most(0.15, "ms"),
        "`didOpen` → outline": _most(0.3, "ms"),
        "hover": _most(0.02, "ms"),
        "a foreign append → diagnostics": _most(0.3, "ms"),
        "memory": _most(110e6, "MB"),
    },
    "commands": {
        "version": _most(5),
        "complete": _most(5),
        "list": _most(25),
        "status": _most(25),
        "shared": _most(10),
    },
    "listing": {
        "cold": _least(3),
        "again": _least(100),
        "usage": _most(0.1, "ms"),
        "small request": _most(0.015, "ms"),
    },
    "first": {
        "list": _most(0.75),
        "usage": _most(1.1),
        "search": _most(0.6),
        "index": _most(10),
        "index size": _most(0.3),
    },
    "exporting": {"page": _most(1.7), "Markdown": _most(1.2)},
    # Times are those of 10,000 sessions (3 GB).
    "catalogue": {
        "cold": _least(6),
        "again": _most(0.06, "ms"),
        "new process": _most(0.25, "ms"),
        "index": _most(180, "ms"),
        "typing, p50": _most(0.1, "ms"),
        "typing, p95": _most(0.2, "ms"),
        "file": _most(0.05, "ms"),
    },
    "agents": {
        "cold": _least(0.5),
        "again": _most(1.2),
        "edit": _most(1.5),
        "told": _most(1.3),
        "opencode": _most(0.1, "ms"),
    },
    "live": {
        "notification": _most(0.015, "ms"),
        "after a pause": _most(0.12, "ms"),
        "idle": _most(0.002, "%"),
        "nothing followed": _most(0.0002, "%"),
    },
    "scale": {
        "idle": _most(0.003, "%"),
        "notification": _most(1.5),
        "opening": _most(1.3),
        "stream": _most(0.015, "ms"),
    },
    "gateway": {"notification": _most(0.015, "ms"), "small request": _most(0.015, "ms")},
    "joints": {
        "warm append": _most(30, "modules"),
        "calls": _most(155, "calls"),
        "hops": _most(90, "hops"),
        "foreign edit": _most(13, "modules"),
        # Of these eight are rooms of agents, of searches sixteen read what was just written.
        "warm list": _most(38, "modules"),
        "warm begin": _most(43, "modules"),
        "warm search": _most(57, "modules"),
        "lines": _most(46_000, "lines"),
        "modules": _most(330, "modules"),
    },
    "store_growth": {"search": _most(3), "command": _most(0.05, "ms"), "idle": _most(1, "")},
}
