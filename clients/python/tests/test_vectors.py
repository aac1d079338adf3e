"""Replay every vector of the contract over a real process, and print how many passed."""

import asyncio

import pytest
import vector_replay

pytestmark = pytest.mark.timeout(300)
AT_A_TIME = 2


@pytest.fixture(scope="module")
def outcomes():
    """The outcome of each vector: None or an error. Starting the daemon takes most of the time."""
    slots = asyncio.Semaphore(AT_A_TIME)

    async def outcome(name):
        async with slots:
            try:
                async with asyncio.timeout(60):
                    await vector_replay.replay(name)
            except Exception as error:  # noqa: BLE001 - raised in the test of the vector
                return error

    async def run():
        names = vector_replay.names()
        return dict(zip(names, await asyncio.gather(*map(outcome, names)), strict=True))

    return asyncio.run(run())


@pytest.mark.parametrize("name", vector_replay.names())
def test_vector(name, outcomes):
    if outcomes[name] is not None:
        raise outcomes[name]


def test_there_are_vectors(outcomes, capsys):
    assert outcomes
    with capsys.disabled():
        passed = list(outcomes.values()).count(None)
        print(f"\nvectors: {passed} of {len(outcomes)} passed")
