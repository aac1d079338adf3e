"""Gemini CLI: lines with changes since 0.39, and one JSON document for each chat before.

The lines have the shapes that versions 0.24.5, 0.39.1 and 0.61.0 write.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
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
from support.commands import run

CHAT = "6a1bc650-6eb8-494e-9485-81debd450ba6"
TIME = "2026-11-20T10:00:0{}.000Z"
CONTEXT = {
    "id": "c0",
    "timestamp": TIME.format(0),
    "type": "user",
    "content": [{"text": "<session_context>\nLinux\n</session_context>"}],
}


def message(name: str, kind: str, content: Any, at: int = 1, **more: Any) -> dict[str, Any]:
    return {"id": name, "timestamp": TIME.format(at), "type": kind, "content": content, **more}


def prompt(name: str, text: str, at: int = 1) -> dict[str, Any]:
    return message(name, "user", [{"text": text}], at)


def answer(name: str, text: str, at: int = 2, **more: Any) -> dict[str, Any]:
    tokens = {"input": 140, "output": 20, "cached": 40, "thoughts": 5, "tool": 0, "total": 165}
    more = {"thoughts": [], "tokens": tokens, "model": "gemini-2.5-flash", **more}
    return message(name, "gemini", text, at, **more)


def call(name: str, output: str, status: str = "success") -> dict[str, Any]:
    response = {"functionResponse": {"id": name, "name": "shell", "response": {"output": output}}}
    return {
        "id": name,
        "name": "shell",
        "args": {"command": "ls"},
        "result": [response],
        "status": status,
        "timestamp": TIME.format(3),
    }


def about(chat: str = CHAT, **more: Any) -> dict[str, Any]:
    return {
        "sessionId": chat,
        "projectHash": "ab",
        "startTime": TIME.format(0),
        "lastUpdated": TIME.format(9),
        "kind": "main",
        **more,
    }


def lines(*values: Any) -> str:
    return "".join(json.dumps(each, separators=(",", ":")) + "\n" for each in values)


TURN = (
    about(),
    {"$set": {"messages": [CONTEXT], "lastUpdated": TIME.format(1)}},
    prompt("m1", "Where is the teddy bear?"),
    answer("m2", ""),
    answer("m2", "", toolCalls=[call("t1", "sofa"), call("t2", "no bed", "error")]),
    message("m3", "user", [call("t1", "sofa")["result"][0], call("t2", "no bed")["result"][0]], 4),
    answer("m4", "Under the sofa.", 5, thoughts=[{"subject": "Look", "description": "around"}]),
)


def lay(home: Path, content: str, name: str = f"session-2026-11-20T10-00-{CHAT[:8]}.jsonl") -> Path:
    project = home / ".gemini" / "tmp" / "toys"
    file = project / "chats" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    (project / ".project_root").write_text("/work/toys")
    file.write_text(content)
    return file


async def listed(home: Path, **params: Any) -> list[dict[str, Any]]:
    return await list_of(home, "gemini-cli", **params)


async def texts(home: Path, file: Path) -> list[tuple[str, str]]:
    messages = await context_of(home, "gemini-cli", file)
    return [each for each in messages if each[0] != "custom"]


SAID = [
    ("user", "Where is the teddy bear?"),
    ("assistant", ""),
    ("toolResult", "sofa"),
    ("toolResult", "no bed"),
    ("assistant", "Under the sofa."),
]


async def test_a_chat_is_a_session(tmp_path: Path):
    file = lay(tmp_path, lines(*TURN))
    (info,) = await listed(tmp_path)
    assert (info["id"], info["cwd"], info["messageCount"]) == (CHAT, "/work/toys", 5)
    assert info["firstMessage"] == "Where is the teddy bear?"
    assert await texts(tmp_path, file) == SAID
    async with daemon(tmp_path, profile="gemini-cli") as client:
        tokens = (await client.request("catalog/usage", {}))["sums"]["tokens"]
        assert (tokens["input"], tokens["cacheRead"], tokens["output"]) == (200, 80, 50)
        hits = (await client.request("catalog/search", {"query": "under the sofa"}))["hits"]
        assert [each["info"]["id"] for each in hits] == [CHAT]
        opened = await client.request("session/open", {"path": str(file), "readOnly": True})
        asked = {"session": opened["session"], "entryId": "m2", "maxBytes": 10000}
        records = (await client.request("session/getSource", asked))["records"]
        assert [each["line"] for each in records] == [4, 5]


async def test_an_older_chat_is_one_document(tmp_path: Path):
    messages = [prompt("m1", "Where is the teddy bear?"), TURN[4], TURN[6]]
    messages[0]["content"] = "Where is the teddy bear?"
    document = json.dumps({**about(), "messages": messages}, indent=2)
    file = lay(tmp_path, document, f"session-2026-11-20T10-00-{CHAT[:8]}.json")
    (file.parent / "settings.json").write_text(json.dumps({"sessionId": "no", "messages": []}))
    (info,) = await listed(tmp_path)
    assert (info["id"], info["messageCount"]) == (CHAT, 5)
    assert await texts(tmp_path, file) == SAID


async def test_the_directory_of_an_older_chat_is_a_hash(tmp_path: Path):
    file = lay(tmp_path, lines(*TURN))
    name = sha256(b"/work/toys").hexdigest()
    (file.parent.parent / ".project_root").unlink()
    file.parent.parent.rename(tmp_path / ".gemini" / "tmp" / name)
    (tmp_path / ".gemini" / "projects.json").write_text('{"projects": {"/work/toys": "toys-1"}}')
    (info,) = await listed(tmp_path)
    assert info["cwd"] == "/work/toys"


async def test_what_was_taken_back_is_a_branch(tmp_path: Path):
    file = lay(tmp_path, lines(*TURN, {"$rewindTo": "m4"}))
    assert await texts(tmp_path, file) == SAID[:4]
    file.write_text(lines(*TURN, {"$rewindTo": "m4"}, answer("m5", "In the bed.", 6)))
    assert await texts(tmp_path, file) == [*SAID[:4], ("assistant", "In the bed.")]
    hits = json.loads(run(tmp_path, "search", "Under the sofa", "--json").stdout)["hits"]
    assert len(hits) == 1


async def test_a_resumed_chat_repeats_nothing(tmp_path: Path):
    again = [
        CONTEXT,
        prompt("m1", "Where is the teddy bear?"),
        message("m2", "gemini", [{"functionCall": {"id": "t1", "name": "shell", "args": {}}}]),
        TURN[5],
        message("m4", "gemini", "Under the sofa."),
    ]
    more = [
        about(),
        {"$set": {"messages": again}},
        prompt("m6", "Thanks", 7),
        answer("m7", "Bye", 8),
    ]
    file = lay(tmp_path, lines(*TURN, *more))
    stub = lay(
        tmp_path,
        lines(about(), {"$set": {"messages": [CONTEXT]}}),
        f"session-2026-11-20T10-09-{CHAT[:8]}.jsonl",
    )
    assert await texts(tmp_path, file) == [*SAID, ("user", "Thanks"), ("assistant", "Bye")]
    (info,) = await listed(tmp_path)
    assert info["path"] == str(file) != str(stub)
    async with daemon(tmp_path, profile="gemini-cli") as client:
        tokens = (await client.request("catalog/usage", {}))["sums"]["tokens"]
        assert tokens["input"] == 300


async def test_a_summary_replaces_what_was_said(tmp_path: Path):
    summary = prompt("s1", "They looked for a bear.", 6)
    file = lay(
        tmp_path,
        lines(
            *TURN,
            {"$set": {"messages": [CONTEXT, summary, answer("s2", "Got it.", 6)]}},
            prompt("m6", "Thanks", 7),
        ),
    )
    assert await texts(tmp_path, file) == [
        ("compactionSummary", "They looked for a bear."),
        ("assistant", "Got it."),
        ("user", "Thanks"),
    ]


async def test_a_chat_is_followed(tmp_path: Path):
    file = lay(tmp_path, lines(*TURN[:4]))
    async with daemon(tmp_path, profile="gemini-cli") as client:
        state = await client.request("session/open", {"path": str(file), "readOnly": True})
        before = await client.request("session/getEntries", {"session": state["session"]})
        # The answer says nothing yet: it is being made.
        assert [each["id"] for each in before["entries"]] == ["c0", "m1"]
        with file.open("a") as writer:
            writer.write(lines(*TURN[4:], {"$set": {"summary": "A bear"}}))
        notified = await client.notification("session/didChange")
        assert notified["session"] == state["session"]
        after = await client.request("session/getEntries", {"session": state["session"]})
        assert [each["id"] for each in after["entries"]][:5] == ["c0", "m1", "m2", "m2.1", "m2.2"]
    (info,) = await listed(tmp_path)
    assert info["name"] == "A bear"


async def test_subagents_lie_below_the_id_of_their_chat(tmp_path: Path):
    file = lay(tmp_path, lines(*TURN))
    below = lay(tmp_path, "", "x.jsonl").parent / CHAT / "agent-1.jsonl"
    below.parent.mkdir()
    below.write_text(
        lines(about("agent-1", kind="subagent"), prompt("a1", "look"), answer("a2", "no"))
    )
    (file.parent / "x.jsonl").unlink()
    assert [each["path"] for each in await listed(tmp_path)] == [str(file)]
    found = {each["path"]: each for each in await listed(tmp_path, subagents=True)}
    assert found[str(below)]["parentSessionPath"] == str(file)


async def test_a_copy_elsewhere_and_a_copy_for_pi(tmp_path: Path):
    lay(tmp_path, lines(*TURN))
    copy = tmp_path / "copy.jsonl"
    copy.write_text(lines(*TURN))
    assert await texts(tmp_path, copy) == SAID
    (tmp_path / "pi").mkdir()
    async with daemon(tmp_path) as client:
        forked = await client.request(
            "session/forkFrom", {"sourcePath": str(copy), "targetCwd": str(tmp_path / "pi")}
        )
        found = await client.request("session/buildSessionContext", {"session": forked["session"]})
    assert [each["role"] for each in found["messages"] if each["role"] != "custom"] == [
        role for role, _ in SAID
    ]


def _damaged() -> Iterator[bytes]:
    content = lines(*TURN).encode()
    yield from cuts(content)
    yield from damages(content)


async def test_no_damage_hides_another_file(tmp_path: Path):
    lay(
        tmp_path,
        lines(about("healthy"), prompt("h1", WORD)),
        "session-2026-11-20T10-00-healthy.jsonl",
    )
    document = json.dumps({**about("d"), "messages": [*TURN[2:4], TURN[6]]}, indent=1).encode()

    def write(number: int, content: bytes) -> Path:
        kind = "json" if content[:2] == b"{\n" else "jsonl"
        file = lay(tmp_path, "", f"session-2026-11-20T10-00-{number:08}.{kind}")
        file.write_bytes(content)
        return file

    contents = (each for every in (_damaged(), cuts(document)) for each in every)
    await expect_every_reading(tmp_path, "gemini-cli", tmp_path / ".gemini", contents, write)


def test_commands_read_and_change_nothing(tmp_path: Path):
    file = lay(tmp_path, lines(*TURN))
    expect_commands_to_change_nothing(tmp_path, tmp_path / ".gemini", file)
