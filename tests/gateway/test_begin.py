"""Beginning with an inbound message over the wire: CoderClaw's scenarios, and what differs."""

from __future__ import annotations

import asyncio
import json
import os
import re
import time
from pathlib import Path
from typing import Any

import pytest
from support.agents import HEADER, Agents, line, message
from support.app import daemon
from support.client import RpcError

from sessiond.errors import WriteFailed
from sessiond.gateway.store import store as store_module

KEY = "agent:main:main"
FUTURE = 9_000_000_000_000
"""What was active then is fresh, whatever the time."""
FRESH = {"sessionId": "old1", "updatedAt": FUTURE}
EXPIRED = {"sessionId": "old1", "updatedAt": 1}
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
STAMP = r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z"


@pytest.fixture
def agents(tmp_path: Path) -> Agents:
    return Agents(tmp_path / "state")


async def begin(agents: Agents, context: Any = None, options: Any = None, **params: Any) -> Any:
    async with agents.daemon(**(options or {})) as client:
        return await client.request("gateway/begin", {"context": context or {}, **params})


def tree(path: Path) -> dict[str, Any]:
    """Everything below a directory: contents of files, times and modes of all."""
    found: dict[str, Any] = {}
    for each in sorted([path, *path.rglob("*")]):
        seen = each.stat()
        content = each.read_bytes() if each.is_file() else None
        found[str(each)] = (content, seen.st_mtime_ns, seen.st_mode, seen.st_ino)
    return found


def names(path: Path) -> list[str]:
    return sorted(name for name in os.listdir(path) if name != "sessions.json")


def header(path: str | Path) -> Any:
    return json.loads(Path(path).read_bytes().splitlines()[0])


def at_custom_store(agents: Agents, entries: Any) -> Path:
    """One store for all agents, apart from their directories."""
    store = agents.state.parent / "custom" / "store.json"
    store.parent.mkdir()
    if entries is not None:
        store.write_text(json.dumps(entries))
    return store


# CoderClaw's scenarios


