"""A thread starts with the messages of its parent session."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from beginnings import (
    CHILD,
    EXPIRED,
    FRESH,
    KEY,
    TALK,
    UUID,
    UUID4,
    begin,
    files_of,
    header,
    tree,
)
from support.agents import HEADER, Agents, line, message
from support.client import RpcError


@pytest.fixture
def agents(tmp_path: Path) -> Agents:
    return Agents(tmp_path / "state")


async def fork(agents: Agents, parent: str = KEY, **params: Any) -> Any:
    context = {"SessionKey": CHILD, "ParentSessionKey": parent}
    return await begin(agents, context, **params)


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("named", [None, "p.jsonl"])
async def test_a_thread_starts_with_the_entries_of_its_parent(
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


async def test_a_thread_copies_only_the_branch_with_the_last_entry(agents: Agents):
    agents.lay({KEY: FRESH})
    last = message("b1", "u1", "assistant")
    agents.transcript("old1.jsonl", HEADER, *TALK, last)
    lines = Path((await fork(agents))["sessionFile"]).read_bytes().splitlines()
    assert [json.loads(text) for text in lines[1:]] == [TALK[0], last]


@pytest.mark.parametrize("content", [b"", line(HEADER)], ids=["empty", "only a header"])
async def test_a_thread_of_an_empty_parent_has_only_a_header(agents: Agents, content: bytes):
    agents.lay({KEY: FRESH})
    parent = agents.transcript("old1.jsonl", content)
    before = tree(parent)
    found = await fork(agents, cwd="/given")
    (only,) = Path(found["sessionFile"]).read_bytes().splitlines()
    assert json.loads(only)["parentSession"] == found["forkedFrom"] == str(parent)
    assert json.loads(only)["cwd"] == ("/w" if content else "/given")
    assert tree(parent) == before


async def test_a_parent_of_an_older_version_does_not_change(agents: Agents):
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
async def test_an_unusable_parent_is_refused_and_nothing_changes(
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


async def test_a_thread_started_over_forks_again_and_its_parent_stays(agents: Agents):
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
