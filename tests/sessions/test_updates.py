"""`session/getUpdates`: sessions as notifications of the Agent Client Protocol, version 1."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from support import claude_lines, codex_lines
from support.app import daemon
from support.session_lines import header, line

ROOT = Path(__file__).parent.parent.parent
SCHEMA = ROOT / ".cache/reference/node_modules/@agentclientprotocol/sdk/schema/v1/schema.json"
GOLDEN = [*(ROOT / "tests/golden/agents").rglob("*.jsonl")]
IMAGE = {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}
TODOS = [
    {"content": "Read", "status": "completed", "priority": "high"},
    {"content": "Write", "status": "in_progress"},
]


@pytest.fixture(scope="module")
def notification() -> Any:
    """The rules of the protocol for the params of `session/update`."""
    if not SCHEMA.exists():
        pytest.skip("npm's @agentclientprotocol/sdk is not installed: make reference")
    definitions = json.loads(SCHEMA.read_text())["$defs"]
    rules = {"$defs": definitions, "$ref": "#/$defs/SessionNotification"}
    return jsonschema.Draft202012Validator(rules)


def call(call_id: str, name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "toolCall", "id": call_id, "name": name, "arguments": arguments}


def text(said: str) -> dict[str, str]:
    return {"type": "text", "text": said}


def answer(*content: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": [*content], "provider": "p", "model": "m"}


def result(call_id: str, name: str, *content: Any, **more: Any) -> dict[str, Any]:
    message = {"role": "toolResult", "toolCallId": call_id, "toolName": name}
    return {**message, "content": [*content], "isError": False, **more}


def session(*messages: dict[str, Any]) -> str:
    """A session in the directory /w, whose entries are e0, e1 and so on."""
    lines = [
        line(f"e{at}", f"e{at - 1}" if at else None, message=message)
        for at, message in enumerate(messages)
    ]
    return header("id-of-it", "/w") + "".join(lines)


async def read(home: Path, file: Path, **params: Any) -> dict[str, Any]:
    async with daemon(home) as client:
        opened = await client.request("session/open", {"path": str(file), "readOnly": True})
        answered: dict[str, Any] = await client.request(
            "session/getUpdates", {"session": opened["session"], **params}
        )
        return answered


async def updates(home: Path, *messages: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the updates of a session, without the ids of messages."""
    file = home / "s.jsonl"
    file.write_text(session(*messages))
    read_back = (await read(home, file))["updates"]
    assert {each["sessionId"] for each in read_back} == {"id-of-it"}
    return [{k: v for k, v in u["update"].items() if k != "messageId"} for u in read_back]


async def test_what_was_said_and_thought(tmp_path: Path):
    prompt = {"role": "user", "content": [text("Look"), IMAGE]}
    thinking = {"type": "thinking", "thinking": "Hm."}
    assert await updates(tmp_path, prompt, answer(thinking, text("Done"))) == [
        {"sessionUpdate": "user_message_chunk", "content": text("Look")},
        {"sessionUpdate": "user_message_chunk", "content": IMAGE},
        {"sessionUpdate": "agent_thought_chunk", "content": text("Hm.")},
        {"sessionUpdate": "agent_message_chunk", "content": text("Done")},
    ]


async def test_an_edit_has_its_diff_and_its_place(tmp_path: Path):
    edits = [{"oldText": "same\nbefore", "newText": "same\nafter"}]
    asked = answer(call("c1", "edit", path="src/a.py", edits=edits))
    ended = result("c1", "edit", text("Edited."))
    assert await updates(tmp_path, {"role": "user", "content": "Go"}, asked, ended) == [
        {"sessionUpdate": "user_message_chunk", "content": text("Go")},
        {
            "sessionUpdate": "tool_call",
            "toolCallId": "c1",
            "title": "edit: src/a.py",
            "kind": "edit",
            "status": "in_progress",
            "content": [
                {
                    "type": "diff",
                    "path": "/w/src/a.py",
                    "oldText": "same\nbefore",
                    "newText": "same\nafter",
                }
            ],
            "locations": [{"path": "/w/src/a.py"}],
            "rawInput": {"path": "src/a.py"},
        },
        {
            "sessionUpdate": "tool_call_update",
            "toolCallId": "c1",
            "status": "completed",
            "content": [{"type": "content", "content": text("Edited.")}],
            "locations": [{"path": "/w/src/a.py"}],
        },
    ]


