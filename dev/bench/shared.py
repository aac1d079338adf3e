"""Compare clients that share a daemon with clients that have a daemon each."""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import generate
import round_trips
import wire
from budgets import BUDGETS
from table import Row, amount, compared, limited, median, percentile

BUDGET = BUDGETS["shared"]
ROUNDS = 10
CLIENTS = 20
SHARED = [*wire.DAEMON, "--shared", "--idle-exit", "1"]


def run() -> list[Row]:
    return [*_starts(), *_requests(), *_isolation(), *_memory(), *_listeners()]


@contextmanager
def _client(home: Path) -> Iterator[wire.Process]:
    with wire.Process(SHARED, home) as process:
        status = process.request("daemon/status")
        if not status["shared"]:
            raise RuntimeError("the daemon is not shared")
        yield process


@contextmanager
def _home() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="sessiond-bench-") as directory:
        yield Path(directory)


def _first_answer(command: list[str], home: Path) -> float:
    start = time.perf_counter()
    with wire.Process(command, home) as server:
        server.exchange(wire.body_of(1, "initialize"))
        return time.perf_counter() - start


def _starts() -> list[Row]:
    shared, echo, solo = [], [], []
    with _home() as home, _client(home):
        for _ in range(ROUNDS):
            shared.append(_first_answer(SHARED, home))
            echo.append(_first_answer(wire.ECHO, home))
            solo.append(_first_answer(wire.DAEMON, home))
    second = median(shared)
    return [
        compared(
            "second client of a shared daemon, start → first answer",
            second,
            median(echo),
            BUDGET["second client"],
            unit="ms",
            beside="asyncio echo",
        ),
        Row(
            "the same, beside a daemon of its own",
            amount(second, "ms"),
            f"{amount(median(solo), 'ms')} (sessiond)",
            f"{median(solo) / second:.1f} x faster",
        ),
    ]


def _requests() -> list[Row]:
    times: dict[tuple[str, str], list[float]] = {}
    with _home() as home, _client(home):
        for _ in range(round_trips.ROUNDS):
            for kind, command in (("shared", SHARED), ("solo", wire.DAEMON)):
                with wire.Process(command, home) as daemon:
                    small = daemon.request("session/inMemory", cwd=generate.CWD)["session"]
                    body = wire.body_of(1, "session/getLeafId", session=small)
                    times.setdefault(("small request", kind), []).extend(
                        round_trips.exchanges(daemon, body)
                    )
                    kept = daemon.request("session/create", cwd=generate.CWD)["session"]
                    message = {"role": "user", "content": "x", "timestamp": 1767225600000}
                    body = wire.body_of(1, "session/appendMessage", session=kept, message=message)
                    times.setdefault(("append", kind), []).extend(
                        round_trips.exchanges(daemon, body)
                    )
    return [
        compared(
            f"{what} through a shared daemon, p50",
            median(times[what, "shared"]),
            median(times[what, "solo"]),
            BUDGET["request"],
            unit="µs",
            beside="a daemon of its own",
        )
        for what in ("small request", "append")
    ]


def _isolation() -> list[Row]:
    """Measure one client while another floods, one reads nothing, and one sends large bodies."""
    big = str(generate.big())
    with _home() as home, ExitStack() as stack:
        measured, *others = (stack.enter_context(_client(home)) for _ in range(4))
        session = measured.request("session/inMemory", cwd=generate.CWD)["session"]
        body = wire.body_of(1, "session/getLeafId", session=session)
        quiet = percentile(round_trips.exchanges(measured, body), 0.99)
        # Processes, so that the measured client does not wait for others in its own process.
        context = multiprocessing.get_context("fork")
        ended = context.Event()
        handles = [
            each.request("session/open", path=big, readOnly=True)["session"] for each in others
        ]
        small = wire.framed(wire.body_of(2, "session/getLeafId", session=handles[0])) * 100
        whole = wire.framed(wire.body_of(2, "session/getEntries", session=handles[1]))
        large = wire.framed(
            wire.body_of(2, "session/appendMessage", session="none", message={"x": "y" * 8_000_000})
        )

        def flood(client: wire.Process, data: bytes, answers: int) -> None:
            while not ended.is_set():
                client.send(data)
                for _ in range(answers):
                    client.receive()

        for _ in range(20):
            # It never reads the answers of 150 MB each.
            others[1].send(whole)
        floods = [
            context.Process(target=flood, args=(others[0], small, 100)),
            context.Process(target=flood, args=(others[2], large, 1)),
        ]
        for each in floods:
            each.start()
        busy = percentile(round_trips.exchanges(measured, body), 0.99)
        ended.set()
        for each in floods:
            each.join()
        others[1].process.kill()
    return [
        limited(
            "small request beside clients that flood, do not read, and send 8 MB bodies, p99",
            busy,
            BUDGET["request beside floods"],
            f"{amount(quiet, 'ms')} (alone)",
            f"{busy / quiet:.1f} x",
        )
    ]


def _memory() -> list[Row]:
    big = str(generate.big())
    with _home() as home, ExitStack() as stack:
        first = stack.enter_context(_client(home))
        before = first.request("daemon/status")["memoryBytes"]
        others = [stack.enter_context(_client(home)) for _ in range(CLIENTS - 1)]
        each = (first.request("daemon/status")["memoryBytes"] - before) / len(others)
        first.request("session/open", path=big, readOnly=True)
        alone = first.request("daemon/status")["memoryBytes"]
        for other in others:
            other.request("session/open", path=big, readOnly=True)
        together = first.request("daemon/status")["memoryBytes"]
    return [
        limited("memory of a further client", each, BUDGET["memory of a client"]),
        Row(
            f"memory of {CLIENTS} clients on one session of 150 MB",
            f"{together / 1e6:.0f} MB",
            f"{alone / 1e6:.0f} MB (one of them has opened it)",
            f"{together / alone:.2f} x",
            together / alone,
            BUDGET["memory of all clients"],
        ),
    ]


def _listeners() -> list[Row]:
    delays: list[float] = []
    with _home() as home, ExitStack() as stack:
        clients = [stack.enter_context(_client(home)) for _ in range(CLIENTS)]
        path = home / "s.jsonl"
        path.write_text(
            '{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}\n'
        )
        handles = [each.request("session/open", path=str(path))["session"] for each in clients]
        message = {"role": "user", "content": "x", "timestamp": 1767225600000}
        for _ in range(100):
            start = time.perf_counter()
            clients[0].request("session/appendMessage", session=handles[0], message=message)
            for listener in clients[1:]:
                listener.receive()
            delays.append(time.perf_counter() - start)
    return [
        Row(
            f"append → last notice of {CLIENTS - 1} listeners, p50",
            amount(median(delays), "ms"),
        )
    ]
