"""Beginning with an inbound message over the wire: CoderClaw's scenarios."""

from __future__ import annotations

import json
import os
import re
import time
from pathlib import Path
from typing import Any

import pytest
from beginnings import (
    EXPIRED,
    FRESH,
    FUTURE,
    KEY,
    STAMP,
    UUID4,
    at_custom_store,
    begin,
    header,
    names,
    tree,
)
from support.agents import HEADER, Agents, line
from support.app import daemon
from support.client import RpcError


@pytest.fixture
def agents(tmp_path: Path) -> Agents:
    return Agents(tmp_path / "state")


@pytest.mark.parametrize(
    ("body", "params", "stripped"),
    [
        ("hello", {}, None),
        ("  /NEW  Hello World", {}, "Hello World"),
        ("/new\nhello", {}, "hello"),
        (" /reset do it", {}, "do it"),
        ("/new", {}, ""),
        ("/newx", {}, None),
        ("/new", {"authorized": False}, None),
        ("/new", {"authorized": None}, ""),
        ("/reset", {"config": {"session": {"resetTriggers": []}}}, ""),
        ("/reset", {"config": {"session": {"resetTriggers": ["!r"]}}}, None),
        ("!R x", {"config": {"session": {"resetTriggers": ["!r"]}}}, "x"),
        ("/new", {"config": {"session": {"resetTriggers": [""]}}}, None),
        (" x ", {"config": {"session": {"resetTriggers": [" x "]}}}, None),
        (
            "new topic: please look at this",
            {"config": {"session": {"resetTriggers": ["new"]}}},
            "topic: please look at this",
        ),
    ],
)
async def test_a_fresh_session_continues_unless_a_trigger_starts_it_over(
    agents: Agents, body: str, params: Any, stripped: str | None
):
    store = at_custom_store(agents, {KEY: FRESH})
    beside = store.with_name("old1.jsonl")
    beside.write_bytes(line({**HEADER, "id": "old1"}))
    began = int(time.time() * 1000)
    found = await begin(agents, {"Body": body}, storePath=str(store), **params)
    triggered = stripped is not None
    assert found["sessionKey"] == KEY
    assert (found["isNewSession"], found["resetTriggered"]) == (triggered, triggered)
    assert found.get("bodyStripped") == stripped
    assert (found["sessionId"] == "old1") is not triggered
    assert found["storePath"] == str(store)
    assert found.get("previousEntry") == (FRESH if triggered else None)
    stored = json.loads(store.read_text())[KEY]
    assert found["entry"] == stored
    assert stored["sessionId"] == found["sessionId"]
    assert began <= stored["updatedAt"] <= time.time() * 1000
    # What is beside the store goes on there; new transcripts are in the agent's directory.
    expected = agents.sessions() / f"{found['sessionId']}.jsonl" if triggered else beside
    assert stored["sessionFile"] == found["sessionFile"] == str(expected)
    assert header(expected)["id"] == found["sessionId"]
    if triggered:
        assert UUID4.fullmatch(found["sessionId"])
        (archived,) = found["archived"]
        assert re.fullmatch(re.escape(f"{beside}.reset.") + STAMP, archived)
        assert names(store.parent) == [Path(archived).name, "store.json"]
    else:
        assert found["archived"] == []
        assert names(store.parent) == ["old1.jsonl", "store.json"]


@pytest.mark.parametrize("stored", [{}, {KEY: None}, None])
async def test_a_session_begins_without_an_entry(agents: Agents, stored: Any):
    if stored is not None:
        agents.lay(stored)
    found = await begin(agents, {"Body": "hello"})
    assert (found["isNewSession"], found["resetTriggered"]) == (True, False)
    assert UUID4.fullmatch(found["sessionId"])
    path = agents.sessions() / f"{found['sessionId']}.jsonl"
    assert found["sessionFile"] == str(path)
    assert (
        found["entry"]
        == agents.stored(KEY)
        == {
            "sessionId": found["sessionId"],
            "updatedAt": found["entry"]["updatedAt"],
            "systemSent": False,
            "abortedLastRun": False,
            "chatType": "direct",
            "sessionFile": str(path),
            "compactionCount": 0,
        }
    )
    assert not {"previousEntry", "problems", "configProblems", "forkedFrom"} & found.keys()
    assert (found["resetType"], found["policy"]) == ("direct", {"mode": "daily", "atHour": 4})
    assert found["freshness"].keys() == {"fresh", "dailyResetAt"}
    assert not found["freshness"]["fresh"]
    assert path.stat().st_mode & 0o777 == 0o600
    written = header(path)
    assert list(written) == ["type", "version", "id", "timestamp", "cwd"]
    assert (written["type"], written["version"]) == ("session", 3)
    assert (written["id"], written["cwd"]) == (found["sessionId"], os.getcwd())


