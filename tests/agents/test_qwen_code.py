"""Qwen Code: a tree of lines, with the parts of Gemini's API.

The lines have the shapes that versions 0.15.10 and 0.24.4 write.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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

CHAT = "3db3b6d0-51b3-4102-b123-a88c82b19961"
USED = {
    "promptTokenCount": 140,
    "candidatesTokenCount": 20,
    "thoughtsTokenCount": 5,
    "totalTokenCount": 165,
    "cachedContentTokenCount": 40,
}


def line(kind: str, name: str, above: str | None, **members: Any) -> str:
    value = {
        "uuid": name,
        "parentUuid": above,
        "sessionId": CHAT,
        "timestamp": "2026-11-20T10:00:01.000Z",
        "type": kind,
        "cwd": "/work/toys",
        "version": "0.24.4",
        **members,
    }
    return json.dumps(value, separators=(",", ":")) + "\n"


def user(name: str, above: str | None, text: str, **more: Any) -> str:
    return line("user", name, above, **more, message={"role": "user", "parts": [{"text": text}]})


def answer(name: str, above: str, *parts: dict[str, Any], **more: Any) -> str:
    message = {"role": "model", "parts": list(parts)}
    return line("assistant", name, above, model="big", message=message, usageMetadata=USED, **more)


def call(name: str) -> dict[str, Any]:
    return {"functionCall": {"id": name, "name": "shell", "args": {"command": "ls"}}}


def result(name: str, above: str, call_id: str, output: str, status: str = "success") -> str:
    response = {"id": call_id, "name": "shell", "response": {"output": output}}
    message = {"role": "user", "parts": [{"functionResponse": response}]}
    more = {"callId": call_id, "status": status}
    return line("tool_result", name, above, message=message, toolCallResult=more)


def system(name: str, above: str, kind: str, **payload: Any) -> str:
    return line("system", name, above, subtype=kind, systemPayload=payload)


def request(name: str, above: str) -> str:
    """Return the note of a request, before its answer."""
    event = {"event.name": "qwen-code.api_response", "event.timestamp": name, "response_id": "x"}
    counts = {"input": 140, "output": 20, "cached_content": 40, "thoughts": 5, "total": 165}
    event |= {f"{kind}_token_count": count for kind, count in counts.items()}
    return system(name, above, "ui_telemetry", uiEvent={**event, "model": "big"})


TURN = (
    user("u1", None, "Where is the teddy bear?")
    + system("s1", "u1", "ui_telemetry", uiEvent={"event.name": "qwen-code.tool_call"})
    + answer("a1", "s1", {"text": "Look around.", "thought": True}, call("c1"), call("c2"))
    + system("s2", "a1", "ui_telemetry")
    + result("r1", "s2", "c1", "sofa")
    + result("r2", "r1", "c2", "no bed", "error")
    + answer("a2", "r2", {"text": "Under the sofa."})
)
SAID = [
    ("user", "Where is the teddy bear?"),
    ("assistant", ""),
    ("toolResult", "sofa"),
    ("toolResult", "no bed"),
    ("assistant", "Under the sofa."),
]


def lay(home: Path, content: str = TURN, name: str = CHAT, below: str = "chats") -> Path:
    file = home / ".qwen" / "projects" / "-work-toys" / below / f"{name}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content)
    return file


async def listed(home: Path, **params: Any) -> list[dict[str, Any]]:
    return await list_of(home, "qwen-code", **params)


async def texts(home: Path, file: Path) -> list[tuple[str, str]]:
    return await context_of(home, "qwen-code", file)


async def test_a_chat_is_a_session(tmp_path: Path):
    file = lay(tmp_path)
    (info,) = await listed(tmp_path)
    assert (info["id"], info["cwd"], info["messageCount"]) == (CHAT, "/work/toys", 5)
    assert await texts(tmp_path, file) == SAID
    async with daemon(tmp_path, profile="qwen-code") as client:
        tokens = (await client.request("catalog/usage", {}))["sums"]["tokens"]
        assert (tokens["input"], tokens["cacheRead"], tokens["output"]) == (200, 80, 50)
        hits = (await client.request("catalog/search", {"query": "under the sofa"}))["hits"]
        assert [each["info"]["id"] for each in hits] == [CHAT]


async def test_requests_that_are_noted_count_and_not_their_answers(tmp_path: Path):
    noted = user("u1", None, "Hi") + request("q1", "u1") + answer("a1", "q1", {"text": "Hi."})
    lay(tmp_path, noted + request("q2", "a1") + noted)
    lay(tmp_path, TURN, "agent-general-c1", f"subagents/{CHAT}")
    copy = (noted + request("q2", "a1")).replace(CHAT, CHAT[::-1])
    lay(tmp_path, copy, "4db3b6d0-51b3-4102-b123-a88c82b19961")
    async with daemon(tmp_path, profile="qwen-code") as client:
        tokens = (await client.request("catalog/usage", {}))["sums"]["tokens"]
        # Two requests; a copy of the chat and what the subagent asked count in the chat.
        assert (tokens["input"], tokens["cacheRead"], tokens["output"]) == (200, 80, 50)


async def test_a_title_a_rewind_and_a_summary(tmp_path: Path):
    titled = system("t1", "a2", "custom_title", customTitle="A bear") * 2
    file = lay(tmp_path, TURN + titled + system("t2", "a2", "custom_title", customTitle="A bear"))
    (info,) = await listed(tmp_path)
    assert info["name"] == "A bear"
    rewound = system("w1", "r2", "rewind", turnIndex=1)
    file.write_text(TURN + rewound)
    assert await texts(tmp_path, file) == SAID[:4]
    file.write_text(TURN + rewound + answer("a3", "w1", {"text": "In the bed."}))
    assert await texts(tmp_path, file) == [*SAID[:4], ("assistant", "In the bed.")]
    history = [{"role": "user", "parts": [{"text": "They looked for a bear."}]}]
    summary = system("k1", "a2", "chat_compression", compressedHistory=history)
    file.write_text(TURN + summary + user("u2", "k1", "Thanks"))
    assert await texts(tmp_path, file) == [
        ("compactionSummary", "They looked for a bear."),
        ("user", "Thanks"),
    ]


async def test_what_nobody_typed_is_no_prompt(tmp_path: Path):
    lay(tmp_path, user("n1", None, "Task done", subtype="notification") + TURN)
    (info,) = await listed(tmp_path)
    assert info["firstMessage"] == "Where is the teddy bear?"


async def test_subagents_and_archived_chats(tmp_path: Path):
    file = lay(tmp_path)
    below = f"subagents/{CHAT}"
    child = lay(tmp_path, TURN.replace('"u1"', '"u9"'), "agent-general-c1", below)
    meta = {"agentType": "general", "description": "Find it", "toolUseId": "c1"}
    child.with_suffix("").with_suffix(".meta.json").write_text(json.dumps(meta))
    archived = lay(
        tmp_path, user("x1", None, "old"), "4db3b6d0-51b3-4102-b123-a88c82b19961", "chats/archive"
    )
    assert {each["path"] for each in await listed(tmp_path)} == {str(file), str(archived)}
    found = {each["path"]: each for each in await listed(tmp_path, subagents=True)}
    assert found[str(child)]["parentSessionPath"] == str(file)
    assert found[str(child)]["name"] == "Find it"
    assert found[str(child)]["subagent"] == {"kind": "general", "toolCallId": "c1"}


async def test_a_chat_is_followed(tmp_path: Path):
    file = lay(tmp_path)
    async with daemon(tmp_path, profile="qwen-code") as client:
        state = await client.request("session/open", {"path": str(file), "readOnly": True})
        with file.open("a") as writer:
            writer.write(user("u2", "a2", "Thanks"))
        change = await client.notification("session/didChange")
        assert change["session"] == state["session"]
        found = await client.request("session/getEntries", {"session": state["session"]})
        assert found["entries"][-1]["parentId"] == "a2"


async def test_a_copy_elsewhere_and_a_copy_for_pi(tmp_path: Path):
    copy = tmp_path / "copy.jsonl"
    copy.write_text(TURN)
    assert await texts(tmp_path, copy) == SAID
    async with daemon(tmp_path) as client:
        params = {"sourcePath": str(copy), "targetCwd": str(tmp_path)}
        forked = await client.request("session/forkFrom", params)
        found = await client.request("session/buildSessionContext", {"session": forked["session"]})
    assert [each["role"] for each in found["messages"]] == [role for role, _ in SAID]


def _damaged() -> Iterator[bytes]:
    yield from cuts(TURN.encode())
    yield from damages(TURN.encode())


async def test_no_damage_hides_another_file(tmp_path: Path):
    lay(tmp_path, user("h1", None, WORD))

    def write(number: int, content: bytes) -> Path:
        file = lay(tmp_path, "", f"{number:08}-51b3-4102-b123-a88c82b19961")
        file.write_bytes(content)
        return file

    await expect_every_reading(tmp_path, "qwen-code", tmp_path / ".qwen", _damaged(), write)


async def test_a_damaged_line_cuts_nothing_off(tmp_path: Path):
    lines = TURN.splitlines(keepends=True)
    file = lay(tmp_path, "".join([*lines[:4], lines[4][:50] + "\n", *lines[5:]]))
    assert await texts(tmp_path, file) == [*SAID[:2], *SAID[3:]]


def test_commands_read_and_change_nothing(tmp_path: Path):
    file = lay(tmp_path)
    expect_commands_to_change_nothing(tmp_path, tmp_path / ".qwen", file)
