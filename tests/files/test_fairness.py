"""How long a lock is left to others between changes of our own."""

from __future__ import annotations

import asyncio

import pytest

from sessiond.files.locks import fairness
from sessiond.files.locks.fairness import Others


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """A clock that only moves by sleeping."""
    state = {"now": 100.0, "slept": 0.0}

    async def sleep(seconds: float) -> None:
        state["now"] += seconds
        state["slept"] += seconds

    monkeypatch.setattr(fairness.time, "monotonic", lambda: state["now"])
    monkeypatch.setattr(asyncio, "sleep", sleep)
    return state


def held(others: Others, clock: dict[str, float], seconds: float) -> None:
    others.begin()
    clock["now"] += seconds
    others.end()


async def test_a_process_without_competitors_does_not_wait(clock: dict[str, float]):
    others = Others()
    held(others, clock, 0.01)
    await others.leave_room()
    assert clock["slept"] == 0


@pytest.mark.parametrize(
    ("held_for", "idle", "waits"),
    [(0.01, 0, 0.02), (0.01, 0.015, 0.005), (0.01, 0.02, 0), (9, 0, 0.1)],
)
async def test_with_waiting_processes_the_lock_is_free_for_twice_as_long_as_it_was_held(
    clock: dict[str, float], held_for: float, idle: float, waits: float
):
    others = Others()
    others.begin()
    clock["now"] += held_for
    others.notice()
    others.end()
    clock["now"] += idle
    await others.leave_room()
    assert clock["slept"] == pytest.approx(waits, abs=1e-9)


async def test_others_are_forgotten_after_five_seconds(clock: dict[str, float]):
    others = Others()
    others.notice()
    clock["now"] += 5.01
    held(others, clock, 0.01)
    await others.leave_room()
    assert clock["slept"] == 0
