"""Measure the time from the start of the process to its first answer."""

from __future__ import annotations

import time

import wire
from budgets import BUDGETS
from table import Row, amount, compared, median

ROUNDS = 10


def run() -> list[Row]:
    ours, echo = [], []
    for _ in range(ROUNDS):
        ours.append(first_answer(wire.DAEMON))
        echo.append(first_answer(wire.ECHO))
    pi = median(wire.pi("import")["import"] / 1000 for _ in range(3))
    start = median(ours)
    return [
        compared(
            "start → first answer",
            start,
            median(echo),
            BUDGETS["starting"]["first answer"],
            unit="ms",
            beside="asyncio echo",
        ),
        Row(
            "start → first answer, beside importing pi's package",
            amount(start, "ms"),
            f"{amount(pi, 'ms')} (pi, without starting Node)",
            f"{pi / start:.1f} x faster",
        ),
    ]


def first_answer(command: list[str]) -> float:
    start = time.perf_counter()
    with wire.Process(command) as server:
        server.exchange(wire.body_of(1, "initialize"))
        return time.perf_counter() - start
