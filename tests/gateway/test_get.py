"""Finding one session by its key, and its transcript."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.agents import HEADER, Agents
from support.client import RpcError

from sessiond.gateway.entry import StoreEntry
from sessiond.gateway.keys import KeyRules
from sessiond.gateway.store import find_session
from sessiond.runtime.clock import now_ms

OLD = {"sessionId": "o", "updatedAt": 1}
ENTRIES: dict[str, Any] = {
    "agent:main:main": {"sessionId": "m", "updatedAt": 9, "label": "Main"},
    "agent:main:cron:j": {"sessionId": "c", "updatedAt": 8},
    "agent:main:cron:j:run:c": {"sessionId": "c", "updatedAt": 8},
    "agent:main:subagent:1": {"sessionId": "s", "spawnedBy": "agent:main:main", "label": "kid"},
    "agent:main:subagent:2": {"sessionId": "s", "spawnedBy": "x", "label": "kid"},
    "global": {"sessionId": "g", "label": "all"},
    "unknown": {"sessionId": "u", "label": "who"},
}


@pytest.fixture
def agents(tmp_path: Path) -> Agents:
    agents = Agents(tmp_path / "state")
    agents.lay(ENTRIES)
    agents.lay({"agent:ops:x": {"sessionId": "o", "updatedAt": 1, "label": "kid"}}, "ops")
    return agents


FOUND: list[tuple[dict[str, Any], str]] = [
    ({"sessionKey": "main"}, "agent:main:main"),
    ({"sessionKey": " Agent:Main:MAIN "}, "agent:main:main"),
    ({"sessionKey": "cron:j:run:c"}, "agent:main:cron:j:run:c"),
    ({"sessionKey": "global"}, "global"),
    ({"sessionKey": "agent:ops:x"}, "agent:ops:x"),
    ({"sessionKey": "x", "agentId": "ops"}, "agent:ops:x"),
]


@pytest.mark.parametrize(("params", "key"), FOUND, ids=json.dumps)
async def test_a_session_is_found_and_nothing_is_written(
    agents: Agents, params: dict[str, Any], key: str
):
    text = agents.store().read_bytes()
    async with agents.daemon() as client:
        found = await client.request("gateway/get", params)
    assert found["sessionKey"] == key
    assert found["entry"] == agents.stored(key, found["agentId"])
    assert agents.store().read_bytes() == text


async def test_a_blank_key_is_refused(agents: Agents):
    async with agents.daemon() as client:
        with pytest.raises(RpcError, match="key required"):
            await client.request("gateway/get", {"sessionKey": " "})


async def test_the_transcript_is_the_file_that_exists(agents: Agents):
    agents.lay({"agent:main:x": {"sessionId": "s", "sessionFile": "moved.jsonl"}})
    first, other = agents.sessions() / "moved.jsonl", agents.transcript("s.jsonl", HEADER)
    async with agents.daemon() as client:
        for path in (other, first):
            found = await client.request("gateway/get", {"sessionKey": "x"})
            assert found["transcript"] == str(path)
            agents.transcript("moved.jsonl", HEADER)


async def test_a_transcript_outside_the_roots_is_not_named(agents: Agents, tmp_path: Path):
    elsewhere = tmp_path / "elsewhere" / "agents" / "a" / "sessions" / "t.jsonl"
    agents.lay({"agent:main:x": {"sessionId": "../s", "sessionFile": str(elsewhere)}})
    async with agents.daemon() as client:
        found = await client.request("gateway/get", {"sessionKey": "x"})
    assert found["transcript"] == str(elsewhere)
    async with agents.daemon(roots=[str(agents.state)]) as client:
        found = await client.request("gateway/get", {"sessionKey": "x"})
    assert "transcript" not in found


async def test_a_session_is_found_under_an_old_key_and_nothing_moves(tmp_path: Path):
    agents = Agents(tmp_path / "state")
    odd: dict[str, Any] = {"Agent:Main:X": "odd", "y": {"sessionId": "c"}}
    agents.lay({"AGENT:main:x": {"sessionId": "a"}, "X": {"sessionId": "b"}, **odd})
    text = agents.store().read_bytes()
    async with agents.daemon() as client:
        found = await client.request("gateway/get", {"sessionKey": "X"})
    assert (found["sessionKey"], found["entry"]) == ("agent:main:x", {"sessionId": "b"})
    assert agents.store().read_bytes() == text


async def test_a_lookup_maintains_nothing(tmp_path: Path):
    agents = Agents(tmp_path / "state")
    agents.configure(session={"maintenance": {"mode": "enforce"}})
    agents.lay({"Main": {"sessionId": "m", "updatedAt": now_ms()}, "agent:main:old": OLD})
    transcript = agents.transcript("o.jsonl", b"one\n")
    text = agents.store().read_bytes()
    async with agents.daemon() as client:
        found = await client.request("gateway/get", {"sessionKey": "Main"})
    assert found["entry"]["sessionId"] == "m"
    assert agents.store().read_bytes() == text
    assert transcript.read_bytes() == b"one\n"


async def test_aliases_of_a_stored_key_are_removed_by_the_next_write(tmp_path: Path):
    agents = Agents(tmp_path / "state")
    agents.lay({"agent:main:x": {"sessionId": "a"}, "x": {"sessionId": "b"}})
    text = agents.store().read_bytes()
    async with agents.daemon() as client:
        await client.request("gateway/get", {"sessionKey": "x"})
        assert agents.store().read_bytes() == text
        await client.request("gateway/patch", {"key": "x", "label": "l"})
    assert list(json.loads(agents.store().read_text())) == ["agent:main:x"]
    assert agents.stored("agent:main:x")["sessionId"] == "a"


def test_the_main_session_is_found_by_its_plain_name_too():
    rules = KeyRules(main_key="work", main_agent="ops", default_agent="ops")
    old = StoreEntry.of({"sessionId": "a"})
    assert find_session({"Agent:Ops:Main": old}, "agent:ops:work", "work", rules) is old
