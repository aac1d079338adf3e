"""Whether memories are to be saved first, asked for by the key of a session."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.agents import Agents
from support.client import RpcError

KEY = "agent:main:main"
METHOD = "gateway/planMemoryFlush"


@pytest.fixture
def agents(tmp_path: Path) -> Agents:
    return Agents(tmp_path / "state")


@pytest.mark.parametrize(
    ("entry", "window", "reason"),
    [
        ({"totalTokens": 176_000}, 200_000, "due"),
        ({"totalTokens": 175_999}, 200_000, "belowThreshold"),
        ({"totalTokens": 180_000, "totalTokensFresh": False}, 200_000, "tokensUnknown"),
        (
            {"totalTokens": 180_000, "compactionCount": 0, "memoryFlushCompactionCount": 0},
            200_000,
            "alreadyFlushed",
        ),
        (
            {"totalTokens": 180_000, "compactionCount": 1, "memoryFlushCompactionCount": 0},
            200_000,
            "due",
        ),
        ({"totalTokens": 180_000, "memoryFlushCompactionCount": 0}, 200_000, "alreadyFlushed"),
        ({"totalTokens": 30_000, "totalTokensFresh": True}, 24_000, "windowTooSmall"),
        ({}, 200_000, "tokensUnknown"),
        ({"totalTokens": "180000"}, 200_000, "tokensUnknown"),
    ],
)
async def test_the_stored_counters_decide(
    agents: Agents, entry: dict[str, Any], window: int, reason: str
):
    agents.lay({KEY: {"sessionId": "s", "updatedAt": 1, **entry}})
    async with agents.daemon() as client:
        answer = await client.request(METHOD, {"sessionKey": "main", "contextWindow": window})
        same = await client.request(METHOD, {"entry": entry, "contextWindow": window})
    assert answer["reason"] == same["reason"] == reason
    assert answer["flush"] is (reason == "due")
    assert ("prompt" in answer) is (reason == "due")


async def test_the_configuration_file_applies(agents: Agents):
    compaction = {"memoryFlush": {"enabled": False}}
    agents.configure(agents={"defaults": {"compaction": compaction, "userTimezone": 3}})
    agents.lay({KEY: {"sessionId": "s", "updatedAt": 1, "totalTokens": 180_000}})
    async with agents.daemon() as client:
        configured = await client.request(METHOD, {"sessionKey": KEY})
        # Given inline it takes the place of the file's.
        inline = await client.request(METHOD, {"sessionKey": KEY, "config": {}})
        # And without a key no file is looked at.
        pure = await client.request(METHOD, {"entry": {"totalTokens": 180_000}})
    assert configured["reason"] == "disabled"
    assert [problem["path"] for problem in configured["configProblems"]] == [
        "agents.defaults.userTimezone"
    ]
    assert inline["reason"] == pure["reason"] == "due"
    assert "configProblems" not in pure


@pytest.mark.parametrize("stored", [{}, {KEY: None}, {KEY: "x"}])
async def test_of_a_session_that_is_not_there_nothing_is_known(
    agents: Agents, stored: dict[str, Any]
):
    agents.lay(stored)
    async with agents.daemon() as client:
        answer = await client.request(METHOD, {"sessionKey": KEY})
    assert answer["reason"] == "tokensUnknown"
    assert len(answer.get("problems", [])) == len(stored)


async def test_another_agents_store_is_read_for_its_key(agents: Agents):
    agents.lay({"agent:ops:main": {"sessionId": "s", "totalTokens": 190_000}}, agent="ops")
    async with agents.daemon() as client:
        by_key = await client.request(METHOD, {"sessionKey": "agent:ops:main"})
        by_agent = await client.request(METHOD, {"sessionKey": "main", "agentId": "ops"})
        named = await client.request(
            METHOD, {"sessionKey": "agent:ops:main", "storePath": str(agents.store("ops"))}
        )
    assert [answer["flush"] for answer in (by_key, by_agent, named)] == [True] * 3


async def test_nothing_is_written(agents: Agents):
    agents.lay({"Main": {"sessionId": "s", "totalTokens": 190_000}})
    before = agents.store().read_bytes()
    async with agents.daemon(read_only=True) as client:
        assert (await client.request(METHOD, {"sessionKey": "main"}))["flush"]
    assert agents.store().read_bytes() == before


@pytest.mark.parametrize(
    ("params", "path"),
    [
        ({}, "/entry"),
        ({"entry": None}, "/entry"),
        ({"entry": {}, "sessionKey": KEY}, "/entry"),
        ({"sessionKey": " "}, "/sessionKey"),
        ({"sessionKey": 3}, "/sessionKey"),
        ({"sessionKey": KEY, "timezone": "Mars"}, "/timezone"),
    ],
)
async def test_exactly_one_of_entry_and_key_is_needed(
    agents: Agents, params: dict[str, Any], path: str
):
    async with agents.daemon() as client:
        with pytest.raises(RpcError) as refused:
            await client.request(METHOD, params)
    assert (refused.value.code, refused.value.data["pointer"]) == (-32602, path)


async def test_a_profile_without_agents_of_its_own_needs_a_store(tmp_path: Path):
    agents = Agents(tmp_path / "state")
    agents.lay({KEY: {"sessionId": "s", "totalTokens": 190_000}})
    async with agents.daemon(profile="pi") as client:
        with pytest.raises(RpcError) as refused:
            await client.request(METHOD, {"sessionKey": KEY})
        assert "storePath" in refused.value.data["instead"]
        named = {"sessionKey": KEY, "storePath": str(agents.store())}
        assert (await client.request(METHOD, named))["flush"]
