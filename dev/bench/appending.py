"""Measure appends that are sent without waiting for the answers."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import generate
import wire
from budgets import BUDGETS
from table import Row

COUNT = 20_000
MESSAGE = {"role": "user", "content": "a short message", "timestamp": 1767225600000}


def run() -> list[Row]:
    ours = max(pipelined() for _ in range(3))
    with tempfile.TemporaryDirectory() as folder:
        theirs = wire.pi("append", Path(folder) / "s.jsonl", str(COUNT))
    pi = COUNT / theirs["append"] * 1000
    return [
        Row(
            "appends, pipelined, per second",
            f"{ours:,.0f}",
            f"{pi:,.0f} (pi in its own process, no wire)",
            f"{ours / pi:.2f} x",
            ours / pi,
            BUDGETS["appending"]["pipelined"],
        )
    ]


def pipelined(disturb: Callable[[Path, threading.Event], None] | None = None) -> float:
    """Return appends per second, from the first byte sent to the last answer read.

    `disturb` runs in another thread, with the session's file, until the event is set.
    """
    with wire.Process(wire.DAEMON) as daemon:
        state = daemon.request("session/create", cwd=generate.CWD)
        file, session = Path(state["sessionFile"]), state["session"]
        daemon.request("session/appendMessage", session=session, message=MESSAGE)
        bodies = [
            wire.body_of(i, "session/appendMessage", session=session, message=MESSAGE)
            for i in range(COUNT)
        ]
        data = b"".join(map(wire.framed, bodies))
        stop = threading.Event()
        threads = [threading.Thread(target=daemon.send, args=(data,))]
        if disturb is not None:
            threads.append(threading.Thread(target=disturb, args=(file, stop)))
        start = time.perf_counter()
        for thread in threads:
            thread.start()
        answered = 0
        while answered < COUNT:
            answer = daemon.receive()
            answered += b'"method":"session/didChange"' not in answer
        taken = time.perf_counter() - start
        stop.set()
        for thread in threads:
            thread.join()
        if b'"error"' in answer:
            raise RuntimeError(answer.decode())
        own = file.read_bytes().count(b'"a short message"')
        assert own == COUNT + 1, own
        return COUNT / taken
