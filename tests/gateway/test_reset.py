"""Resetting a session on request: kept and removed members, and the archive of the transcript."""

from __future__ import annotations

import json
import os
import re
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from support.agents import HEADER, Agents, message
from support.client import RpcError

from sessiond.gateway.counters import started_over
from sessiond.gateway.entry import StoreEntry
from sessiond.gateway.methods import change
from sessiond.runtime.errors import WriteFailed

KEY = "agent:main:x"
NOW = 1_770_000_000_000
ARCHIVE = re.compile(r"(.+)\.reset\.(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d\.\d{3}Z)")

KEPT: dict[str, Any] = {
    "thinkingLevel": "high",
    "verboseLevel": "on",
    "reasoningLevel": "stream",
    "responseUsage": "full",
    "model": "m",
    "contextTokens": 1000,
    "sendPolicy": "deny",
    "label": "l",
    "origin": {"label": "o", "unknown": 1},
    "lastChannel": "discord",
    "lastTo": "+1",
    "skillsSnapshot": {"prompt": "p", "skills": [], "version": 1},
}
DROPPED: dict[str, Any] = {
    "sessionFile": "old.jsonl",
    "spawnedBy": "agent:main:main",
    "spawnDepth": 1,
    "chatType": "group",
    "elevatedLevel": "full",
    "ttsAuto": "always",
    "execHost": "node",
    "execSecurity": "full",
    "execAsk": "off",
    "execNode": "n",
    "providerOverride": "p",
    "modelOverride": "o",
    "authProfileOverride": "a",
    "authProfileOverrideSource": "user",
    "authProfileOverrideCompactionCount": 1,
    "groupActivation": "always",
    "groupActivationNeedsSystemIntro": True,
    "queueMode": "steer",
    "queueDebounceMs": 1,
    "queueCap": 1,
    "queueDrop": "old",
    "modelProvider": "p",
    "compactionCount": 3,
    "memoryFlushAt": 1,
    "memoryFlushCompactionCount": 1,
    "cliSessionIds": {"c": "1"},
    "claudeCliSessionId": "c",
    "displayName": "d",
    "channel": "discord",
    "groupId": "g",
    "subject": "s",
    "groupChannel": "#g",
    "space": "sp",
    "deliveryContext": {"channel": "discord"},
    "lastAccountId": "acc",
    "lastThreadId": 7,
    "systemPromptReport": {"source": "run"},
    "lastHeartbeatText": "h",
    "lastHeartbeatSentAt": 1,
}
SET = {
    "systemSent": False,
    "abortedLastRun": False,
    "inputTokens": 0,
    "outputTokens": 0,
    "totalTokens": 0,
    "totalTokensFresh": True,
}
OLD = {"sessionId": "old", "updatedAt": 1, "systemSent": True, "abortedLastRun": True}
OLD |= {"inputTokens": 5, "outputTokens": 6, "totalTokens": 7, "totalTokensFresh": False}


def over(entry: dict[str, Any] | None) -> dict[str, Any]:
    old = None if entry is None else StoreEntry.of(entry)
    return json.loads(started_over(old, "new", NOW).text)


def test_a_session_started_over_has_an_id_a_time_and_counters_of_nothing():
    expected = {"sessionId": "new", "updatedAt": NOW, **SET}
    assert over(None) == expected
    assert over(OLD) == expected


@pytest.mark.parametrize("name", KEPT)
def test_these_members_continue(name: str):
    assert over({**OLD, name: KEPT[name]})[name] == KEPT[name]


@pytest.mark.parametrize("name", DROPPED)
def test_these_members_were_the_old_sessions(name: str):
    assert name not in over({**OLD, name: DROPPED[name]})


def test_unknown_members_are_kept():
    assert over({**OLD, "future": {"a": 1}})["future"] == {"a": 1}


