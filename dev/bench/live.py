"""Measure the delay of notifications of foreign changes, and the cost of watching while idle."""

from __future__ import annotations

import os
import random
import threading
import time
from pathlib import Path

import generate
import orjson
import wire
from appending import pipelined
from budgets import BUDGETS
from table import Row, limited, median, percentile

BUDGET = BUDGETS["live"]
APPENDS = 150
BURST = 1000
SESSIONS = 100
IDLE_SECONDS = 60.0
PAUSES = 5
PAUSE_SECONDS = 6.0
"""Longer than the watcher looks for changes as often as while something changes."""
TICKS = os.sysconf("SC_CLK_TCK")


def run() -> list[Row]:
    spans = latencies()
    late = latencies(PAUSES, PAUSE_SECONDS)
    idle = idle_share()
    alone, disturbed = pipelined(), pipelined(disturb=foreign_writer)
    return [
        limited(
            "foreign append → notification, p50",
            median(spans),
            BUDGET["notification"],
            f"p99 {percentile(spans, 0.99) * 1e3:.1f} ms",
        ),
        limited("the first one after a pause, p50", median(late), BUDGET["after a pause"]),
        limited(f"idle, {SESSIONS} open sessions", idle / 100, BUDGET["idle"]),
        limited("idle, nothing followed", idle_share(0) / 100, BUDGET["nothing followed"]),
        Row(
            f"burst of {BURST:,} foreign lines → notification of the last one",
            f"{burst() * 1e3:,.0f} ms",
        ),
        Row(
            "appends, pipelined, beside a writer of 500 lines a second",
            f"{disturbed:,.0f}",
            f"{alone:,.0f} (alone)",
            f"{disturbed / alone:.2f} x",
        ),
    ]


def line(number: int) -> bytes:
    message = {"role": "user", "content": "foreign"}
    entry = {"type": "message", "id": f"f{number:07}", "parentId": None, "message": message}
    return orjson.dumps(entry) + b"\n"


def written(daemon: wire.Process) -> tuple[str, Path]:
    state = daemon.request("session/create", cwd=generate.CWD)
    message = {"role": "user", "content": "first"}
    daemon.request("session/appendMessage", session=state["session"], message=message)
    return state["session"], Path(state["sessionFile"])


def latencies(appends: int = APPENDS, pause: float = 0.11) -> list[float]:
    """Return seconds from before a foreign write to its notification, at random moments."""
    moments = random.Random(1)
    spans = []
    with wire.Process(wire.DAEMON) as daemon:
        _, file = written(daemon)
        with file.open("ab", buffering=0) as out:
            for number in range(appends):
                # Each line comes to a daemon that is idle again.
                time.sleep(pause + moments.random() * 0.03)
                start = time.perf_counter()
                out.write(line(number))
                daemon.receive()
                spans.append(time.perf_counter() - start)
    return spans


def burst() -> float:
    with wire.Process(wire.DAEMON) as daemon:
        _, file = written(daemon)
        start = time.perf_counter()
        with file.open("ab", buffering=0) as out:
            for number in range(BURST):
                out.write(line(number))
        heard = 0
        while heard < BURST:
            heard += len(orjson.loads(daemon.receive())["params"]["entries"])
        return time.perf_counter() - start


def idle_share(sessions: int = SESSIONS) -> float:
    """Return percent of one core while sessions in as many directories are open and idle."""
    with wire.Process(wire.DAEMON) as daemon:
        daemon.request("initialize")
        for number in range(sessions):
            path = daemon.home / f"{number}" / "s.jsonl"
            state = daemon.request("session/open", path=str(path))
            message = {"role": "user", "content": "first"}
            daemon.request("session/appendMessage", session=state["session"], message=message)
        time.sleep(1)
        return share(daemon.process.pid)


def share(pid: int) -> float:
    before = ticks(pid)
    time.sleep(IDLE_SECONDS)
    return (ticks(pid) - before) / TICKS / IDLE_SECONDS * 100


def ticks(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def foreign_writer(file: Path, stop: threading.Event) -> None:
    number = 0
    with file.open("ab", buffering=0) as out:
        while not stop.wait(0.002):
            out.write(line(number))
            number += 1
