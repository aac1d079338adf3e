"""How long the event loop keeps what is due waiting: the delay of a small request, measured."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import attrs

_STEP = 0.005


@attrs.define
class Lag:
    """The longest time the loop took to come round, in seconds."""

    worst: float = 0.0


@asynccontextmanager
async def loop_lag() -> AsyncIterator[Lag]:
    """Measure the loop while something else runs on it and beside it.

    async with loop_lag() as lag:
        await something()
    assert lag.worst < LIMIT
    """
    found = Lag()

    async def probe() -> None:
        before = time.perf_counter()
        while True:
            await asyncio.sleep(_STEP)
            now = time.perf_counter()
            found.worst = max(found.worst, now - before - _STEP)
            before = now

    task = asyncio.create_task(probe())
    # Let it begin: what holds the loop from the start counts as well.
    await asyncio.sleep(0)
    try:
        yield found
        # What came back from a worker may still have work on the loop.
        await asyncio.sleep(_STEP)
    finally:
        task.cancel()
