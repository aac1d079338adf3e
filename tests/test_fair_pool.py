"""Clients take turns in the threads of a process, and none of them gets all."""

import contextvars
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future

import pytest

from sessiond.fair_pool import FairPool, take_turns
from sessiond.isolation import Abandoned, Faults, go_on

DEADLINE = 30


class Client:
    """Submits work in a context of its own, as the connection of a client does."""

    def __init__(self, pool: FairPool) -> None:
        self._pool = pool
        self._context = contextvars.copy_context()
        self._context.run(take_turns)

    def submit(self, work: Callable[[], object]) -> "Future[object]":
        return self._context.run(self._pool.submit, work)


class Held:
    """Work that keeps its thread until it is let go."""

    def __init__(self) -> None:
        self._begun = threading.Semaphore(0)
        self._go = threading.Semaphore(0)

    def __call__(self) -> None:
        self._begun.release()
        assert self._go.acquire(timeout=DEADLINE)

    def wait_until_begun(self, times: int) -> None:
        for _ in range(times):
            assert self._begun.acquire(timeout=DEADLINE)

    def let_go(self, times: int) -> None:
        self._go.release(times)


@pytest.fixture
def pool() -> Iterator[FairPool]:
    made = FairPool(6)
    yield made
    made.shutdown()


@pytest.mark.parametrize(("threads", "shares"), [(2, [1, 1]), (4, [2, 1, 1]), (6, [3, 2, 1])])
def test_a_client_never_has_all_threads(threads: int, shares: list[int]):
    pool = FairPool(threads)
    storms = []
    for _ in shares:
        held, client = Held(), Client(pool)
        storms.append((held, [client.submit(held) for _ in range(20)]))
    for share, (held, _) in zip(shares, storms, strict=True):
        held.wait_until_begun(share)
    assert [sum(each.running() for each in work) for _, work in storms] == shares
    for held, work in storms:
        held.let_go(len(work))
    for _, work in storms:
        for each in work:
            each.result(DEADLINE)
    pool.shutdown()


def test_a_client_waits_for_no_work_of_a_client_that_has_much(pool: FairPool):
    held, storm = Held(), Client(pool)
    waiting = [storm.submit(held) for _ in range(300)]
    held.wait_until_begun(3)
    assert Client(pool).submit(lambda: "small").result(DEADLINE) == "small"
    held.let_go(300)
    for each in waiting:
        each.result(DEADLINE)


def test_clients_take_turns_for_a_thread():
    pool, held = FairPool(1), Held()
    blocker, first, second = (Client(pool) for _ in range(3))
    done: list[str] = []
    blocked = blocker.submit(held)
    held.wait_until_begun(1)
    work = [first.submit(lambda: done.append("first")) for _ in range(3)]
    work += [second.submit(lambda: done.append("second")) for _ in range(3)]
    held.let_go(1)
    for each in [blocked, *work]:
        each.result(DEADLINE)
    assert done == ["first", "second"] * 3
    pool.shutdown()


def test_the_only_client_of_a_process_has_all_threads(pool: FairPool):
    # Passed only by six threads at the same time.
    together = threading.Barrier(6)
    for each in [pool.submit(together.wait, DEADLINE) for _ in range(6)]:
        each.result(DEADLINE)


def test_cancelled_work_that_waits_is_never_done(pool: FairPool):
    held, client = Held(), Client(pool)
    blocked = [client.submit(held) for _ in range(3)]
    done: list[str] = []
    cancelled, kept = (
        client.submit(lambda: done.append("no")),
        client.submit(lambda: done.append("yes")),
    )
    assert cancelled.cancel()
    held.let_go(3)
    for each in [*blocked, kept]:
        each.result(DEADLINE)
    assert done == ["yes"]


def test_cancelled_work_ends_at_its_next_step(pool: FairPool):
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
    assert begun.wait(DEADLINE)
    work.cancel()
    cancelled.set()
    assert looked.wait(DEADLINE)
    with pytest.raises(Abandoned):
        work.result(DEADLINE)
    assert not seen
    # The thread does other work afterwards, which nobody has cancelled.
    for each in [pool.submit(go_on) for _ in range(6)]:
        each.result(DEADLINE)


def test_the_end_of_a_pool_cancels_what_waits():
    pool, held = FairPool(1), Held()
    running = pool.submit(held)
    held.wait_until_begun(1)
    waiting = pool.submit(lambda: None)
    pool.shutdown(wait=False)
    assert waiting.cancelled()
    held.let_go(1)
    running.result(DEADLINE)
