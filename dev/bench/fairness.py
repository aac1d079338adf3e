"""Measure small requests of one client of a shared daemon beside a storm of another one.

The storms are long requests of every kind, 100 at a time: more than the daemon has threads.
"""

from __future__ import annotations

import itertools
import multiprocessing
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import generate
import orjson
import wire
from budgets import BUDGETS
from table import Row, amount, limited, percentile

SHARED = [*wire.DAEMON, "--shared", "--idle-exit", "1"]
AT_A_TIME = 100
SECONDS = 6.0
"""How long requests are measured beside each storm."""
LARGE, LARGE_TIMES = 8, 5
BUDGET = BUDGETS["fairness"]
MESSAGE = {"role": "user", "content": "x", "timestamp": 1767225600000}


def run() -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="sessiond-bench-") as name:
        home = Path(name)
        tiny = home / "tiny"
        tiny.mkdir()
        first = next(iter(sorted(generate.many().iterdir(), key=lambda path: path.stat().st_size)))
        shutil.copy(first, tiny / first.name)
        with _client(home) as measured:
            ask = _small_requests(measured, tiny)
            quiet = _measured(ask)
            taken = {what: _beside(home, storm, ask) for what, storm in _storms().items()}
    return [*(_row(what, busy, quiet) for what, busy in taken.items()), _on_one_connection()]


def _row(what: str, busy: list[float], quiet: list[float]) -> Row:
    slow, alone = percentile(busy, 0.99), percentile(quiet, 0.99)
    return limited(
        f"small requests beside another client's {what}, p99",
        slow,
        BUDGET["small request"],
        f"{amount(alone, 'ms')} (alone)",
        f"{slow / alone:.1f} x",
    )


def _on_one_connection() -> Row:
    """Append to a session behind large answers of another one that nobody has read yet."""
    slow = percentile([_behind_large_answers() for _ in range(LARGE_TIMES)], 0.99)
    return limited(
        f"an append on one connection behind {LARGE} answers of 65 MB, p99",
        slow,
        BUDGET["append behind large answers"],
    )


def _behind_large_answers() -> float:
    """Return the seconds until the line is in the file."""
    with wire.Process(wire.DAEMON) as client:
        large = client.request("session/open", path=str(generate.plain()))["session"]
        path = client.home / "kept.jsonl"
        header = {"type": "session", "version": 3, "id": "kept", "cwd": generate.CWD}
        path.write_bytes(orjson.dumps({**header, "timestamp": "2026-01-01T00:00:00.000Z"}) + b"\n")
        kept = client.request("session/open", path=str(path))["session"]
        client.request("session/appendMessage", session=kept, message=MESSAGE)
        for number in range(LARGE):
            client.send(wire.framed(wire.body_of(1000 + number, "session/getView", session=large)))
        # The first of them are being computed.
        time.sleep(0.5)
        size = path.stat().st_size
        body = wire.body_of(2000, "session/appendMessage", session=kept, message=MESSAGE)
        start = time.perf_counter()
        client.send(wire.framed(body))
        while path.stat().st_size == size:
            time.sleep(0.0002)
        taken = time.perf_counter() - start
        client.process.kill()
        return taken


def _storms() -> dict[str, list[tuple[str, dict[str, Any]]]]:
    """Requests by what they are; each storm sends its requests by turns."""
    many, big = str(generate.many()), str(generate.big())
    one = str(max(generate.many().iterdir(), key=lambda path: path.stat().st_size))
    lists = {"cwd": generate.CWD, "sessionDir": many}
    large = {"role": "user", "content": "y" * 10_000_000, "timestamp": 0}
    storms: dict[str, list[tuple[str, dict[str, Any]]]] = {
        "checks": [("catalog/check", {})],
        "searches": [("catalog/search", {**lists, "query": "zebra quagga"})],
        "searches for expressions": [
            ("catalog/search", {**lists, "query": "z.*b.*ra", "mode": "regex"})
        ],
        "reports of usage": [("catalog/usage", {**lists})],
        "lists with all text": [("session/list", {**lists, "limit": 1, "includeText": True})],
        "statistics": [("catalog/stats", {"path": one}), ("catalog/stats", {"path": big})],
        "exports": [("catalog/export", {"path": one, "format": "html"})],
        "repairs": [("catalog/repair", {"path": one, "dryRun": True})],
        "bodies of 10 MB": [("session/appendMessage", {"session": "none", "message": large})],
    }
    return {**storms, "requests of all these kinds": list(itertools.chain(*storms.values()))}


def _small_requests(client: wire.Process, tiny: Path) -> Callable[[], None]:
    """Ask for what a person or an agent waits for, one after another."""
    kept = client.request("session/create", cwd=generate.CWD)["session"]
    lists = {"cwd": generate.CWD, "sessionDir": str(tiny)}
    client.request("session/appendMessage", session=kept, message=MESSAGE)
    opened = next(iter(tiny.iterdir()))
    requests: list[tuple[str, dict[str, Any]]] = [
        ("session/getLeafId", {"session": kept}),
        ("session/appendMessage", {"session": kept, "message": MESSAGE}),
        ("session/list", lists),
        ("catalog/search", {**lists, "query": "function"}),
        ("catalog/stats", {"path": str(opened)}),
        ("catalog/check", {"path": str(opened)}),
    ]
    by_turns = itertools.cycle(requests)

    def ask() -> None:
        method, params = next(by_turns)
        client.request(method, **params)

    for _ in requests * 2:
        ask()
    return ask


def _measured(ask: Callable[[], None]) -> list[float]:
    taken: list[float] = []
    end = time.perf_counter() + SECONDS
    while (start := time.perf_counter()) < end:
        ask()
        taken.append(time.perf_counter() - start)
        time.sleep(0.005)
    return taken


def _beside(
    home: Path, storm: list[tuple[str, dict[str, Any]]], ask: Callable[[], None]
) -> list[float]:
    with _client(home, PI_CODING_AGENT_DIR=str(_agent(home))) as other:
        # A process, so that the measured client does not wait for it in its own process.
        flood = multiprocessing.get_context("fork").Process(target=_flood, args=(other, storm))
        flood.start()
        time.sleep(0.5)
        taken = _measured(ask)
        other.process.kill()
        flood.join()
        return taken


def _agent(home: Path) -> Path:
    """An agent directory with many sessions, for requests that name no directory."""
    folder = home / "agent" / "sessions"
    if not folder.exists():
        folder.mkdir(parents=True)
        (folder / "--many--").symlink_to(generate.many())
    return folder.parent


def _flood(client: wire.Process, storm: list[tuple[str, dict[str, Any]]]) -> None:
    """Keep requests running until the client is killed."""
    numbers = itertools.count(1)
    bodies = (
        wire.framed(wire.body_of(next(numbers), name, **given))
        for name, given in itertools.cycle(storm)
    )
    try:
        for _ in range(AT_A_TIME):
            client.send(next(bodies))
        while True:
            client.receive()
            client.send(next(bodies))
    except (OSError, EOFError):
        return


@contextmanager
def _client(home: Path, **env: str) -> Iterator[wire.Process]:
    with wire.Process(SHARED, home, **env) as process:
        if not process.request("daemon/status")["shared"]:
            raise RuntimeError("the daemon is not shared")
        yield process
