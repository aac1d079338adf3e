"""A store that OpenClaw's database has replaced is never written, and readers report it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sessiond_protocol.gateway.table import METHODS
from support.agents import HEADER, Agents, message
from support.client import RpcError

from sessiond.cli.main import command_line
from sessiond.gateway.entry import store_text

KEY = "agent:main:telegram:direct:7"
CONTEXT = {"SessionKey": KEY, "Body": "hello"}

WRITING: dict[str, dict[str, Any]] = {
    "gateway/patch": {"key": KEY, "thinkingLevel": "high"},
    "gateway/reset": {"key": KEY},
    "gateway/delete": {"key": KEY},
    "gateway/recordUsage": {"sessionKey": KEY, "usage": {"input": 1}},
    "gateway/recordCompaction": {"sessionKey": KEY},
    "gateway/recordMemoryFlush": {"sessionKey": KEY},
    "gateway/begin": {"context": CONTEXT},
    "gateway/maintain": {"mode": "enforce"},
}
READING: dict[str, dict[str, Any]] = {
    "gateway/get": {"sessionKey": KEY},
    "gateway/list": {},
    "gateway/planMemoryFlush": {"sessionKey": KEY},
    "gateway/subscribe": {},
    "gateway/begin": {"context": CONTEXT, "dryRun": True},
    "gateway/maintain": {"mode": "warn"},
}
WITHOUT_STORE = {
    "gateway/resolveKey",
    "gateway/evaluateFreshness",
    "gateway/isSilentReply",
    "gateway/unsubscribe",
}


@pytest.fixture
def agents(tmp_path: Path) -> Agents:
    agents = Agents(tmp_path / "state")
    agents.lay({KEY: {"sessionId": "s1", "updatedAt": 1, "totalTokens": 5}})
    agents.transcript(
        "s1.jsonl", HEADER, message("u1", None, "user"), message("a1", "u1", "assistant")
    )
    return agents


def upgrade(agents: Agents, agent: str = "main") -> Path:
    """The files that OpenClaw 2026.8.1 leaves behind."""
    database = agents.state / "agents" / agent / "agent" / "openclaw-agent.sqlite"
    database.parent.mkdir(parents=True)
    database.write_bytes(b"SQLite format 3\0")
    return database


def everything(directory: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(directory)): path.read_bytes() if path.is_file() else None
        for path in directory.rglob("*")
    }


def test_every_method_is_examined():
    assert set(WRITING) == {name for name, method in METHODS.items() if method.writes_store}
    assert set(WRITING) | set(READING) | WITHOUT_STORE == set(METHODS)
    assert all("Unsupported" in METHODS[name].errors for name in WRITING)


@pytest.mark.parametrize("method", WRITING)
@pytest.mark.parametrize("profile", ["openclaw", "coderclaw"])
async def test_a_database_prevents_writing_the_store(agents: Agents, method: str, profile: str):
    database = upgrade(agents)
    before = everything(agents.state)
    async with agents.daemon(profile=profile) as client:
        with pytest.raises(RpcError) as caught:
            await client.request(method, WRITING[method])
    assert caught.value.kind == "Unsupported"
    assert caught.value.data["path"] == str(database)
    assert "openclaw" in caught.value.data["instead"]
    assert everything(agents.state) == before


@pytest.mark.parametrize("method", WRITING)
async def test_the_same_is_done_without_one(agents: Agents, method: str):
    before = everything(agents.state)
    config = {"session": {"maintenance": {"pruneAfter": "1d"}}}
    async with agents.daemon(profile="openclaw") as client:
        await client.request(method, {**WRITING[method], "config": config})
    assert everything(agents.state) != before


@pytest.mark.parametrize("method", READING)
async def test_reading_methods_report_the_database_and_write_nothing(agents: Agents, method: str):
    database = upgrade(agents)
    before = everything(agents.state)
    async with agents.daemon(profile="openclaw") as client:
        found = await client.request(method, READING[method])
    told = [problem for problem in found["problems"] if problem["kind"] == "replacedStore"]
    assert [problem["path"] for problem in told] == [str(database)]
    assert everything(agents.state) == before


async def test_an_upgrade_under_a_running_daemon_is_followed(agents: Agents):
    async with agents.daemon(profile="openclaw") as client:
        await client.request("gateway/patch", WRITING["gateway/patch"])
        assert "problems" not in await client.request("gateway/list")
        database = upgrade(agents)
        stored = agents.store().read_bytes()
        with pytest.raises(RpcError, match="no longer in"):
            await client.request("gateway/patch", WRITING["gateway/patch"])
        assert (await client.request("gateway/list"))["problems"][0]["kind"] == "replacedStore"
        assert agents.store().read_bytes() == stored
        database.unlink()
        await client.request("gateway/patch", WRITING["gateway/patch"])


async def test_an_upgrade_during_a_change_is_seen(agents: Agents, monkeypatch: pytest.MonkeyPatch):
    def upgraded_meanwhile(items: Any) -> bytes:
        upgrade(agents)
        return store_text(items)

    monkeypatch.setattr("sessiond.gateway.store.store_text", upgraded_meanwhile)
    stored = agents.store().read_bytes()
    async with agents.daemon(profile="openclaw") as client:
        with pytest.raises(RpcError, match="no longer in"):
            await client.request("gateway/patch", WRITING["gateway/patch"])
    assert agents.store().read_bytes() == stored
    assert {path.name for path in agents.sessions().iterdir()} == {"sessions.json", "s1.jsonl"}


async def test_other_agents_are_served_as_before(agents: Agents):
    upgrade(agents)
    agents.lay({"agent:ops:main": {"sessionId": "s2", "updatedAt": 1}}, "ops")
    async with agents.daemon(profile="openclaw") as client:
        await client.request("gateway/patch", {"key": "agent:ops:main", "label": "mine"})
    assert agents.stored("agent:ops:main", "ops")["label"] == "mine"


async def test_a_store_for_all_agents_is_out_of_use_with_the_first_database(agents: Agents):
    shared = agents.state / "all.json"
    shared.write_text(json.dumps({KEY: {"sessionId": "s1", "updatedAt": 1}}))
    params = {"key": KEY, "label": "x", "storePath": str(shared)}
    async with agents.daemon(profile="openclaw") as client:
        upgrade(agents, "ops")
        with pytest.raises(RpcError, match="no longer in"):
            await client.request("gateway/patch", params)


async def test_a_named_store_is_recognised_without_the_profile_of_a_gateway(agents: Agents):
    upgrade(agents)
    async with agents.daemon(profile="pi", agent_dir=None) as client:
        params = {"key": KEY, "label": "x", "storePath": str(agents.store())}
        with pytest.raises(RpcError, match="no longer in"):
            await client.request("gateway/patch", params)


async def test_an_entry_under_an_old_key_is_found_and_stays_there(agents: Agents):
    agents.lay({"agent:main:X": {"sessionId": "s1", "updatedAt": 1}})
    upgrade(agents)
    stored = agents.store().read_bytes()
    async with agents.daemon() as client:
        found = await client.request("gateway/get", {"sessionKey": "agent:main:x"})
    assert found["entry"]["sessionId"] == "s1"
    assert agents.store().read_bytes() == stored


def test_the_command_reports_the_database(agents: Agents):
    database = upgrade(agents)
    where = ["--profile", "openclaw", "--agent-dir", str(agents.state)]
    listed = CliRunner().invoke(command_line, ["gateway", "list", *where])
    assert (listed.exit_code, str(database) in listed.stderr) == (0, True)
