"""Finding one session by its key, its id or its label."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.agents import Agents
from support.client import RpcError

from sessiond.clock import now_ms
from sessiond.gateway.keys.lookup import find
from sessiond.gateway.keys.session_key import KeyRules
from sessiond.gateway.store.entry import StoreEntry

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
    ({"key": "main"}, "agent:main:main"),
    ({"key": " Agent:Main:MAIN "}, "agent:main:main"),
    ({"key": "cron:j:run:c"}, "agent:main:cron:j:run:c"),
    ({"key": "global"}, "global"),
    ({"key": "agent:ops:x"}, "agent:ops:x"),
    ({"key": "x", "agentId": "ops"}, "agent:ops:x"),
    ({"key": "main", "sessionId": " ", "label": ""}, "agent:main:main"),
    ({"sessionId": " m "}, "agent:main:main"),
    ({"sessionId": "c"}, "agent:main:cron:j"),
    ({"sessionId": "o"}, "agent:ops:x"),
    ({"sessionId": "agent:ops:x"}, "agent:ops:x"),
    ({"sessionId": "s", "spawnedBy": "agent:main:main"}, "agent:main:subagent:1"),
    ({"sessionId": "g", "includeGlobal": True}, "global"),
    ({"sessionId": "u", "includeUnknown": True}, "unknown"),
    ({"label": " Main "}, "agent:main:main"),
    ({"label": "kid", "agentId": "OPS"}, "agent:ops:x"),
    ({"label": "kid", "spawnedBy": "agent:main:x"}, "agent:main:subagent:2"),
    ({"label": "all", "includeGlobal": True}, "global"),
]


@pytest.mark.parametrize(("params", "key"), FOUND, ids=json.dumps)
async def test_resolve_finds_sessions_and_writes_nothing(
    agents: Agents, params: dict[str, Any], key: str
):
    text = agents.store().read_bytes()
    async with agents.daemon() as client:
        assert await client.request("gateway/resolve", params) == {"key": key}
    assert agents.store().read_bytes() == text


SEVERAL = "Provide either key, sessionId, or label (not multiple)"
REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({"key": "a", "sessionId": "b"}, SEVERAL, "key"),
    ({"sessionId": "a", "label": "b"}, SEVERAL, "key"),
    ({"key": "a", "sessionId": "b", "label": "c"}, SEVERAL, "key"),
    ({}, "Either key, sessionId, or label is required", "key"),
    ({"key": " ", "label": None}, "Either key, sessionId, or label is required", "key"),
    ({"key": " Nobody "}, "No session found: Nobody", "key"),
    ({"key": "x"}, "No session found: x", "key"),
    ({"sessionId": "none"}, "No session found: none", "sessionId"),
    ({"sessionId": "M"}, "No session found: M", "sessionId"),
    ({"sessionId": "g"}, "No session found: g", "sessionId"),
    ({"sessionId": "m", "agentId": "ops"}, "No session found: m", "sessionId"),
    (
        {"sessionId": "s"},
        "Multiple sessions found for sessionId: s (agent:main:subagent:1, agent:main:subagent:2)",
        "sessionId",
    ),
    ({"label": "main"}, "No session found with label: main", "label"),
    ({"label": "all"}, "No session found with label: all", "label"),
    (
        {"label": "kid", "agentId": "main"},
        "Multiple sessions found with label: kid (agent:main:subagent:1, agent:main:subagent:2)",
        "label",
    ),
    ({"label": "x" * 65}, "invalid label: too long (max 64)", "label"),
]


@pytest.mark.parametrize(("params", "message", "rule"), REFUSED, ids=str)
async def test_resolve_refuses_unmatched_and_ambiguous_params(
    agents: Agents, params: dict[str, Any], message: str, rule: str
):
    async with agents.daemon() as client:
        with pytest.raises(RpcError) as caught:
            await client.request("gateway/resolve", params)
    assert caught.value.message == message
    assert caught.value.data == {"kind": "GatewayRejected", "retryable": False, "rule": rule}


async def test_a_busy_store_does_not_hide_an_id(tmp_path: Path):
    """CoderClaw looks through the first eight only that mention it."""
    agents = Agents(tmp_path / "state")
    busy = {f"agent:main:{n}": {"sessionId": f"abc{n}", "updatedAt": n + 10} for n in range(20)}
    agents.lay({**busy, "agent:main:wanted": {"sessionId": "abc", "updatedAt": 1}})
    async with agents.daemon() as client:
        found = await client.request("gateway/resolve", {"sessionId": "abc"})
    assert found["key"] == "agent:main:wanted"


async def test_a_session_is_found_under_an_old_key_and_nothing_moves(tmp_path: Path):
    agents = Agents(tmp_path / "state")
    odd: dict[str, Any] = {"Agent:Main:X": "odd", "y": {"sessionId": "c"}}
    agents.lay({"AGENT:main:x": {"sessionId": "a"}, "X": {"sessionId": "b"}, **odd})
    text = agents.store().read_bytes()
    async with agents.daemon() as client:
        found = await client.request("gateway/resolve", {"key": "X"})
    assert found["key"] == "agent:main:x"
    assert agents.store().read_bytes() == text


async def test_a_lookup_maintains_nothing(tmp_path: Path):
    agents = Agents(tmp_path / "state")
    agents.configure(session={"maintenance": {"mode": "enforce"}})
    agents.lay({"Main": {"sessionId": "m", "updatedAt": now_ms()}, "agent:main:old": OLD})
    transcript = agents.transcript("o.jsonl", b"one\n")
    text = agents.store().read_bytes()
    async with agents.daemon() as client:
        assert await client.request("gateway/resolve", {"key": "Main"}) == {
            "key": "agent:main:main"
        }
    assert agents.store().read_bytes() == text
    assert transcript.read_bytes() == b"one\n"


async def test_aliases_of_a_stored_key_are_removed_by_the_next_write(tmp_path: Path):
    agents = Agents(tmp_path / "state")
    agents.lay({"agent:main:x": {"sessionId": "a"}, "x": {"sessionId": "b"}})
    text = agents.store().read_bytes()
    async with agents.daemon() as client:
        await client.request("gateway/resolve", {"key": "x"})
        assert agents.store().read_bytes() == text
        await client.request("gateway/patch", {"key": "x", "label": "l"})
    assert list(json.loads(agents.store().read_text())) == ["agent:main:x"]
    assert agents.stored("agent:main:x")["sessionId"] == "a"


def test_the_main_session_is_found_by_its_plain_name_too():
    rules = KeyRules(main_key="work", main_agent="ops", default_agent="ops")
    old = StoreEntry.of({"sessionId": "a"})
    assert find({"Agent:Ops:Main": old}, "agent:ops:work", "work", rules) is old


async def test_stores_that_cannot_be_read_are_reported(agents: Agents):
    agents.store("ops").unlink()
    agents.store("ops").mkdir()
    async with agents.daemon() as client:
        found = await client.request("gateway/resolve", {"sessionId": "m"})
    assert found["key"] == "agent:main:main"
    assert [(one["kind"], one["path"]) for one in found["problems"]] == [
        ("unreadableStore", str(agents.store("ops")))
    ]
