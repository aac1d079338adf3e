"""Copilot CLI: events in one line, with those of subagents among them.

The events have the shapes that versions 1.0.24 and 1.0.102 write.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.agent_trials import (
    WORD,
    context_of,
    cuts,
    damages,
    expect_commands_to_change_nothing,
    expect_every_reading,
    list_of,
)
from support.app import daemon
from support.commands import run

SESSION = "0c474c76-87c0-487d-9acb-204d81bc7045"
USED = {"inputTokens": 140, "outputTokens": 20, "cacheReadTokens": 40, "cacheWriteTokens": 0}


def event(kind: str, name: str, agent: str | None = None, **data: Any) -> str:
    value = {"type": kind, "data": data, "id": name, "timestamp": "2026-11-20T10:00:01.000Z"}
    more = {} if agent is None else {"agentId": agent}
    return json.dumps({**value, "parentId": "any", **more}, separators=(",", ":")) + "\n"


def start(session: str = SESSION) -> str:
    data = {"sessionId": session, "version": 1, "copilotVersion": "1.0.102"}
    time = "2026-11-20T10:00:00.000Z"
    return event("session.start", "e0", **data, startTime=time, context={"cwd": "/work/toys"})


def request(name: str, agent: str | None = None) -> str:
    return event("session.usage_record", name, agent, usage={"model": "big", **USED})


def answer(name: str, text: str, *calls: str, agent: str | None = None) -> str:
    requests = [
        {"toolCallId": each, "name": "bash", "arguments": {"command": "ls"}} for each in calls
    ]
    data = {"messageId": f"m-{name}", "model": "big", "content": text, "toolRequests": requests}
    return event("assistant.message", name, agent, **data)


def result(name: str, call: str, text: str, *, agent: str | None = None) -> str:
    data = {"toolCallId": call, "success": True, "result": {"content": text}}
    return event("tool.execution_complete", name, agent, **data)


TURN = (
    start()
    + event("user.message", "u1", content="Where is the teddy bear?", transformedContent="<x>")
    + event("system.message", "s1", content="many words")
    + event("assistant.turn_start", "t1")
    + request("q1")
    + answer("a1", "", "c1", "c2")
    + event("tool.execution_start", "x1", toolCallId="c1")
    + result("r2", "c2", "bed")
    + event(
        "tool.execution_complete",
        "r1",
        toolCallId="c1",
        success=False,
        error={"message": "no sofa"},
    )
    + request("q2")
    + answer("a2", "In the bed.")
    + event("session.shutdown", "z1", modelMetrics={"big": {"usage": USED}})
)
SAID = [
    ("user", "Where is the teddy bear?"),
    ("assistant", ""),
    ("toolResult", "bed"),
    ("toolResult", "no sofa"),
    ("assistant", "In the bed."),
]


def lay(home: Path, content: str = TURN, session: str = SESSION, name: str = "events") -> Path:
    file = home / ".copilot" / "session-state" / session / f"{name}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content)
    return file


async def listed(home: Path, **params: Any) -> list[dict[str, Any]]:
    return await list_of(home, "copilot", **params)


async def texts(home: Path, file: Path) -> list[tuple[str, str]]:
    return await context_of(home, "copilot", file)


async def tokens(home: Path) -> tuple[int, int, int]:
    async with daemon(home, profile="copilot") as client:
        used = (await client.request("catalog/usage", {}))["sums"]["tokens"]
    return used["input"], used["cacheRead"], used["output"]


async def test_events_are_a_session(tmp_path: Path):
    file = lay(tmp_path)
    (info,) = await listed(tmp_path)
    assert (info["id"], info["cwd"], info["messageCount"]) == (SESSION, "/work/toys", 5)
    assert (info["firstMessage"], info.get("name")) == ("Where is the teddy bear?", None)
    assert await texts(tmp_path, file) == SAID
    assert await tokens(tmp_path) == (200, 80, 40)


async def test_older_runs_note_their_usage_at_the_end(tmp_path: Path):
    without = "".join(each for each in TURN.splitlines(keepends=True) if "usage_record" not in each)
    end = event(
        "session.shutdown", "z2", modelMetrics={"big": {"usage": USED}, "small": {"usage": USED}}
    )
    lay(tmp_path, without + event("session.resume", "e2") + end)
    assert await tokens(tmp_path) == (300, 120, 60)


@pytest.mark.parametrize(
    ("about", "name"),
    [
        ("id: x\nname: A bear\nuser_named: true\n", "A bear"),
        ("summary: 'It''s a bear'\n", "It's a bear"),
        ('name: "A \\"bear\\""\n', 'A "bear"'),
        ("name: |-\n  two\n  lines\n", None),
        ("name:\n", None),
    ],
)
async def test_the_name(tmp_path: Path, about: str, name: str | None):
    lay(tmp_path).with_name("workspace.yaml").write_text(about)
    (info,) = await listed(tmp_path)
    assert info.get("name") == name


async def test_a_subagent_is_a_branch_and_no_prompt(tmp_path: Path):
    below = (
        event("subagent.started", "b0", "g", toolCallId="c1")
        + event("user.message", "b1", "g", content="look for it")
        + request("b2", "g")
        + answer("b3", "Found it.", agent="g")
    )
    lines = TURN.splitlines(keepends=True)
    file = lay(tmp_path, "".join([*lines[:7], below, *lines[7:]]))
    assert await texts(tmp_path, file) == SAID
    assert await tokens(tmp_path) == (300, 120, 60)
    (info,) = await listed(tmp_path)
    assert info["firstMessage"] == "Where is the teddy bear?"
    shown = run(tmp_path, "search", "Found it", "--json")
    assert len(json.loads(shown.stdout)["hits"]) == 1


async def test_a_session_is_followed_and_a_new_one_is_listed(tmp_path: Path):
    file = lay(tmp_path)
    async with daemon(tmp_path, profile="copilot") as client:
        state = await client.request("session/open", {"path": str(file), "readOnly": True})
        with file.open("a") as writer:
            writer.write(event("user.message", "u2", content="Thanks"))
        change = await client.notification("session/didChange")
        assert change["session"] == state["session"]
        lay(
            tmp_path,
            start("1") + event("user.message", "u1", content="new"),
            "1c474c76-87c0-487d-9acb-204d81bc7045",
        )
        found = await client.request("session/listAll", {})
        assert {each["firstMessage"] for each in found["sessions"]} == {SAID[0][1], "new"}


async def test_files_before_1_0_and_copies(tmp_path: Path):
    old = tmp_path / ".copilot" / "session-state" / f"{SESSION}.jsonl"
    old.parent.mkdir(parents=True)
    old.write_text(TURN)
    (info,) = await listed(tmp_path)
    assert info["id"] == SESSION
    copy = tmp_path / "copy.jsonl"
    copy.write_text(TURN)
    assert await texts(tmp_path, copy) == SAID
    async with daemon(tmp_path) as client:
        params = {"sourcePath": str(copy), "targetCwd": str(tmp_path)}
        forked = await client.request("session/forkFrom", params)
        found = await client.request("session/buildSessionContext", {"session": forked["session"]})
    assert [each["role"] for each in found["messages"]] == [role for role, _ in SAID]


async def test_a_summary_and_unknown_events(tmp_path: Path):
    summary = event("session.compaction_complete", "k1", summaryContent="A bear was lost.")
    more = summary + event("brand.new", "n1") + event("user.message", "u2", content="Thanks")
    file = lay(tmp_path, TURN + more)
    async with daemon(tmp_path, profile="copilot") as client:
        checked = await client.request("catalog/check", {"path": str(file)})
        assert checked["files"][0]["unknown"] == [{"type": "brand.new", "count": 1}]
        state = await client.request("session/open", {"path": str(file), "readOnly": True})
        found = await client.request("session/buildSessionContext", {"session": state["session"]})
    assert [each["role"] for each in found["messages"]] == ["compactionSummary", "user"]


def _damaged() -> Iterator[bytes]:
    yield from cuts(TURN.encode())
    yield from damages(TURN.encode())


async def test_no_damage_hides_another_file(tmp_path: Path):
    lay(tmp_path, start("h") + event("user.message", "h1", content=WORD))

    def write(number: int, content: bytes) -> Path:
        file = lay(tmp_path, "", f"{number:08}-87c0-487d-9acb-204d81bc7045")
        file.write_bytes(content)
        return file

    await expect_every_reading(tmp_path, "copilot", tmp_path / ".copilot", _damaged(), write)


def test_commands_read_and_change_nothing(tmp_path: Path):
    file = lay(tmp_path)
    expect_commands_to_change_nothing(tmp_path, tmp_path / ".copilot", file)
