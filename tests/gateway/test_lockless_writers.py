"""Changes of writers without locks, made before our rename, are not lost."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.agents import HEADER, Agents, message
from support.client import RpcError

from sessiond.gateway.entry import store_text

KEY = "agent:main:telegram:direct:7"


@pytest.fixture
def agents(tmp_path: Path) -> Agents:
    agents = Agents(tmp_path / "state")
    agents.lay({KEY: {"sessionId": "s1", "updatedAt": 1, "compactionCount": 0}})
    talk = [message("u1", None, "user"), message("a1", "u1", "assistant")]
    agents.transcript("s1.jsonl", HEADER, *talk)
    return agents


def count(agents: Agents) -> None:
    """Write like OpenClaw 2026.5.2 and later: read, change, and rename a new file into place."""
    found = json.loads(agents.store().read_text())
    found[KEY]["compactionCount"] += 1
    found[f"agent:main:other{found[KEY]['compactionCount']}"] = {"sessionId": "o", "updatedAt": 1}
    temporary = agents.store().with_suffix(".foreign")
    temporary.write_text(json.dumps(found))
    temporary.rename(agents.store())


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], None]], None]:
    """Have something done each time between reading a store and replacing it."""

    def arrange(happens: Callable[[], None]) -> None:
        def text(items: Any) -> bytes:
            happens()
            return store_text(items)

        monkeypatch.setattr("sessiond.gateway.store.store_text", text)

    return arrange


@pytest.mark.parametrize("times", [1, 2])
async def test_a_change_is_repeated_on_the_store_that_a_foreign_writer_saved(
    agents: Agents, meanwhile: Callable[[Callable[[], None]], None], times: int
):
    left = iter(range(times))
    meanwhile(lambda: count(agents) if next(left, None) is not None else None)
    async with agents.daemon(profile="openclaw") as client:
        found = await client.request("gateway/recordCompaction", {"sessionKey": KEY})
    assert found["count"] == times + 1
    assert agents.stored(KEY)["compactionCount"] == times + 1
    assert all(agents.stored(f"agent:main:other{n + 1}") for n in range(times))


async def test_a_writer_that_never_rests_is_reported_and_loses_nothing(
    agents: Agents, meanwhile: Callable[[Callable[[], None]], None]
):
    meanwhile(lambda: count(agents))
    async with agents.daemon(profile="openclaw") as client:
        with pytest.raises(RpcError, match="without a lock") as caught:
            await client.request("gateway/patch", {"key": KEY, "label": "mine"})
    assert caught.value.kind == "Busy"
    assert caught.value.data["retryable"] is True
    assert "label" not in agents.stored(KEY)
    assert agents.stored(KEY)["compactionCount"] > 1


async def test_a_store_that_appears_meanwhile_is_not_overwritten(
    agents: Agents, meanwhile: Callable[[Callable[[], None]], None]
):
    theirs = agents.store().read_text()
    agents.store().unlink()

    def appear() -> None:
        if not agents.store().exists():
            agents.store().write_text(theirs)

    meanwhile(appear)
    context = {"SessionKey": "agent:main:new", "To": "C1", "Body": "hello"}
    async with agents.daemon(profile="openclaw") as client:
        await client.request("gateway/begin", {"context": context})
    assert agents.stored(KEY)["sessionId"] == "s1"
    assert agents.stored("agent:main:new")["lastTo"] == "C1"
