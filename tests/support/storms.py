"""A client of a shared daemon that sends one line for ever, and how long another one waits."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.client import DEADLINE
from support.fronts import SESSIOND, Front, Home

TIMES = 10
"""How many times as long another client may wait as beside a quiet one."""
MEMORY = 64 * 1024 * 1024
"""Bytes that a client may take whose messages are all refused."""


@contextmanager
def storming(home: Home, line: str, reader: str) -> Iterator[None]:
    """Let a client send this line for ever; `reader` is the command that reads its answers."""
    front = shlex.join([*SESSIOND, "--shared"])
    storm = subprocess.Popen(
        ["sh", "-c", f"yes {shlex.quote(line)} | {front} | {reader}"],
        env=home.env(),
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        os.killpg(storm.pid, signal.SIGKILL)
        storm.wait()


async def connections(front: Front, number: int) -> None:
    """Wait until the daemon has so many clients."""
    async with asyncio.timeout(DEADLINE):
        while (await front.client.request("daemon/status"))["connections"] != number:
            pass


async def slowest_of_a_hundred(front: Front, directory: Path) -> float:
    """Return the 99th percentile of the times of a request, in seconds."""
    times = []
    for _ in range(100):
        began = time.perf_counter()
        await front.client.request("session/listAll", {"sessionDir": str(directory)})
        times.append(time.perf_counter() - began)
    return sorted(times)[-2]


async def memory(front: Front) -> int:
    """Return the resident memory of the daemon in bytes."""
    size: int = (await front.client.request("daemon/status"))["memoryBytes"]
    return size