@pytest.mark.parametrize(
    ("thread", "suffix", "last"),
    [
        # No thread to reply to, but one to come from; and that comes back.
        (0, "0", 0),
        (45, "45", 45),
        ("45", "45", "45"),
        (7.9, "7.9", 7),
        (-1, "-1", -1),
        ("", "", None),
        ("a/b +c", "a%2Fb%20%2Bc", "a/b +c"),
        ("../x", "..%2Fx", "../x"),
        ("\0", "%00", "\0"),
        ("日", "%E6%97%A5", "日"),
    ],
)
async def test_a_topic_is_in_the_name_of_a_new_transcript(
    agents: Agents, thread: Any, suffix: str, last: Any
):
    found = await begin(agents, {"MessageThreadId": thread})
    name = f"{found['sessionId']}-topic-{suffix}.jsonl"
    assert found["sessionFile"] == str(agents.sessions() / name)
    assert names(agents.sessions()) == [name]
    assert found["resetType"] == "thread"
    assert found["entry"].get("lastThreadId") == last
    async with agents.daemon() as client:
        again = await client.request("gateway/begin", {"context": {"MessageThreadId": thread}})
    assert again["sessionFile"] == found["sessionFile"]


async def test_a_topic_id_with_a_lone_surrogate_is_refused(agents: Agents):
    agents.lay({"other": FRESH})
    before = tree(agents.state)
    with pytest.raises(RpcError) as caught:
        await begin(agents, {"MessageThreadId": "\ud800"}, dryRun=True)
    assert caught.value.data == {"kind": "GatewayRejected", "retryable": False, "rule": "topicId"}
    assert tree(agents.state) == before


async def test_an_expired_session_leaves_its_transcript_where_it_is(agents: Agents):
    agents.lay({KEY: EXPIRED})
    old = agents.transcript("old1.jsonl", {**HEADER, "id": "old1"})
    found = await begin(agents, {"Body": "hello"})
    assert (found["isNewSession"], found["resetTriggered"], found["archived"]) == (True, False, [])
    assert found["previousEntry"] == EXPIRED
    assert not found["freshness"]["fresh"]
    assert names(agents.sessions()) == sorted([old.name, f"{found['sessionId']}.jsonl"])


@pytest.mark.parametrize("updated", [{}, {"updatedAt": FUTURE}])
async def test_an_entry_with_no_time_or_a_future_time_continues(agents: Agents, updated: Any):
    agents.lay({KEY: {"sessionId": "old1", **updated}})
    found = await begin(agents, {"Body": "hello"})
    assert (found["sessionId"], found["freshness"]["fresh"]) == ("old1", True)


async def test_null_for_a_time_is_long_ago(agents: Agents):
    agents.lay({KEY: {"sessionId": "old1", "updatedAt": None}})
    assert (await begin(agents))["isNewSession"]


@pytest.mark.parametrize(("entry", "body"), [(FRESH, "hello"), (FRESH, "/new"), (EXPIRED, "hello")])
async def test_the_thread_of_the_origin_is_restored_with_every_save(
    agents: Agents, entry: Any, body: str
):
    more = {"origin": {"threadId": 7}, "deliveryContext": {"threadId": 8}}
    agents.lay({KEY: {**entry, **more}})
    found = await begin(agents, {"Body": body})
    stored = agents.stored(KEY)
    assert stored == found["entry"]
    assert (stored["lastThreadId"], stored["deliveryContext"]) == (7, {"threadId": 7})


async def test_a_command_of_the_channel_may_be_for_another_session(agents: Agents):
    context = {
        "SessionKey": "agent:main:slash",
        "CommandTargetSessionKey": " Agent:Main:X ",
        "Body": "x",
    }
    found = await begin(agents, {**context, "CommandSource": "native"})
    assert found["sessionKey"] == "agent:main:x"
    found = await begin(agents, {**context, "CommandSource": "text"})
    assert found["sessionKey"] == "agent:main:slash"
    found = await begin(
        agents, {**context, "CommandSource": "native", "CommandTargetSessionKey": " "}
    )
    assert found["sessionKey"] == "agent:main:slash"


@pytest.mark.parametrize(
    ("bodies", "stripped"),
    [
        ({"BodyForCommands": "/new a", "CommandBody": "x", "Body": "x"}, "a"),
        ({"BodyForCommands": "", "CommandBody": "/new a"}, None),
        ({"BodyForCommands": None, "CommandBody": "/new b", "RawBody": "x"}, "b"),
        ({"RawBody": "/new c", "Body": "x"}, "c"),
        ({"Body": "/new d"}, "d"),
        ({}, None),
    ],
)
async def test_commands_are_read_from_the_first_body_that_is_present(
    agents: Agents, bodies: Any, stripped: str | None
):
    agents.lay({KEY: FRESH})
    assert (await begin(agents, bodies, dryRun=True)).get("bodyStripped") == stripped