async def test_a_reset_is_stored_and_the_transcript_archived(tmp_path: Path):
    agents = Agents(tmp_path / "state")
    agents.lay({KEY: {**OLD, **KEPT, **DROPPED, "sessionFile": "t.jsonl", "future": 1}})
    agents.transcript("old.jsonl", HEADER)
    agents.transcript("t.jsonl", HEADER, message("a", None, "user"))
    text = (agents.sessions() / "t.jsonl").read_bytes()
    before = int(time.time() * 1000)
    async with agents.daemon() as client:
        found = await client.request("gateway/reset", {"key": "X", "reason": "new"})
    stored = agents.stored(KEY)
    archived = sorted(found.pop("archived"))
    assert found == {"key": KEY, "entry": stored}
    assert before <= stored.pop("updatedAt") <= time.time() * 1000
    session_id = stored.pop("sessionId")
    assert session_id not in {"old", "new"}
    # Saving a store spells the route out in both places.
    route = {"channel": "discord", "to": "+1"}
    assert stored == {**SET, **KEPT, "deliveryContext": route, "future": 1}
    names = sorted(os.listdir(agents.sessions()))
    assert archived == [str(agents.sessions() / name) for name in (names[0], names[-1])]
    for name in (names[0], names[-1]):
        parsed = ARCHIVE.fullmatch(name)
        assert parsed is not None
        at = datetime.fromisoformat(f"{parsed[2]}{parsed[3]}:{parsed[4]}:{parsed[5]}")
        assert before <= at.astimezone(UTC).timestamp() * 1000 + 1 <= time.time() * 1000 + 1
    assert (agents.sessions() / names[-1]).read_bytes() == text
    assert names[1] == "sessions.json"
    assert len(names) == 3


async def test_an_unknown_session_is_created(tmp_path: Path):
    agents = Agents(tmp_path / "state")
    async with agents.daemon() as client:
        found = await client.request("gateway/reset", {"key": "main"})
    assert found["key"] == "agent:main:main"
    assert agents.stored("agent:main:main") == found["entry"]


async def test_a_session_under_an_old_key_is_moved_and_its_aliases_go(tmp_path: Path):
    agents = Agents(tmp_path / "state")
    agents.lay(
        {
            "MAIN": {"sessionId": "a", "label": "first"},
            "main": {"sessionId": "b", "label": "second"},
            "other": {"sessionId": "c"},
        }
    )
    async with agents.daemon() as client:
        found = await client.request("gateway/reset", {"key": "main"})
    assert found["entry"]["label"] == "second"
    assert set(json.loads(agents.store().read_text())) == {"agent:main:main", "other"}


async def test_an_archive_never_replaces_another_file(tmp_path: Path):
    agents = Agents(tmp_path / "state")
    agents.lay({KEY: {"sessionId": "a"}})
    async with agents.daemon() as client:
        for text in (b"one", b"two", b"three"):
            name = f"{agents.stored(KEY)['sessionId']}.jsonl"
            agents.transcript(name, text)
            await client.request("gateway/reset", {"key": "x"})
    archived = [path for path in agents.sessions().iterdir() if ".reset." in path.name]
    assert sorted(path.read_bytes() for path in archived) == [b"one", b"three", b"two"]


ACTIVE = "Session agent:main:x is still active; try again in a moment."


@pytest.mark.parametrize("method", ["gateway/reset", "gateway/delete"])
async def test_a_session_that_is_open_for_writing_is_still_active(tmp_path: Path, method: str):
    agents = Agents(tmp_path / "state")
    agents.lay({KEY: {"sessionId": "s", "updatedAt": 1}})
    path = agents.transcript("s.jsonl", HEADER, message("a", None, "user"))
    text = agents.store().read_bytes()
    async with agents.daemon() as client:
        opened = await client.request("session/open", {"path": str(path)})
        with pytest.raises(RpcError) as caught:
            await client.request(method, {"key": "x"})
        assert caught.value.message == ACTIVE
        expected = {"kind": "InUse", "retryable": True, "path": str(path), "pids": [os.getpid()]}
        assert caught.value.data == expected
        assert agents.store().read_bytes() == text
        assert path.exists()
        await client.request("session/close", {"session": opened["session"]})
        await client.request("session/open", {"path": str(path), "readOnly": True})
        await client.request(method, {"key": "x"})
    assert not path.exists()


