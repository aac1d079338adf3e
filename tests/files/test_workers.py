"""Clients take turns in the threads of a process, and none of them gets all."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from sessiond.files.workers import Pool, take_turns
from sessiond.runtime.errors import OutOfResources
from sessiond.runtime.isolation import Abandoned, Faults, go_on

DEADLINE = 30


class Client:
    """Submits work in a context of its own, as the connection of a client does."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._context = contextvars.copy_context()
        self._context.run(take_turns)

    def submit(self, work: Callable[[], Any]) -> asyncio.Task[Any]:
        run = self._pool.run(work)
        return asyncio.get_running_loop().create_task(run, context=self._context.copy())


class Held:
    """Work that keeps its thread until it is let go."""

    def __init__(self) -> None:
        self._begun = threading.Semaphore(0)
        self._go = threading.Semaphore(0)

    def __call__(self) -> None:
        self._begun.release()
        assert self._go.acquire(timeout=DEADLINE)

    async def begun(self, times: int) -> None:
        for _ in range(times):
            assert await asyncio.to_thread(self._begun.acquire, timeout=DEADLINE)

    def let_go(self, times: int) -> None:
        self._go.release(times)


@pytest.fixture
def pool() -> Iterator[Pool]:
    made = Pool(6, "test")
    yield made
    made.close()


async def done(*work: asyncio.Task[Any]) -> list[Any]:
    return await asyncio.wait_for(asyncio.gather(*work), DEADLINE)


async def test_a_client_waits_for_no_work_of_a_client_that_has_much(pool: Pool):
    held, storm = Held(), Client(pool)
    waiting = [storm.submit(held) for _ in range(300)]
    await held.begun(3)
    assert await done(Client(pool).submit(lambda: "small")) == ["small"]
    held.let_go(300)
    await done(*waiting)


async def test_the_only_client_of_a_process_has_all_threads(pool: Pool):
    # Passed only by six threads at the same time.
    together = threading.Barrier(6)
    await asyncio.gather(*(pool.run(together.wait, DEADLINE) for _ in range(6)))


async def test_cancelled_work_that_waits_is_never_done(pool: Pool):
    held, client = Held(), Client(pool)
    blocked = [client.submit(held) for _ in range(3)]
    await held.begun(3)
    seen: list[str] = []
    cancelled = client.submit(lambda: seen.append("no"))
    kept = client.submit(lambda: seen.append("yes"))
    await asyncio.sleep(0)
    cancelled.cancel()
    held.let_go(3)
    await done(*blocked, kept)
    assert cancelled.cancelled()
    assert seen == ["yes"]


async def test_cancelled_work_ends_at_its_next_step(pool: Pool):
    begun, cancelled, looked = threading.Event(), threading.Event(), threading.Event()
    seen: list[str] = []

    def scan() -> None:
        faults = Faults()
        with faults.isolate("/first"):
            begun.set()
            assert cancelled.wait(DEADLINE)
        try:
            with faults.isolate("/second"):
                seen.append("second")
        finally:
            looked.set()

    work = Client(pool).submit(scan)
    assert await asyncio.to_thread(begun.wait, DEADLINE)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    cancelled.set()
    assert await asyncio.to_thread(looked.wait, DEADLINE)
    assert not seen
    # The thread does other work afterwards, which nobody has cancelled.
    await asyncio.gather(*(pool.run(go_on) for _ in range(6)))


async def test_the_end_of_a_pool_cancels_what_waits():
    pool, held = Pool(1, "test"), Held()
    running = asyncio.create_task(pool.run(held))
    await held.begun(1)
    waiting = asyncio.create_task(pool.run(lambda: None))
    await asyncio.sleep(0)
    pool.close()
    held.let_go(1)
    await done(running)
    with pytest.raises((asyncio.CancelledError, Abandoned)):
        await waiting


async def test_work_that_was_refused_for_want_of_threads_is_not_done_later(
    monkeypatch: pytest.MonkeyPatch,
):
    def refuse(_: object) -> None:
        raise RuntimeError("can't start new thread")

    pool, seen = Pool(2, "test"), list[str]()
    with monkeypatch.context() as shortage:
        shortage.setattr(threading.Thread, "start", refuse)
        with pytest.raises(RuntimeError) as raised:
            await pool.run(seen.append, "refused")
        assert isinstance(OutOfResources.of(raised.value), OutOfResources)
    await pool.run(seen.append, "accepted")
    pool.close()
    assert seen == ["accepted"]
