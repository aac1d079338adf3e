"""Measure large sessions: opening them, their context, sending all of one, their memory."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs
import generate
import wire
from budgets import BUDGETS
from table import Row, amount, compared, median

BUDGET = BUDGETS["opening"]
ROUNDS = 3
PI = "pi's SessionManager.open"


def run() -> list[Row]:
    big, plain = generate.big(), generate.plain()
    size = big.stat().st_size
    name = f"{size / 1e6:.0f} MB, {generate.BIG_ENTRIES:,} entries"
    theirs = [pi(big) for _ in range(ROUNDS)]
    their_open = median(t["open"] for t in theirs) / 1000
    count = generate.BIG_ENTRIES
    ours = [opened(big, count) for _ in range(ROUNDS)]
    their_context = median(t["open"] + t["context"] for t in theirs) / 1000
    their_memory = median(t["residentAfter"] - t["residentBefore"] for t in theirs)
    our_plain = median(opened(plain, generate.PLAIN_ENTRIES).opening for _ in range(ROUNDS))
    their_plain = median(pi(plain)["open"] for _ in range(ROUNDS)) / 1000
    plain_name = f"{plain.stat().st_size / 1e6:.0f} MB, {generate.PLAIN_ENTRIES:,} plain messages"
    their_text = median(t["stringify"] for t in theirs) / 1000
    memory = median(each.memory for each in ours)
    sent = median(each.sending for each in ours)
    return [
        faster(f"open {name}", median(each.opening for each in ours), their_open, "open"),
        faster(
            "the same, with its context",
            median(each.opening + each.context for each in ours),
            their_context,
            "open",
        ),
        faster(f"open {plain_name}", our_plain, their_plain, "open"),
        faster(
            "the next answer after a mere `touch`",
            median(each.touched for each in ours),
            their_open,
            "touched",
        ),
        faster("all entries to the client", sent, their_text, "entries", "pi's JSON.stringify"),
        Row(
            "memory of the open session",
            amount(memory, "MB"),
            f"{amount(their_memory, 'MB')} (pi: {their_memory / size:.1f} x the file)",
            f"{memory / size:.2f} x the file",
            memory / size,
            BUDGET["memory"],
        ),
        several_open(),
        idle_ones(),
        without_opening(big),
    ]


def faster(work: str, ours: float, theirs: float, budget: str, beside: str = PI) -> Row:
    return compared(work, ours, theirs, BUDGET[budget], unit="ms", beside=beside)


def pi(path: Path) -> dict[str, float]:
    path.read_bytes()  # both sides read from the page cache
    return wire.pi("open", path)


@attrs.frozen
class Opened:
    """What one daemon needs for a session: seconds, and bytes of memory."""

    opening: float
    context: float
    memory: float
    sending: float
    """To send all entries."""
    touched: float
    """To answer after a `touch`."""


def opened(path: Path, count: int) -> Opened:
    path.read_bytes()
    with wire.Process(wire.DAEMON) as daemon:
        daemon.request("initialize")
        before = daemon.resident()
        opening, state = timed(daemon, "session/open", path=str(path), readOnly=True)
        assert state["entryCount"] == count
        context, _ = timed(daemon, "session/buildSessionContext", session=state["session"])
        memory = daemon.resident() - before
        body = wire.framed(wire.body_of(9, "session/getEntries", session=state["session"]))
        start = time.perf_counter()
        daemon.send(body)
        length, begin = daemon.drain()
        assert length > path.stat().st_size * 0.95, begin
        sending = time.perf_counter() - start
        os.utime(path)
        touched, _ = timed(daemon, "session/getState", session=state["session"])
        return Opened(opening, context, memory, sending, touched)


_SESSIONS = 6
_PLAIN = 12


def several_open() -> Row:
    """Measure the memory of several large sessions that are open at the same time."""
    with copies(generate.plain(), _SESSIONS) as paths, wire.Process(wire.DAEMON) as daemon:
        for path in paths:
            daemon.request("session/open", path=str(path), readOnly=True)
        size = paths[0].stat().st_size
        return Row(
            f"memory of the daemon with {_SESSIONS} open sessions of {size / 1e6:.0f} MB",
            amount(daemon.resident(), "MB"),
            "",
            "",
            daemon.resident(),
            BUDGET["several open"],
        )


def idle_ones() -> Row:
    """Measure the memory after more sessions than the cache may keep were opened and closed."""
    with copies(generate.plain(), _PLAIN) as paths, wire.Process(wire.DAEMON) as daemon:
        daemon.request("session/inMemory")
        before = daemon.resident()
        for path in paths:
            state = daemon.request("session/open", path=str(path), readOnly=True)
            daemon.request("session/close", session=state["session"])
        limit = daemon.request("daemon/status")["cache"]["limitBytes"]
        grown = daemon.resident() - before
    return Row(
        f"memory of closed sessions, after {_PLAIN} of them",
        amount(grown, "MB"),
        f"{amount(limit, 'MB')} (`--cache-bytes`)",
        f"{grown / limit:.2f} x the limit",
        grown / limit,
        BUDGET["idle"],
    )


@contextmanager
def copies(source: Path, number: int) -> Iterator[list[Path]]:
    """Several names of one file with equal content, each a file of its own."""
    with tempfile.TemporaryDirectory(prefix="sessiond-bench-") as directory:
        paths = [Path(directory) / f"{each}.jsonl" for each in range(number)]
        for path in paths:
            shutil.copyfile(source, path)
        yield paths


def without_opening(path: Path) -> Row:
    """Measure the memory of statistics and a fork of a session that is not open.

    The fork is open afterwards, so there are two indexes at the end.
    """
    size = path.stat().st_size
    with wire.Process(wire.DAEMON) as daemon:
        daemon.request("session/inMemory")
        before = daemon.peak()
        daemon.request("catalog/stats", path=str(path))
        source = {"sourcePath": str(path), "targetCwd": generate.CWD}
        daemon.request("session/forkFrom", **source, sessionDir=str(daemon.home))
        grown = daemon.peak() - before
    return Row(
        "most memory for statistics and a fork of a file that is not open",
        amount(grown, "MB"),
        "",
        f"{grown / size:.2f} x the file",
        grown / size,
        BUDGET["memory of statistics and a fork"],
    )


def timed(daemon: wire.Process, method: str, **params: Any) -> tuple[float, Any]:
    start = time.perf_counter()
    answer = daemon.request(method, **params)
    return time.perf_counter() - start, answer