@pytest.mark.parametrize("method", ["gateway/reset", "gateway/delete"])
async def test_force_does_not_mind_who_has_it_open(tmp_path: Path, method: str):
    agents = Agents(tmp_path / "state")
    agents.lay({KEY: {"sessionId": "s", "updatedAt": 1}})
    path = agents.transcript("s.jsonl", HEADER, message("a", None, "user"))
    async with agents.daemon() as client:
        await client.request("session/open", {"path": str(path)})
        await client.request(method, {"key": "x", "force": True})
        told = await client.notification("session/didChange")
        assert told["kind"] == "deleted"
    assert not path.exists()


@pytest.mark.parametrize("method", ["gateway/reset", "gateway/delete"])
async def test_a_gateway_that_holds_the_transcripts_lock_is_running_a_turn(
    tmp_path: Path, method: str
):
    agents = Agents(tmp_path / "state")
    agents.lay({KEY: {"sessionId": "s", "updatedAt": 1}})
    path = agents.transcript("s.jsonl", HEADER)
    lock = agents.sessions() / "s.jsonl.lock"
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    lock.write_text(json.dumps({"pid": os.getppid(), "createdAt": now}))
    async with agents.daemon() as client:
        with pytest.raises(RpcError) as caught:
            await client.request(method, {"key": "x"})
        assert (caught.value.message, caught.value.data["pids"]) == (ACTIVE, [os.getppid()])
        lock.write_text(json.dumps({"pid": os.getppid(), "createdAt": "2020-01-01T00:00:00.000Z"}))
        await client.request(method, {"key": "x"})
    assert not path.exists()


@pytest.mark.parametrize("method", ["gateway/reset", "gateway/delete"])
async def test_transcripts_outside_stay_where_they_are(tmp_path: Path, method: str):
    agents = Agents(tmp_path / "state")
    elsewhere = Agents(tmp_path / "other").transcript("s.jsonl", HEADER)
    outside = tmp_path / "s.jsonl"
    outside.write_bytes(b"x")
    agents.lay(
        {
            KEY: {"sessionId": "s", "sessionFile": str(elsewhere)},
            "agent:main:y": {"sessionId": "t", "sessionFile": str(outside)},
        }
    )
    async with agents.daemon(roots=[str(agents.state)]) as client:
        found = await client.request(method, {"key": "x"})
        assert [(one["kind"], one["path"]) for one in found["problems"]] == [
            ("archiveFailed", str(elsewhere))
        ]
        assert "problems" not in await client.request(method, {"key": "y"})
    assert elsewhere.exists()
    assert outside.exists()


async def test_a_transcript_that_cannot_be_archived_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def refuse(path: str, *_: object) -> str:
        raise WriteFailed(path, PermissionError(13, "Permission denied"))

    monkeypatch.setattr(change, "archive", refuse)
    agents = Agents(tmp_path / "state")
    agents.lay({KEY: {"sessionId": "s"}})
    path = agents.transcript("s.jsonl", HEADER)
    async with agents.daemon() as client:
        found = await client.request("gateway/reset", {"key": "x"})
    kinds = [(one["kind"], one["sessionKey"], one["path"]) for one in found["problems"]]
    assert ("archiveFailed", KEY, str(path)) in kinds
    assert agents.stored(KEY) == found["entry"]


def test_a_reset_keeps_the_channel_of_replies_under_its_old_name():
    old = StoreEntry.of({"lastProvider": "telegram", "lastTo": "+1", "provider": "x", "room": "#r"})
    new = json.loads(started_over(old, "new", NOW).text)
    assert new["deliveryContext"] == {"channel": "telegram", "to": "+1"}
    assert not {"lastProvider", "provider", "channel", "room", "groupChannel"} & {*new}