async def test_a_plan(tmp_path: Path):
    first, _ = await updates(tmp_path, answer(call("c1", "TodoWrite", todos=TODOS)))
    assert first == {
        "sessionUpdate": "plan",
        "entries": [
            {"content": "Read", "status": "completed", "priority": "high"},
            {"content": "Write", "status": "in_progress", "priority": "medium"},
        ],
    }


async def test_a_call_without_a_result_has_failed_unless_it_may_run(tmp_path: Path):
    bash = answer(call("c1", "bash", command="make"))
    again = answer(call("c2", "bash", command="make"))
    said = await updates(tmp_path, bash, {"role": "user", "content": "Again"}, again)
    states = {each["toolCallId"]: each["status"] for each in said if "toolCallId" in each}
    assert states == {"c1": "failed", "c2": "in_progress"}


async def test_a_result_of_a_call_that_is_not_there_is_a_call(tmp_path: Path):
    (said,) = await updates(tmp_path, result("gone", "grep", text("x"), isError=True))
    expected = {"sessionUpdate": "tool_call", "toolCallId": "gone", "kind": "search"}
    assert said.items() >= {**expected, "title": "grep", "status": "failed"}.items()


async def test_pages_are_the_whole(tmp_path: Path):
    file = tmp_path / "s.jsonl"
    prompts = [{"role": "user", "content": f"Prompt {number}"} for number in range(5)]
    file.write_text(session(*prompts))
    pages, cursor = [], None
    while True:
        page = await read(tmp_path, file, limit=2, **({"cursor": cursor} if cursor else {}))
        assert page["total"] == 5
        pages.append([each["update"]["content"]["text"] for each in page["updates"]])
        if (cursor := page.get("nextCursor")) is None:
            break
    assert pages == [["Prompt 0", "Prompt 1"], ["Prompt 2", "Prompt 3"], ["Prompt 4"]]


@pytest.mark.parametrize("file", GOLDEN, ids=lambda file: file.name)
async def test_sessions_of_agents_follow_the_protocol(
    tmp_path: Path, notification: Any, file: Path
):
    copy = tmp_path / "s.jsonl"
    copy.write_bytes(file.read_bytes())
    every = (await read(tmp_path, copy))["updates"]
    assert every
    for each in every:
        notification.validate(each)


async def test_sessions_of_other_agents_follow_the_protocol(tmp_path: Path, notification: Any):
    rollout = codex_lines.Rollout().meta().turn().text
    for file in (claude_lines.lay(tmp_path), codex_lines.lay(tmp_path, rollout)):
        every = (await read(tmp_path, file))["updates"]
        kinds = {each["update"]["sessionUpdate"] for each in every}
        assert kinds >= {"user_message_chunk", "agent_message_chunk", "tool_call"}
        for each in every:
            notification.validate(each)


async def test_a_hostile_session_follows_the_protocol(tmp_path: Path, notification: Any):
    hostile = tmp_path / "hostile.jsonl"
    images = [{"type": "image"}, {"type": "image", "data": 1, "mimeType": None}, {"type": "new"}]
    hostile.write_text(
        session(
            {"role": "user", "content": images},
            answer({"type": "toolCall"}, call("", "", todos=3), 7, "\ud800"),
            answer(call("c", "update_plan", plan=[None, {}, {"step": 1}, {"step": "s"}])),
            answer(call("d", "edit", path="", edits=[{"oldText": "", "newText": ""}, 1])),
            {"role": "toolResult", "content": None},
            {"role": "bashExecution"},
        )
    )
    every = (await read(tmp_path, hostile))["updates"]
    assert every
    for each in every:
        notification.validate(each)
