"""Appends without waiting for the answers."""

from __future__ import annotations

import tempfile
import threading
import time
from pathlib import Path

import generate
import wire
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
            "≥ 20,000",
            ours >= 20_000,
        )
    ]


def pipelined() -> float:
    """Appends per second from the first byte sent to the last answer read."""
    with wire.Process(wire.DAEMON) as daemon:
        state = daemon.request("session/create", cwd=generate.CWD)
        bodies = [
            wire.body_of(i, "session/appendMessage", session=state["session"], message=MESSAGE)
            for i in range(COUNT)
        ]
        data = b"".join(map(wire.framed, bodies))
        start = time.perf_counter()
        writer = threading.Thread(target=daemon.send, args=(data,))
        writer.start()
        for _ in range(COUNT):
            answer = daemon.receive()
        taken = time.perf_counter() - start
        writer.join()
        if b'"error"' in answer:
            raise RuntimeError(answer.decode())
        written = Path(state["sessionFile"]).read_bytes().count(b"\n")
        assert written == COUNT + 1, written
        return COUNT / taken
