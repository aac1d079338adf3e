"""Measure the Python client; dev/bench/clients.py documents the figures and runs this program."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Awaitable, Callable

from sessiond_client import Sessiond, blocking

SESSION = os.environ["SESSION"]


async def median(warm: int, count: int, ask: Callable[[], Awaitable[object]]) -> float:
    """Seconds."""
    taken: list[float] = []
    for _ in range(warm + count):
        start = time.perf_counter()
        await ask()
        taken.append(time.perf_counter() - start)
    return sorted(taken[warm:])[count // 2]


async def with_asyncio() -> dict[str, float]:
    async with Sessiond() as client, await client.session_open(SESSION) as session:
        params = {"session": session}
        small = await median(200, 2_000, session.get_leaf_id)
        text = await median(1, 5, lambda: client.call("session/getEntries", params))
        values = await median(1, 5, session.get_entries)
        entries = len((await session.get_entries()).entries)
    return {"entries": entries, "small": small, "text": text, "values": values}


def without_asyncio() -> dict[str, float]:
    async def ask() -> None:  # without suspending: the event loop has no other work
        session.get_leaf_id()

    with blocking.Sessiond() as client, client.session_open(SESSION) as session:
        return {"blocking": asyncio.run(median(200, 2_000, ask))}


print(json.dumps(asyncio.run(with_asyncio()) | without_asyncio()))
