"""Measure how long the event loop delays a small request, on a busy machine as on a quiet one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import attrs

LIMIT = 0.05
"""Seconds for which a small request may be delayed."""
_STEP = 0.005
_TIMES = 5


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


async def late_in_every_run(
    measure: Callable[[], Awaitable[dict[str, float]]],
) -> dict[str, float]:
    """Measure delays by name until none reaches LIMIT, and return those that always did.

    A virtual machine may stop for longer than LIMIT, and no clock of the process tells it. That
    delays one run; work on the loop delays each.
    """
    late: dict[str, float] = {}
    for run in range(_TIMES):
        lags = await measure()
        for name, lag in sorted(lags.items(), key=lambda pair: -pair[1]):
            print(f"{lag * 1000:7.1f} ms  {name}")
        late = {
            name: min(lag, late.get(name, lag))
            for name, lag in lags.items()
            if lag >= LIMIT and (run == 0 or name in late)
        }
        if not late:
            break
    return late


def _waited() -> float:
    """Seconds for which this thread was ready to run but had no processor; 0 if unknown."""
    try:
        return int(Path("/proc/thread-self/schedstat").read_text().split()[1]) / 1e9
    except (OSError, IndexError):
        # Not on Linux, or switched off.
        return 0.0