@pytest.mark.parametrize(
    ("body", "params", "stripped"),
    [
        ("hello", {}, None),
        ("  /NEW  Hello World", {}, "Hello World"),
        ("/new\nhello", {}, "hello"),
        ("[Dec 4 17:35] /reset do it", {}, "do it"),
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
async def test_a_fresh_session_goes_on_unless_a_trigger_starts_it_over(
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
    # Though the transcript lies beside the store.
    expected = agents.sessions() / f"{found['sessionId']}.jsonl"
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
async def test_where_there_is_no_entry_a_session_begins(agents: Agents, stored: Any):
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


async def test_a_topic_of_half_a_character_has_no_name(agents: Agents):
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
async def test_an_entry_of_no_time_or_one_to_come_goes_on(agents: Agents, updated: Any):
    agents.lay({KEY: {"sessionId": "old1", **updated}})
    found = await begin(agents, {"Body": "hello"})
    assert (found["sessionId"], found["freshness"]["fresh"]) == ("old1", True)


async def test_null_for_a_time_is_long_ago(agents: Agents):
    agents.lay({KEY: {"sessionId": "old1", "updatedAt": None}})
    assert (await begin(agents))["isNewSession"]


@pytest.mark.parametrize(("entry", "body"), [(FRESH, "hello"), (FRESH, "/new"), (EXPIRED, "hello")])
async def test_the_thread_of_the_origin_comes_back_with_every_save(
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
async def test_commands_are_looked_for_in_the_first_text_there_is(
    agents: Agents, bodies: Any, stripped: str | None
):
    agents.lay({KEY: FRESH})
    assert (await begin(agents, bodies, dryRun=True)).get("bodyStripped") == stripped


# Archives


async def test_a_trigger_archives_every_file_the_session_may_have(tmp_path: Path):
    agents = Agents(tmp_path / ".coderclaw")
    other = Agents(tmp_path / "elsewhere")
    topic = other.transcript("t.jsonl", b"topic")
    store = tmp_path / "custom" / "store.json"
    store.parent.mkdir()
    store.write_text(json.dumps({KEY: {**FRESH, "sessionFile": str(topic)}}))
    own = agents.transcript("old1.jsonl", b"own")
    legacy = tmp_path / ".coderclaw" / "sessions" / "old1.jsonl"
    legacy.parent.mkdir()
    legacy.write_bytes(b"of old")
    beside = store.with_name("old1.jsonl")
    beside.write_bytes(b"beside")
    unrelated = [agents.transcript("old1-topic-7.jsonl", b"x"), agents.transcript("old2.jsonl")]
    async with daemon(tmp_path, profile="coderclaw") as client:
        params = {"context": {"Body": "/reset"}, "storePath": str(store)}
        planned = await client.request("gateway/begin", {**params, "dryRun": True, "now": 0})
        found = await client.request("gateway/begin", params)
    olds = [topic, beside, own, legacy]
    assert planned["archived"] == [f"{old}.reset.1970-01-01T00-00-00.000Z" for old in olds]
    for old, archived, content in zip(
        olds, found["archived"], [b"topic", b"beside", b"own", b"of old"], strict=True
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


async def test_who_has_the_old_session_open_sees_it_go(agents: Agents):
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


async def test_new_and_archived_transcripts_are_told_even_without_watching(agents: Agents):
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


async def test_what_lies_outside_the_roots_is_told_and_stays(agents: Agents, tmp_path: Path):
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


# Threads


CHILD = "agent:main:discord:channel:c1:thread:5"
TALK = [message("u1", None, "user"), message("a1", "u1", "assistant"), message("u2", "a1", "user")]


async def fork(agents: Agents, parent: str = KEY, **params: Any) -> Any:
    context = {"SessionKey": CHILD, "ParentSessionKey": parent}
    return await begin(agents, context, **params)


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("named", [None, "p.jsonl"])
async def test_a_thread_takes_along_what_its_parent_said(
    agents: Agents, count: int, named: str | None
):
    agents.lay({KEY: {**FRESH, **({"sessionFile": named} if named else {})}})
    parent = agents.transcript(named or "old1.jsonl", HEADER, *TALK[:count])
    before = tree(parent)
    found = await fork(agents, f"  {KEY} ", cwd="/nowhere")
    path = Path(found["sessionFile"])
    stamp = r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z"
    assert re.fullmatch(f"{stamp}_{found['sessionId']}.jsonl", path.name)
    assert UUID.fullmatch(found["sessionId"])
    assert path.parent == parent.parent
    lines = [json.loads(text) for text in path.read_bytes().splitlines()]
    assert lines[1:] == TALK[:count]
    assert list(lines[0]) == ["type", "version", "id", "timestamp", "cwd", "parentSession"]
    assert (lines[0]["version"], lines[0]["id"]) == (3, found["sessionId"])
    assert (lines[0]["cwd"], lines[0]["parentSession"]) == ("/w", str(parent))
    assert re.sub("[:.]", "-", lines[0]["timestamp"]) == path.name.partition("_")[0]
    assert found["forkedFrom"] == str(parent)
    assert (found["isNewSession"], found["resetType"]) == (True, "thread")
    stored = agents.stored(CHILD)
    assert (stored["sessionId"], stored["sessionFile"]) == (found["sessionId"], str(path))
    assert tree(parent) == before
    assert agents.stored(KEY)["sessionId"] == "old1"
    again = await fork(agents)
    assert (again["sessionFile"], again["isNewSession"]) == (str(path), False)
    assert "forkedFrom" not in again


async def test_a_thread_takes_along_only_the_branch_with_the_last_entry(agents: Agents):
    agents.lay({KEY: FRESH})
    last = message("b1", "u1", "assistant")
    agents.transcript("old1.jsonl", HEADER, *TALK, last)
    lines = Path((await fork(agents))["sessionFile"]).read_bytes().splitlines()
    assert [json.loads(text) for text in lines[1:]] == [TALK[0], last]


@pytest.mark.parametrize("content", [b"", line(HEADER)], ids=["empty", "only a header"])
async def test_of_a_parent_who_said_nothing_a_thread_has_a_header(agents: Agents, content: bytes):
    agents.lay({KEY: FRESH})
    parent = agents.transcript("old1.jsonl", content)
    before = tree(parent)
    found = await fork(agents, cwd="/given")
    (only,) = Path(found["sessionFile"]).read_bytes().splitlines()
    assert json.loads(only)["parentSession"] == found["forkedFrom"] == str(parent)
    assert json.loads(only)["cwd"] == ("/w" if content else "/given")
    assert tree(parent) == before


async def test_a_parent_of_an_older_version_stays_as_it_is(agents: Agents):
    agents.lay({KEY: FRESH})
    old = {name: value for name, value in HEADER.items() if name != "version"}
    said = {"type": "message", "timestamp": HEADER["timestamp"], "message": {"role": "user"}}
    said["message"] |= {"content": "hi"}
    parent = agents.transcript("old1.jsonl", old, said)
    before = tree(parent)
    lines = Path((await fork(agents))["sessionFile"]).read_bytes().splitlines()
    assert [json.loads(text)["version"] for text in lines[:1]] == [3]
    assert json.loads(lines[1])["message"] == said["message"]
    assert re.fullmatch("[0-9a-f]{8}", json.loads(lines[1])["id"])
    assert tree(parent) == before


@pytest.mark.parametrize(
    ("entry", "content", "kind"),
    [
        (FRESH, b"garbage\n", "InvalidSessionFile"),
        (FRESH, b'{"type":"message","id":"a"}\n', "InvalidSessionFile"),
        (FRESH, b"\0\xff\n" * 1000, "InvalidSessionFile"),
        ({**FRESH, "sessionFile": "sessions.json"}, b"", "InvalidSessionFile"),
        ({**FRESH, "sessionFile": "../x.jsonl"}, b"", "GatewayRejected"),
        ({**FRESH, "sessionFile": "a/../../x.jsonl"}, b"", "GatewayRejected"),
        ({**FRESH, "sessionFile": "/etc/passwd"}, b"", "GatewayRejected"),
        ({**FRESH, "sessionFile": "."}, b"", "GatewayRejected"),
        ({**FRESH, "sessionId": "../x"}, b"", "GatewayRejected"),
        ({"updatedAt": 1}, b"", "GatewayRejected"),
    ],
)
@pytest.mark.parametrize("dry", [False, True])
async def test_a_parent_of_no_use_is_refused_and_nothing_is_touched(
    agents: Agents, entry: Any, content: bytes, kind: str, dry: bool
):
    agents.lay({KEY: entry, CHILD: EXPIRED})
    agents.transcript("old1.jsonl", content)
    (agents.sessions().parent / "x.jsonl").write_bytes(line(HEADER))
    before = tree(agents.sessions())
    with pytest.raises(RpcError) as caught:
        await fork(agents, dryRun=dry)
    assert caught.value.kind == kind
    assert files_of(tree(agents.sessions())) == files_of(before)


def files_of(found: dict[str, Any]) -> dict[str, Any]:
    """Without directories, whose time a lock changes."""
    return {path: seen for path, seen in found.items() if seen[0] is not None}


@pytest.mark.parametrize(
    ("stored", "parent"),
    [
        ({KEY: FRESH}, KEY),
        ({}, KEY),
        ({KEY: None}, KEY),
        ({KEY: "odd"}, KEY),
        ({KEY: FRESH}, CHILD),
        ({KEY: FRESH, CHILD: EXPIRED}, CHILD),
        ({KEY: FRESH}, "agent:main:other"),
        ({KEY: {**FRESH, "sessionFile": "\ud800.jsonl"}}, KEY),
        ({KEY: {**FRESH, "sessionFile": "/o/agents/q/sessions/none.jsonl"}}, KEY),
    ],
)
async def test_without_a_parents_transcript_a_thread_is_an_ordinary_session(
    agents: Agents, stored: Any, parent: str
):
    agents.lay(stored)
    found = await fork(agents, parent)
    assert "forkedFrom" not in found
    assert UUID4.fullmatch(found["sessionId"])
    assert found["sessionFile"] == str(agents.sessions() / f"{found['sessionId']}.jsonl")
    assert "parentSession" not in header(found["sessionFile"])


async def test_a_session_is_never_its_own_parent(agents: Agents):
    agents.lay({CHILD: EXPIRED})
    agents.transcript("old1.jsonl", HEADER, *TALK)
    found = await fork(agents, CHILD)
    assert (found["isNewSession"], "forkedFrom" in found) == (True, False)


async def test_a_parent_outside_the_roots_is_not_read_by_a_link_either(
    agents: Agents, tmp_path: Path
):
    agents.lay({KEY: FRESH})
    outside = Agents(tmp_path / "elsewhere").transcript("o.jsonl", HEADER, *TALK)
    (agents.sessions() / "old1.jsonl").symlink_to(outside)
    context = {"SessionKey": CHILD, "ParentSessionKey": KEY}
    with pytest.raises(RpcError) as caught:
        await begin(agents, context, {"roots": [str(agents.state)]})
    assert caught.value.kind == "PathNotAllowed"
    assert list(json.loads(agents.store().read_text())) == [KEY]


async def test_a_thread_that_has_a_session_does_not_fork(agents: Agents):
    agents.lay({KEY: FRESH, CHILD: {**FRESH, "sessionId": "child"}})
    agents.transcript("old1.jsonl", HEADER, *TALK)
    found = await fork(agents)
    assert (found["sessionId"], found["isNewSession"]) == ("child", False)
    assert "forkedFrom" not in found


async def test_a_thread_started_over_forks_anew_and_its_parent_stays(agents: Agents):
    agents.lay({KEY: FRESH, CHILD: {**FRESH, "sessionId": "child"}})
    parent = agents.transcript("old1.jsonl", HEADER, *TALK)
    child = agents.transcript("child.jsonl", {**HEADER, "id": "child"})
    found = await begin(
        agents, {"SessionKey": CHILD, "ParentSessionKey": KEY, "Body": "/new", "MessageThreadId": 5}
    )
    assert found["forkedFrom"] == str(parent)
    assert "-topic-" not in found["sessionFile"]
    assert [path.partition(".reset.")[0] for path in found["archived"]] == [str(child)]
    assert parent.exists()


# Where we differ


async def test_a_path_that_leads_out_on_a_detour_starts_the_session_over(agents: Agents):
    agents.lay({KEY: {**FRESH, "sessionFile": "a/../../x.jsonl"}})
    outside = agents.sessions().parent / "x.jsonl"
    outside.write_bytes(line(HEADER))
    found = await begin(agents)
    (problem,) = found["problems"]
    assert (problem["kind"], problem["sessionKey"]) == ("invalidSessionFile", KEY)
    assert found["isNewSession"]
    assert found["freshness"]["fresh"]
    assert found["previousEntry"]["sessionId"] == "old1"
    assert outside.read_bytes() == line(HEADER)


async def test_a_name_that_begins_with_two_dots_is_a_name(agents: Agents):
    agents.lay({KEY: {**FRESH, "sessionFile": "..x.jsonl"}})
    path = agents.transcript("..x.jsonl", {**HEADER, "id": "old1"})
    found = await begin(agents)
    assert (found["sessionFile"], found["isNewSession"]) == (str(path), False)
    assert agents.stored(KEY)["sessionFile"] == "..x.jsonl"


async def test_a_note_of_the_route_does_not_keep_a_session_fresh(agents: Agents):
    agents.lay({KEY: EXPIRED})
    context = {"From": "+1", "Body": "hello", "OriginatingChannel": "whatsapp"}
    async with agents.daemon() as client:
        noted = {"sessionKey": KEY, "channel": "whatsapp", "to": "+1", "context": context}
        await client.request("gateway/recordRoute", noted)
        found = await client.request("gateway/begin", {"context": context})
    assert found["isNewSession"]
    assert found["previousEntry"]["updatedAt"] == 1
    assert found["previousEntry"]["lastTo"] == "+1"


@pytest.mark.parametrize(
    ("members", "kind"),
    [
        ({"sessionId": ""}, "invalidSessionId"),
        ({"sessionId": "../../../etc/x"}, "invalidSessionId"),
        ({"sessionId": "a/b"}, "invalidSessionId"),
        ({"sessionId": "\0"}, "invalidSessionId"),
        ({"sessionId": None}, "invalidSessionId"),
        ({"sessionId": {"a": 1}, "sessionFile": "x.jsonl"}, "invalidSessionId"),
        ({"sessionId": "x", "sessionFile": "../../x.jsonl"}, "invalidSessionFile"),
        ({"sessionId": "x", "sessionFile": "\0"}, "invalidSessionFile"),
        ({"sessionId": "x", "sessionFile": "\ud800.jsonl"}, "invalidSessionFile"),
        ({"sessionId": "x", "sessionFile": "sessions.json"}, "invalidSessionFile"),
    ],
)
@pytest.mark.parametrize("roots", [False, True])
async def test_an_entry_that_names_no_session_is_told_and_started_over(
    agents: Agents, members: Any, kind: str, roots: bool
):
    entry = {"updatedAt": FUTURE, "label": "kept", "future": 1, **members}
    agents.lay({KEY: entry})
    options = {"roots": [str(agents.state)]} if roots else {}
    for body in ("hello", "/new"):
        agents.lay({KEY: entry})
        found = await begin(agents, {"Body": body}, options)
        kinds = [problem["kind"] for problem in found.get("problems", [])]
        assert kinds == ([kind] if body == "hello" else [])
        assert found["isNewSession"]
        assert found["previousEntry"] == entry
        assert (found["entry"]["label"], found["entry"]["future"]) == ("kept", 1)
        assert found["sessionFile"] == str(agents.sessions() / f"{found['sessionId']}.jsonl")
    assert names(agents.state.parent) == ["state"]
    assert names(agents.state) == ["agents"]


@pytest.mark.parametrize("odd", ["text", [], [{"sessionId": "x"}], 5, True])
async def test_an_odd_value_under_the_key_is_kept_and_the_message_refused(agents: Agents, odd: Any):
    agents.lay({KEY: odd, "agent:main:x": FRESH})
    before = agents.store().read_bytes()
    with pytest.raises(RpcError) as caught:
        await begin(agents)
    assert (caught.value.kind, caught.value.data["rule"]) == ("GatewayRejected", "sessionKey")
    assert agents.store().read_bytes() == before
    assert names(agents.sessions()) == []


async def test_odd_values_beside_it_are_kept_and_told(agents: Agents):
    odd = {"agent:main:t": "text", "l": [1], "n": None, "constructor": {"sessionId": "c"}}
    agents.lay({**odd, KEY: None})
    found = await begin(agents)
    assert [problem["kind"] for problem in found["problems"]] == ["notAnEntry"] * 4
    assert [problem["sessionKey"] for problem in found["problems"]] == list(odd)
    stored = json.loads(agents.store().read_text())
    assert list(stored) == [*odd, KEY]
    assert {key: stored[key] for key in odd} == odd


@pytest.mark.parametrize("key", ["constructor", "__proto__"])
@pytest.mark.parametrize("dry", [False, True])
async def test_keys_that_every_object_has_are_no_sessions(agents: Agents, key: str, dry: bool):
    with pytest.raises(RpcError) as caught:
        await begin(agents, {"SessionKey": key}, dryRun=dry)
    assert (caught.value.kind, caught.value.data["rule"]) == ("GatewayRejected", "sessionKey")
    assert not agents.store().exists()


@pytest.mark.parametrize(
    "key",
    [
        "agent:main:a\0b",
        "agent:main:\ud800",
        "\udfff:\ud800",
        "agent:main:__proto__",
        "agent:constructor:constructor",
        "tostring",
        "agent:main:" + "k" * 1_000_000,
        "agent:main:\u2028\ufeff\x7f",
        'agent:main:"\\/../../x',
        "agent:../../x:y",
        "agent:main:日本😀",
        "7",
        "agent:",
    ],
    ids=lambda key: ascii(key)[:20],
)
async def test_a_key_may_hold_anything(agents: Agents, key: str):
    found = await begin(agents, {"SessionKey": key, "Body": "hello"})
    assert (found["sessionKey"], found["isNewSession"]) == (key, True)
    store = Path(found["storePath"])
    assert store.is_relative_to(agents.state / "agents")
    assert Path(found["sessionFile"]).parent == store.parent
    assert json.loads(store.read_text()) == {key: found["entry"]}
    again = await begin(agents, {"SessionKey": key, "Body": "hello"})
    assert (again["sessionId"], again["isNewSession"]) == (found["sessionId"], False)
    over = await begin(agents, {"SessionKey": key, "Body": "/new"})
    assert len(over["archived"]) == 1


async def test_a_store_that_is_no_store_is_copied_aside_and_told(agents: Agents):
    agents.transcript("sessions.json", b'{"agent:main:main": {"sessionId"')
    garbage = agents.store().read_bytes()
    planned = await begin(agents, dryRun=True)
    assert [problem["kind"] for problem in planned["problems"]] == ["corruptStore"]
    assert agents.store().read_bytes() == garbage
    found = await begin(agents)
    assert {problem["kind"] for problem in found["problems"]} == {"corruptStore"}
    (kept,) = agents.sessions().glob("sessions.json.corrupt.*")
    assert kept.read_bytes() == garbage
    assert str(kept) in {problem.get("path") for problem in found["problems"]}
    assert json.loads(agents.store().read_text()) == {KEY: found["entry"]}


async def test_values_of_the_configuration_that_do_not_fit_are_told(agents: Agents):
    agents.configure(session={"reset": {"mode": "weekly", "atHour": 6}})
    found = await begin(agents)
    assert found["policy"] == {"mode": "daily", "atHour": 6}
    assert [problem["path"] for problem in found["configProblems"]] == ["session.reset.mode"]
    inline = await begin(agents, config={})
    assert inline["policy"] == {"mode": "daily", "atHour": 4}
    assert "configProblems" not in inline


# Nothing written


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize("laid", ["nothing", "store", "corrupt", "parent"])
@pytest.mark.parametrize("body", ["hello", "/new"])
async def test_a_dry_run_writes_nothing(agents: Agents, laid: str, body: str, read_only: bool):
    agents.state.mkdir()
    if laid != "nothing":
        agents.lay({CHILD: FRESH, KEY: {**FRESH, "sessionId": "p"}, "odd": 1})
        agents.transcript("old1.jsonl", HEADER)
    if laid == "corrupt":
        agents.store().write_bytes(b"{")
    if laid == "parent":
        agents.transcript("p.jsonl", HEADER, *TALK)
    before = tree(agents.state)
    context = {"SessionKey": CHILD, "ParentSessionKey": KEY, "Body": body}
    options = {"read_only": read_only}
    found = await begin(agents, context, options, dryRun=True, now=1_770_000_000_000)
    is_new = body == "/new" or laid in {"nothing", "corrupt"}
    assert (found["isNewSession"], found["resetTriggered"]) == (is_new, body == "/new")
    assert found["entry"]["updatedAt"] == 1_770_000_000_000
    assert bool(found["archived"]) is (body == "/new" and laid in {"store", "parent"})
    assert ("forkedFrom" in found) is (body == "/new" and laid == "parent")
    assert tree(agents.state) == before


async def test_a_dry_run_judges_by_the_time_and_the_zone_given(agents: Agents):
    # 04:00 in Berlin on a day in winter is 03:00 in UTC.
    four = 1_770_260_400_000
    agents.lay({KEY: {"sessionId": "old1", "updatedAt": four - 1}})
    params = {"dryRun": True, "now": four, "timezone": "Europe/Berlin"}
    found = await begin(agents, **params)
    assert found["isNewSession"]
    assert found["freshness"] == {"fresh": False, "dailyResetAt": four}
    assert not (await begin(agents, **{**params, "now": four - 1}))["isNewSession"]
    assert not (await begin(agents, **{**params, "timezone": "UTC"}))["isNewSession"]
    idle = {"session": {"idleMinutes": 1}}
    found = await begin(agents, config=idle, **{**params, "now": four + 59_999})
    assert found["freshness"] == {"fresh": True, "idleExpiresAt": four + 59_999}
    assert found["policy"] == {"mode": "idle", "atHour": 4, "idleMinutes": 1}


@pytest.mark.parametrize(
    ("params", "path"),
    [
        ({"context": {}, "now": 1}, "$.now"),
        ({"context": {}, "now": 0, "dryRun": False}, "$.now"),
        ({"context": {}, "now": 0, "dryRun": None}, "$.now"),
        ({"context": {}, "now": -1, "dryRun": True}, "$.now"),
        ({"context": {}, "now": "1", "dryRun": True}, "$.now"),
        ({"context": {}, "timezone": "Nowhere/Land"}, "$.timezone"),
        ({"context": {}, "storePath": "/a\0b"}, "$.storePath"),
        ({"context": {}, "authorized": 1}, "$.authorized"),
        ({"context": {"MessageThreadId": True}}, "$.context.MessageThreadId"),
        ({"context": {"MessageThreadId": []}}, "$.context.MessageThreadId"),
        ({"context": {"Body": 5}}, "$.context.Body"),
        ({"context": []}, "$.context"),
        ({"context": None}, "$.context"),
        ({}, None),
    ],
)
async def test_params_that_do_not_fit_are_refused(agents: Agents, params: Any, path: str | None):
    agents.state.mkdir()
    async with agents.daemon() as client:
        with pytest.raises(RpcError) as caught:
            await client.request("gateway/begin", params)
    assert caught.value.code == -32602
    if path is not None:
        assert caught.value.data["path"] == path
    assert os.listdir(agents.state) == []


async def test_a_daemon_that_only_reads_refuses(agents: Agents):
    agents.lay({KEY: FRESH})
    before = tree(agents.state)
    with pytest.raises(RpcError) as caught:
        await begin(agents, {"Body": "/new"}, {"read_only": True})
    assert caught.value.kind == "ReadOnly"
    assert tree(agents.state) == before


@pytest.mark.parametrize("where", ["store", "session", "parent"])
@pytest.mark.parametrize("dry", [False, True])
async def test_nothing_outside_the_roots_is_touched(
    agents: Agents, tmp_path: Path, where: str, dry: bool
):
    elsewhere = Agents(tmp_path / "elsewhere")
    path = elsewhere.transcript("o.jsonl", HEADER)
    outside = {**FRESH, "sessionFile": str(path)}
    agents.lay({KEY: outside if where == "parent" else FRESH, CHILD: EXPIRED, "x": outside})
    before = [tree(elsewhere.state), files_of(tree(agents.state))]
    context = {"SessionKey": CHILD if where == "parent" else "x", "ParentSessionKey": KEY}
    more = {"storePath": str(elsewhere.store())} if where == "store" else {}
    with pytest.raises(RpcError) as caught:
        await begin(agents, context, {"roots": [str(agents.state)]}, dryRun=dry, **more)
    assert caught.value.kind == "PathNotAllowed"
    assert [tree(elsewhere.state), files_of(tree(agents.state))] == before


async def test_a_store_that_cannot_be_saved_leaves_no_transcript(
    agents: Agents, monkeypatch: pytest.MonkeyPatch
):
    agents.lay({KEY: EXPIRED})
    before = files_of(tree(agents.state))

    def fails(path: str, *_: Any) -> None:
        raise WriteFailed(path, OSError(28, "No space left on device"))

    monkeypatch.setattr(store_module, "replace", fails)
    with pytest.raises(RpcError) as caught:
        await begin(agents, {"Body": "/new"})
    assert caught.value.kind == "WriteFailed"
    assert files_of(tree(agents.state)) == before


async def test_a_transcript_that_cannot_be_written_leaves_the_store(agents: Agents):
    agents.lay({KEY: EXPIRED})
    before = files_of(tree(agents.state))
    with pytest.raises(RpcError) as caught:
        await begin(agents, {"MessageThreadId": "t" * 300})
    assert caught.value.kind == "WriteFailed"
    assert files_of(tree(agents.state)) == before


# Side by side


@pytest.mark.parametrize("daemons", [1, 2])
async def test_of_two_messages_at_once_the_second_goes_on_with_the_firsts_session(
    agents: Agents, daemons: int
):
    async with agents.daemon() as one, agents.daemon() as other:
        clients = [one, other] if daemons == 2 else [one]
        requests = [
            client.request("gateway/begin", {"context": {"Body": "hello"}})
            for client in clients
            for _ in range(4)
        ]
        found = await asyncio.gather(*requests)
    assert len({each["sessionId"] for each in found}) == 1
    assert sorted(each["isNewSession"] for each in found)[-2:] == [False, True]
    assert names(agents.sessions()) == [f"{found[0]['sessionId']}.jsonl"]


async def test_messages_of_many_sessions_at_once_all_have_their_own(agents: Agents):
    async with agents.daemon() as client:
        contexts = [{"SessionKey": f"agent:main:{number}"} for number in range(20)]
        found = await asyncio.gather(
            *(client.request("gateway/begin", {"context": context}) for context in contexts)
        )
    stored = json.loads(agents.store().read_text())
    assert {key: entry["sessionId"] for key, entry in stored.items()} == {
        each["sessionKey"]: each["sessionId"] for each in found
    }
    assert len(names(agents.sessions())) == 20


# Where things are


async def test_each_agent_has_a_store_and_transcripts_of_its_own(agents: Agents):
    found = await begin(agents, {"SessionKey": "agent:Ops:Main"})
    assert found["storePath"] == str(agents.store("ops"))
    assert Path(found["sessionFile"]).parent == agents.sessions("ops")
    assert list(json.loads(agents.store("ops").read_text())) == ["agent:ops:main"]


async def test_the_default_agent_has_keys_that_name_none(agents: Agents):
    found = await begin(agents, {"SessionKey": "x"}, agentId="Ops")
    assert (found["sessionKey"], found["storePath"]) == ("x", str(agents.store("ops")))


@pytest.mark.parametrize("context", [{}, {"From": "+1"}, {"From": "discord:group:1"}])
async def test_other_methods_find_what_a_message_began(agents: Agents, context: Any):
    agents.configure(agents={"list": [{"id": "ops", "default": True}]})
    async with agents.daemon() as client:
        found = await client.request("gateway/begin", {"context": context})
        resolved = await client.request(
            "gateway/resolveKey",
            {"context": context, "config": {"agents": {"list": [{"id": "ops"}]}}},
        )
        assert found["sessionKey"] == resolved["sessionKey"]
        assert found["storePath"] == str(agents.store("ops"))
        assert resolved["agentId"] == "ops"
        # The derived key says `main`, so a request by the key alone would mean the store of `main`.
        where = {"sessionKey": found["sessionKey"], "storePath": found["storePath"]}
        got = await client.request("gateway/get", where)
        assert (got["entry"], got["storePath"]) == (found["entry"], found["storePath"])


async def test_a_transcript_that_is_gone_is_made_anew_where_it_was(agents: Agents):
    agents.lay({KEY: {**FRESH, "sessionFile": "sub/t.jsonl"}})
    found = await begin(agents, cwd="/work")
    path = agents.sessions() / "sub" / "t.jsonl"
    assert (found["sessionFile"], found["isNewSession"]) == (str(path), False)
    assert (header(path)["id"], header(path)["cwd"]) == ("old1", "/work")
    assert agents.stored(KEY)["sessionFile"] == "sub/t.jsonl"


async def test_a_transcript_that_is_there_stays_as_it_is(agents: Agents):
    agents.lay({KEY: FRESH})
    path = agents.transcript("old1.jsonl", {**HEADER, "id": "old1"}, *TALK)
    before = tree(path)
    assert (await begin(agents))["sessionFile"] == str(path)
    assert tree(path) == before


async def test_a_new_transcript_is_of_the_agents_workspace(agents: Agents):
    config = {
        "agents": {
            "defaults": {"workspace": "~/all"},
            "list": [{"id": "main"}, {"id": "Ops", "workspace": "/of/ops"}],
        }
    }
    agents.configure(**config)
    found = await begin(agents)
    assert header(found["sessionFile"])["cwd"] == str(agents.state.parent / "all")
    found = await begin(agents, {"SessionKey": "agent:ops:x"})
    assert header(found["sessionFile"])["cwd"] == "/of/ops"
    found = await begin(agents, {"SessionKey": "agent:ops:y"}, cwd="/given")
    assert header(found["sessionFile"])["cwd"] == "/given"


async def test_a_profile_without_a_gateway_has_the_stores_it_is_told(tmp_path: Path):
    store = tmp_path / "s" / "sessions.json"
    async with daemon(tmp_path) as client:
        with pytest.raises(RpcError) as caught:
            await client.request("gateway/begin", {"context": {}})
        assert caught.value.data["path"] == "$.storePath"
        params = {"context": {}, "storePath": str(store)}
        found = await client.request("gateway/begin", params)
    assert Path(found["sessionFile"]).parent == store.parent
    assert json.loads(store.read_text()) == {KEY: found["entry"]}
