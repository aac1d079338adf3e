"""Measure the time from the start of the process to its first answer."""

from __future__ import annotations

import time

import wire
from table import Row, amount, median, slower_at_most

ROUNDS = 10


def run() -> list[Row]:
    ours, echo = [], []
    for _ in range(ROUNDS):
        ours.append(first_answer(wire.DAEMON))
        echo.append(first_answer(wire.ECHO))
    pi = median(wire.pi("import")["import"] / 1000 for _ in range(3))
    start = median(ours)
    return [
        slower_at_most(
            "start → first answer",
            start,
            median(echo),
            7,
            unit="ms",
            beside="asyncio echo",
        ),
        Row(
            "start → first answer, beside importing pi's package",
            amount(start, "ms"),
            f"{amount(pi, 'ms')} (pi, without starting Node)",
            f"{pi / start:.1f} x faster",
            "",
            None,
        ),
    ]


def first_answer(command: list[str]) -> float:
    start = time.perf_counter()
    with wire.Process(command) as server:
        server.exchange(wire.body_of(1, "initialize"))
        return time.perf_counter() - start
