"""Measure how long the event loop delays a small request, on a busy machine as on a quiet one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import attrs

_STEP = 0.005


@attrs.define
class Lag:
    """The longest delay of a timer of the loop, in seconds."""

    worst: float = 0.0


@asynccontextmanager
async def loop_lag() -> AsyncIterator[Lag]:
    """Measure the loop while the body of the `with` statement runs.

    async with loop_lag() as lag:
        await something()
    assert lag.worst < LIMIT

    A delay is how late a timer is, but at most the processor time that this process used
    meanwhile. So work on the loop counts, and work of a thread that holds the interpreter, but not
    the time for which the machine ran other processes.
    """
    found = Lag()

    async def probe() -> None:
        before, used = time.perf_counter(), time.process_time()
        while True:
            await asyncio.sleep(_STEP)
            now, now_used = time.perf_counter(), time.process_time()
            found.worst = max(found.worst, min(now - before - _STEP, now_used - used))
            before, used = now, now_used

    task = asyncio.create_task(probe())
    # Let it begin: work that the body does before it suspends counts as well.
    await asyncio.sleep(0)
    try:
        yield found
        # The last steps of the work may still delay the timer.
        await asyncio.sleep(_STEP)
    finally:
        task.cancel()