async def test_a_trigger_archives_every_file_the_session_may_have(tmp_path: Path):
    agents = Agents(tmp_path / ".coderclaw")
    other = Agents(tmp_path / "elsewhere")
    topic = other.transcript("t.jsonl", b"topic")
    store = tmp_path / "custom" / "store.json"
    store.parent.mkdir()
    store.write_text(json.dumps({KEY: {**FRESH, "sessionFile": str(topic)}}))
    own = agents.transcript("old1.jsonl", b"own")
    beside = store.with_name("old1.jsonl")
    beside.write_bytes(b"beside")
    unrelated = [agents.transcript("old1-topic-7.jsonl", b"x"), agents.transcript("old2.jsonl")]
    async with daemon(tmp_path, profile="coderclaw") as client:
        params = {"context": {"Body": "/reset"}, "storePath": str(store)}
        planned = await client.request("gateway/begin", {**params, "dryRun": True})
        found = await client.request("gateway/begin", params)
    olds = [topic, beside, own]
    assert (planned["resetTriggered"], planned["archived"]) == (True, [])
    for old, archived, content in zip(
        olds, found["archived"], [b"topic", b"beside", b"own"], strict=True
    ):
        assert re.fullmatch(re.escape(f"{old}.reset.") + STAMP, archived)
        assert not old.exists()
        assert Path(archived).read_bytes() == content
    assert all(path.exists() for path in unrelated)


@pytest.mark.parametrize(
    "named", ["sessions.json", "../main/sessions/sessions.json", "sessions.json.lock", "../x.jsonl"]
)
async def test_a_trigger_archives_no_store_and_nothing_outside(agents: Agents, named: str):
    agents.lay({KEY: {**FRESH, "sessionFile": named}})
    outside = agents.sessions().parent / "x.jsonl"
    outside.write_bytes(b"outside")
    old = agents.transcript("old1.jsonl", b"old")
    found = await begin(agents, {"Body": "/new"})
    (archived,) = found["archived"]
    assert archived.startswith(f"{old}.reset.")
    assert outside.read_bytes() == b"outside"
    assert agents.stored(KEY) == found["entry"]


async def test_handles_of_the_old_session_are_notified_of_its_removal(agents: Agents):
    agents.lay({KEY: FRESH})
    old = agents.transcript("old1.jsonl", {**HEADER, "id": "old1"})
    async with agents.daemon() as client:
        await client.request("session/open", {"path": str(old)})
        found = await client.request("gateway/begin", {"context": {"Body": "/new"}})
        assert len(found["archived"]) == 1
        assert (await client.notification("session/didChange"))["kind"] == "deleted"


async def test_a_trigger_does_not_archive_the_store_of_another_agent(agents: Agents):
    agents.lay({"agent:ops:main": FRESH}, agent="ops")
    agents.lay({KEY: {**FRESH, "sessionFile": str(agents.store("ops"))}})
    assert (await begin(agents, {"Body": "/new"}))["archived"] == []
    assert agents.stored("agent:ops:main", agent="ops") == FRESH


async def test_new_and_archived_transcripts_are_reported_without_watching(agents: Agents):
    agents.lay({KEY: FRESH})
    old = agents.transcript("old1.jsonl", {**HEADER, "id": "old1"})
    async with agents.daemon(watch="off") as client:
        scope = {"sessionDir": str(agents.sessions())}
        first = await client.request("catalog/subscribe", scope)
        assert [session["path"] for session in first["sessions"]] == [str(old)]
        found = await client.request("gateway/begin", {"context": {"Body": "/new"}})
        told: set[str] = set()
        while len(told) < 2:
            changes = (await client.notification("catalog/didChange"))["changes"]
            told |= {f"{each['kind']} {each['path']}" for each in changes}
    assert told == {f"added {found['sessionFile']}", f"removed {old}"}


async def test_a_transcript_outside_the_roots_is_reported_and_stays(agents: Agents, tmp_path: Path):
    elsewhere = Agents(tmp_path / "elsewhere").transcript("o.jsonl", b"x")
    agents.lay({KEY: {**FRESH, "sessionFile": str(elsewhere)}})
    old = agents.transcript("old1.jsonl", b"old")
    options = {"roots": [str(agents.state)]}
    found = await begin(agents, {"Body": "/new"}, options)
    assert [path.partition(".reset.")[0] for path in found["archived"]] == [str(old)]
    (problem,) = found["problems"]
    assert (problem["kind"], problem["path"]) == ("archiveFailed", str(elsewhere))
    assert problem["sessionKey"] == KEY
    assert elsewhere.exists()


async def test_a_route_under_its_old_name_does_not_come_back_after_a_reset(agents: Agents):
    old = {"provider": "telegram", "lastProvider": "telegram", "lastTo": "+1", "room": "#r"}
    agents.lay({KEY: {**FRESH, **old}})
    await begin(agents, {"Body": "/new"})
    found = await begin(agents, {"Body": "hello"})
    assert not {*old, "channel", "lastChannel", "groupChannel", "deliveryContext"} & {
        *found["entry"]
    }
