"""Measure how long the event loop delays a small request, on a busy machine as on a quiet one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

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

    A delay is how late a timer is, without the time for which the thread of the loop waited for a
    processor, and at most the processor time that this process used meanwhile. So work on the loop
    counts, and work of a thread that holds the interpreter, but not what else the machine did.
    """
    found = Lag()

    async def probe() -> None:
        before, used, waited = time.perf_counter(), time.process_time(), _waited()
        while True:
            await asyncio.sleep(_STEP)
            now, now_used, now_waited = time.perf_counter(), time.process_time(), _waited()
            late = now - before - _STEP - (now_waited - waited)
            found.worst = max(found.worst, min(late, now_used - used))
            before, used, waited = now, now_used, now_waited

    task = asyncio.create_task(probe())
    # Let it begin: work that the body does before it suspends counts as well.
    await asyncio.sleep(0)
    try:
        yield found
        # The last steps of the work may still delay the timer.
        await asyncio.sleep(_STEP)
    finally:
        task.cancel()


def _waited() -> float:
    """Seconds for which this thread was ready to run but had no processor; 0 if unknown."""
    try:
        return int(Path("/proc/thread-self/schedstat").read_text().split()[1]) / 1e9
    except (OSError, IndexError):
        # Not on Linux, or switched off.
        return 0.0
