"""Taking a session out of its store."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from support.agents import HEADER, Agents
from support.client import RpcError

X = {"sessionId": "s", "updatedAt": 1}
Y = {"sessionId": "t", "updatedAt": 1}


async def refused(client: Any, **params: Any) -> RpcError:
    with pytest.raises(RpcError) as caught:
        await client.request("gateway/delete", params)
    return caught.value


async def test_delete_removes_the_entry_and_archives_its_transcripts(tmp_path: Path):
    agents = Agents(tmp_path / "state")
    agents.lay({"agent:main:x": {**X, "sessionFile": "topic.jsonl"}, "agent:main:y": Y})
    agents.transcript("s.jsonl", b"one\n")
    agents.transcript("topic.jsonl", b"two\n")
    async with agents.daemon() as client:
        found = await client.request("gateway/delete", {"key": "x"})
    archived = found.pop("archived")
    assert found == {"key": "agent:main:x", "deleted": True}
    assert [Path(path).read_bytes() for path in archived] == [b"two\n", b"one\n"]
    for path, name in zip(archived, ("topic.jsonl", "s.jsonl"), strict=True):
        assert path.startswith(f"{agents.sessions()}/{name}.deleted.20")
        assert path.endswith("Z")
        assert ":" not in os.path.basename(path)
    assert json.loads(agents.store().read_text()) == {"agent:main:y": Y}


@pytest.mark.parametrize("method", ["gateway/delete", "gateway/reset", "gateway/begin"])
async def test_a_transcript_that_another_entry_uses_stays(tmp_path: Path, method: str):
    agents = Agents(tmp_path / "state")
    agents.lay({"agent:main:cron:j": X, "agent:main:cron:j:run:s": X, "agent:main:main": X})
    transcript = agents.transcript("s.jsonl", b"one\n")
    params: dict[str, Any] = {
        "key": "agent:main:main" if method == "gateway/reset" else "cron:j:run:s"
    }
    if method == "gateway/begin":
        params = {"context": {"Body": "/new", "SessionKey": "agent:main:main"}}
    async with agents.daemon() as client:
        done = await client.request(method, params)
    assert done.get("archived", []) == []
    assert transcript.read_bytes() == b"one\n"
    assert agents.stored("agent:main:cron:j")["sessionId"] == X["sessionId"]


async def test_the_transcript_may_stay(tmp_path: Path):
    agents = Agents(tmp_path / "state")
    agents.lay({"agent:main:x": X})
    path = agents.transcript("s.jsonl", HEADER)
    async with agents.daemon() as client:
        # A transcript that stays may well be open.
        await client.request("session/open", {"path": str(path)})
        found = await client.request("gateway/delete", {"key": "x", "deleteTranscript": False})
    assert found == {"key": "agent:main:x", "deleted": True, "archived": []}
    assert path.exists()
    assert json.loads(agents.store().read_text()) == {}


async def test_a_missing_file_is_not_deleted(tmp_path: Path):
    agents = Agents(tmp_path / "state")
    async with agents.daemon() as client:
        found = await client.request("gateway/delete", {"key": "x"})
    assert found == {"key": "agent:main:x", "deleted": False, "archived": []}
    assert not agents.state.exists()


async def test_all_spellings_of_a_key_go(tmp_path: Path):
    agents = Agents(tmp_path / "state")
    agents.lay({"Agent:Main:X": X, "agent:main:X": {"sessionId": "t"}, "x": {"sessionId": "u"}})
    for name in "stu":
        agents.transcript(f"{name}.jsonl", HEADER)
    async with agents.daemon() as client:
        found = await client.request("gateway/delete", {"key": "agent:main:X"})
    assert found["deleted"] is True
    assert [os.path.basename(path)[:7] for path in found["archived"]] == ["t.jsonl"]
    # A key without an agent is only found if it is given exactly.
    assert json.loads(agents.store().read_text()) == {"x": {"sessionId": "u"}}


@pytest.mark.parametrize("key", ["main", "MAIN", "agent:main:main", " agent:Main:MAIN "])
async def test_the_main_session_stays(tmp_path: Path, key: str):
    agents = Agents(tmp_path / "state")
    agents.lay({"agent:main:main": X})
    async with agents.daemon() as client:
        error = await refused(client, key=key)
    assert error.message == "Cannot delete the main session (agent:main:main)."
    assert error.data == {"kind": "GatewayRejected", "retryable": False, "rule": "key"}
    assert agents.stored("agent:main:main") == X


async def test_the_main_session_is_the_one_of_the_configured_default_agent(tmp_path: Path):
    agents = Agents(tmp_path / "state")
    config = {"agents": {"list": [{"id": "ops"}, {"id": "other"}]}, "session": {"mainKey": "work"}}
    agents.lay({"agent:other:work": X}, "other")
    agents.lay({"agent:ops:x": X, "global": X}, "ops")
    async with agents.daemon() as client:
        error = await refused(client, key="main", config=config)
        assert error.message == "Cannot delete the main session (agent:ops:work)."
        for key in ("agent:other:main", "global"):
            found = await client.request("gateway/delete", {"key": key, "config": config})
            assert found["deleted"] is True


async def test_the_global_session_cannot_be_deleted(tmp_path: Path):
    agents = Agents(tmp_path / "state")
    agents.configure(session={"scope": "global"})
    agents.lay({"global": X})
    async with agents.daemon() as client:
        for key in ("main", "global", "agent:main:main"):
            error = await refused(client, key=key)
            assert error.message == "Cannot delete the main session (global)."


async def test_a_transcript_next_to_a_named_store_is_archived(tmp_path: Path):
    agents = Agents(tmp_path / "state")
    store = tmp_path / "stores" / "all.json"
    store.parent.mkdir()
    store.write_text(json.dumps({"agent:ops:x": X}))
    beside = store.parent / "s.jsonl"
    beside.write_bytes(b"beside")
    own = agents.transcript("s.jsonl", b"own", agent="ops")
    async with agents.daemon() as client:
        params: dict[str, Any] = {"key": "agent:ops:x", "storePath": str(store)}
        found = await client.request("gateway/delete", params)
    assert [path.split(".deleted.")[0] for path in found["archived"]] == [str(beside), str(own)]
    assert store.read_text() == "{}"


async def test_an_invalid_id_or_file_names_no_transcript(tmp_path: Path):
    agents = Agents(tmp_path / "state")
    agents.lay({"agent:main:x": {"sessionId": "../s", "sessionFile": "../../../../s.jsonl"}})
    outside = tmp_path / "s.jsonl"
    outside.write_bytes(b"x")
    async with agents.daemon() as client:
        found = await client.request("gateway/delete", {"key": "x"})
    assert (found["deleted"], found["archived"]) == (True, [])
    assert outside.exists()
