"""Measure large sessions: opening them, their context, sending all of one, their memory."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

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
    cold, sent, touched = zip(*(first_time(big, count) for _ in range(ROUNDS)), strict=True)
    with seen_before(big) as (path, reopened):
        warm = [reopened() for _ in range(ROUNDS)]
        grown = []
        for number in range(ROUNDS):
            append(path, number)
            grown.append(reopened()[0])
    opened, context, memory = (median(each) for each in zip(*warm, strict=True))
    their_context = median(t["open"] + t["context"] for t in theirs) / 1000
    their_memory = median(t["residentAfter"] - t["residentBefore"] for t in theirs)
    with seen_before(plain) as (_, reopened):
        plain_open = median(reopened()[0] for _ in range(ROUNDS))
    plain_cold = median(first_time(plain, generate.PLAIN_ENTRIES)[0] for _ in range(ROUNDS))
    their_plain = median(pi(plain)["open"] for _ in range(ROUNDS)) / 1000
    plain_name = f"{plain.stat().st_size / 1e6:.0f} MB, {generate.PLAIN_ENTRIES:,} plain messages"
    their_text = median(t["stringify"] for t in theirs) / 1000
    return [
        faster(f"open {name}, never seen before", median(cold), their_open, "first time"),
        faster("seen before by another process", opened, their_open, "seen before"),
        faster("seen before and grown since", median(grown), their_open, "seen before"),
        faster("seen before, with its context", opened + context, their_context, "seen before"),
        faster(f"open {plain_name}, seen before", plain_open, their_plain, "plain, seen before"),
        faster("the same, never seen before", plain_cold, their_plain, "first time"),
        faster("the next answer after a mere `touch`", median(touched), their_open, "seen before"),
        faster(
            "all entries to the client", median(sent), their_text, "entries", "pi's JSON.stringify"
        ),
        Row(
            "memory of the open session",
            amount(memory, "MB"),
            f"{amount(their_memory, 'MB')} (pi: {their_memory / size:.1f} x the file)",
            f"{memory / size:.2f} x the file",
            memory / size,
            BUDGET["memory"],
        ),
        without_opening(big),
    ]


def faster(work: str, ours: float, theirs: float, budget: str, beside: str = PI) -> Row:
    return compared(work, ours, theirs, BUDGET[budget], unit="ms", beside=beside)


def pi(path: Path) -> dict[str, float]:
    path.read_bytes()  # both sides read from the page cache
    return wire.pi("open", path)


def first_time(path: Path, count: int) -> tuple[float, float, float]:
    """Seconds to open the file in an empty home, to send all its entries, and after a `touch`."""
    path.read_bytes()
    with wire.Process(wire.DAEMON) as daemon:
        daemon.request("initialize")
        seconds, state = timed(daemon, "session/open", path=str(path), readOnly=True)
        assert state["entryCount"] == count
        body = wire.framed(wire.body_of(9, "session/getEntries", session=state["session"]))
        start = time.perf_counter()
        daemon.send(body)
        length, begin = daemon.drain()
        assert length > path.stat().st_size * 0.95, begin
        sent = time.perf_counter() - start
        os.utime(path)
        touched, _ = timed(daemon, "session/getState", session=state["session"])
        return seconds, sent, touched


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


@contextmanager
def seen_before(source: Path) -> Iterator[tuple[Path, Callable[[], tuple[float, float, int]]]]:
    """A copy of the file that a daemon has opened once, and a function that opens it in another.

    It returns the seconds to open the session and to build its context, and the bytes of memory
    after that.
    """
    with tempfile.TemporaryDirectory(prefix="sessiond-bench-") as directory:
        home, path = Path(directory), Path(directory) / "session.jsonl"
        shutil.copyfile(source, path)
        time.sleep(0.2)  # older than a tick of the clock of the file system

        def reopened() -> tuple[float, float, int]:
            with wire.Process(wire.DAEMON, home) as daemon:
                daemon.request("initialize")
                before = daemon.resident()
                opened, state = timed(daemon, "session/open", path=str(path), readOnly=True)
                context, _ = timed(daemon, "session/buildSessionContext", session=state["session"])
                return opened, context, daemon.resident() - before

        # The index is written after the answer, and the process ends when that is done.
        reopened()
        yield path, reopened


def timed(daemon: wire.Process, method: str, **params: Any) -> tuple[float, Any]:
    start = time.perf_counter()
    answer = daemon.request(method, **params)
    return time.perf_counter() - start, answer


def append(path: Path, number: int) -> None:
    """Append some entries, as an agent does."""
    with path.open("ab") as file:
        for entry in generate.session_lines(100 + number, 50, 100_000, generate.CWD):
            if b'"type":"session"' not in entry[:20]:
                file.write(entry)
