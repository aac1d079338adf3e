"""Measure the list and the usage of 1,000 sessions (300 MB), and small requests meanwhile."""

from __future__ import annotations

import time

import generate
import orjson
import wire
from budgets import BUDGETS
from table import Row, amount, compared, limited, median, percentile

BUDGET = BUDGETS["listing"]
ROUNDS = 3


def run() -> list[Row]:
    folder = generate.many()
    for path in folder.iterdir():
        path.read_bytes()  # both sides read from the page cache
    asked = {"cwd": generate.CWD, "sessionDir": str(folder)}
    cold, again, beside, usage = [], [], [], []
    theirs: list[dict[str, float]] = []
    for _ in range(ROUNDS):
        with wire.Process(wire.DAEMON) as daemon:
            daemon.request("initialize")
            cold.append(listing(daemon, asked))
            again += [listing(daemon, asked) for _ in range(5)]
            using(daemon, asked)
            usage += [using(daemon, asked) for _ in range(5)]
        with wire.Process(wire.DAEMON) as daemon:
            beside += small_requests_meanwhile(daemon, asked)
        theirs.append(wire.pi("list", folder, generate.CWD))
    slowest = percentile(beside, 0.99)
    return [
        compared(
            "list 1,000 sessions (300 MB), cold",
            median(cold),
            median(t["list"] for t in theirs) / 1000,
            BUDGET["cold"],
            unit="ms",
            beside="pi's SessionManager.list",
        ),
        compared(
            "list them again",
            median(again),
            median(t["again"] for t in theirs) / 1000,
            BUDGET["again"],
            unit="ms",
            beside="pi's, again",
        ),
        limited("usage of them by day, again", median(usage), BUDGET["usage"]),
        limited(
            "small request during a cold listing, p99",
            slowest,
            BUDGET["small request"],
            f"p50 {amount(median(beside), 'ms')}, {len(beside):,} requests",
        ),
    ]


def listing(daemon: wire.Process, asked: dict[str, str]) -> float:
    start = time.perf_counter()
    answer = daemon.request("session/list", **asked)
    taken = time.perf_counter() - start
    assert answer["total"] == generate.MANY, answer["total"]
    return taken


def using(daemon: wire.Process, asked: dict[str, str]) -> float:
    start = time.perf_counter()
    answer = daemon.request("catalog/usage", timezone="Asia/Kolkata", **asked)
    taken = time.perf_counter() - start
    assert answer["sessionCount"] > 0.9 * generate.MANY, answer["sessionCount"]
    return taken


def small_requests_meanwhile(daemon: wire.Process, asked: dict[str, str]) -> list[float]:
    """Return round trips of small requests until the answer with the list arrives."""
    session = daemon.request("session/inMemory", cwd=generate.CWD)["session"]
    small = wire.framed(wire.body_of(1, "session/getLeafId", session=session))
    daemon.send(wire.framed(wire.body_of(99, "session/list", **asked)))
    taken: list[float] = []
    listed = False
    while not listed:
        start = time.perf_counter()
        daemon.send(small)
        while (number := orjson.loads(daemon.receive())["id"]) != 1:
            listed = listed or number == 99
        taken.append(time.perf_counter() - start)
        time.sleep(0.001)
    return taken
