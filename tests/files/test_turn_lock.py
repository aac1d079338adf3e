"""Turns are taken in the order in which they were asked for, whoever gives up meanwhile."""

import asyncio
from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessiond.files.turn_lock import TurnLock

STEPS = st.lists(
    st.sampled_from(["ask", "take", "release"]) | st.tuples(st.just("give up"), st.integers(0, 5)),
    max_size=40,
)


@given(steps=STEPS)
async def test_turns_are_those_of_a_queue(steps: list[str | tuple[str, int]]):
    """Several steps may come before the loop runs, as requests that arrive together do."""
    lock, order, expected = TurnLock(), list[int](), list[int]()
    waiting: deque[tuple[int, asyncio.Task[None]]] = deque()
    held, asked = False, 0

    async def ask(number: int) -> None:
        await lock.acquire()
        order.append(number)

    for step in steps:
        if step == "take":
            assert lock.take() is not held
            held = True
        elif step == "ask":
            task = asyncio.create_task(ask(asked))
            await asyncio.sleep(0)
            if held:
                waiting.append((asked, task))
            else:
                expected.append(asked)
                held = True
            asked += 1
        elif step == "release" and held:
            lock.release()
            held = bool(waiting)
            if waiting:
                expected.append(waiting.popleft()[0])
        elif isinstance(step, tuple) and len(waiting) > step[1]:
            number, task = waiting[step[1]]
            task.cancel()
            del waiting[step[1]]
            with pytest.raises(asyncio.CancelledError):
                await task
            assert number not in order
        assert lock.locked() is held
    await asyncio.sleep(0)
    assert order == expected
    for _, task in waiting:
        task.cancel()


async def test_one_that_gives_up_as_its_turn_comes_passes_it_on():
    lock = TurnLock()
    await lock.acquire()
    first, second = asyncio.create_task(lock.acquire()), asyncio.create_task(lock.acquire())
    await asyncio.sleep(0)
    lock.release()
    first.cancel()
    await second
    assert first.cancelled()
    assert lock.locked()
    lock.release()
    assert not lock.locked()
    with pytest.raises(RuntimeError):
        lock.release()


async def test_a_block_gives_its_turn_back_when_it_fails():
    lock = TurnLock()
    with pytest.raises(ValueError, match="no"):
        async with lock:
            raise ValueError("no")
    assert lock.take()
