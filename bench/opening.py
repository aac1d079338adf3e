"""Measure the 150 MB session: opening it, sending it to the client, keeping it in memory."""

from __future__ import annotations

import time

import generate
import wire
from table import Row, amount, faster_at_least, median

ROUNDS = 3


def run() -> list[Row]:
    path = generate.big()
    size = path.stat().st_size
    path.read_bytes()  # both sides read from the page cache
    opened, read, grown = [], [], []
    theirs: list[dict[str, float]] = []
    for _ in range(ROUNDS):
        with wire.Process(wire.DAEMON) as daemon:
            before = idle(daemon)
            start = time.perf_counter()
            state = daemon.request("session/open", path=str(path), readOnly=True)
            opened.append(time.perf_counter() - start)
            grown.append(daemon.resident() - before)
            body = wire.framed(wire.body_of(9, "session/getEntries", session=state["session"]))
            start = time.perf_counter()
            daemon.send(body)
            length, begin = daemon.drain()
            read.append(time.perf_counter() - start)
            assert state["entryCount"] == generate.BIG_ENTRIES
            assert length > size * 0.95, begin
        theirs.append(wire.pi("open", path))
    memory = median(grown)
    their_memory = median(t["residentAfter"] - t["residentBefore"] for t in theirs)
    return [
        faster_at_least(
            f"open {size / 1e6:.0f} MB, {generate.BIG_ENTRIES:,} entries, cold",
            median(opened),
            median(t["open"] for t in theirs) / 1000,
            4,
            unit="ms",
            beside="pi's SessionManager.open",
        ),
        faster_at_least(
            "all its entries to the client",
            median(read),
            median(t["stringify"] for t in theirs) / 1000,
            5,
            unit="ms",
            beside="pi's JSON.stringify",
        ),
        Row(
            "memory of the open session",
            amount(memory, "MB"),
            f"{amount(their_memory, 'MB')} (pi: {their_memory / size:.1f} x the file)",
            f"{memory / size:.2f} x the file",
            "≤ 1.5 x the file",
            memory <= 1.5 * size,
        ),
    ]


def idle(daemon: wire.Process) -> int:
    """Return the memory of a daemon that has answered its first request."""
    daemon.request("initialize")
    return daemon.resident()
