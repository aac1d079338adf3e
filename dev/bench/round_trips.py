"""Compare round trips of small requests and appends with those of servers that do nothing."""

from __future__ import annotations

import time

import generate
import wire
from budgets import BUDGETS
from table import Row, amount, compared, median, percentile

BUDGET = BUDGETS["round_trips"]
COUNT = 5_000
WARM = 500
ROUNDS = 3


def run() -> list[Row]:
    ours: list[float] = []
    echo: list[float] = []
    vscode: list[float] = []
    for _ in range(ROUNDS):  # alternately, so that other work of the machine affects both sides
        ours += small_requests()
        echo += timed(wire.ECHO, wire.body_of(1, "session/getLeafId", session="s1"))
        vscode += timed(wire.VSCODE, wire.body_of(1, "session/getLeafId", session="s1"))
    appends, append_body = one_append_at_a_time()
    append_echo = timed(wire.ECHO, append_body)
    echo_p99 = amount(percentile(echo, 0.99), "µs")
    ours_p99, vscode_p99 = percentile(ours, 0.99), percentile(vscode, 0.99)
    return [
        compared(
            "small request (`session/getLeafId`), p50",
            median(ours),
            median(echo),
            BUDGET["small request"],
            unit="µs",
            beside="asyncio echo",
        ),
        Row(
            "small request, p99",
            amount(ours_p99, "µs"),
            f"{amount(vscode_p99, 'µs')} (vscode-jsonrpc; echo {echo_p99})",
            f"{ours_p99 / vscode_p99:.2f} x",
            ours_p99 / vscode_p99,
            BUDGET["small request, p99"],
        ),
        compared(
            "one append per round trip, p50",
            median(appends),
            median(append_echo),
            BUDGET["append"],
            unit="µs",
            beside="asyncio echo",
        ),
    ]


def small_requests() -> list[float]:
    with wire.Process(wire.DAEMON) as daemon:
        session = daemon.request("session/inMemory", cwd=generate.CWD)["session"]
        return exchanges(daemon, wire.body_of(1, "session/getLeafId", session=session))


def one_append_at_a_time() -> tuple[list[float], bytes]:
    with wire.Process(wire.DAEMON) as daemon:
        session = daemon.request("session/create", cwd=generate.CWD)["session"]
        message = {"role": "user", "content": "a short message", "timestamp": 1767225600000}
        body = wire.body_of(1, "session/appendMessage", session=session, message=message)
        return exchanges(daemon, body), body


def timed(command: list[str], body: bytes) -> list[float]:
    with wire.Process(command) as server:
        return exchanges(server, body)


def exchanges(server: wire.Process, body: bytes) -> list[float]:
    """Return the seconds of each round trip, after a warm-up."""
    data = wire.framed(body)
    for _ in range(WARM):
        server.send(data)
        server.receive()
    taken: list[float] = []
    for _ in range(COUNT):
        start = time.perf_counter()
        server.send(data)
        answer = server.receive()
        taken.append(time.perf_counter() - start)
    if b'"error"' in answer:
        raise RuntimeError(bytes(answer).decode())
    return taken
