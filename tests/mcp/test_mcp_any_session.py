"""Whatever the lines of a session hold, it can be listed, searched and read."""

import json
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.anyjson import spoiled
from support.mcp import directory_of, mcp, project

CALL = {"type": "toolCall", "id": "t", "name": "bash", "arguments": {"command": "ls"}}
IMAGE = {"type": "image", "mimeType": "image/png", "data": "aGk="}
MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": "words", "timestamp": 1767225600000},
    {"role": "user", "content": [{"type": "text", "text": "words"}, IMAGE]},
    {
        "role": "assistant",
        "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "so"}, CALL],
        "provider": "p",
        "model": "m",
        "errorMessage": "failed",
        "usage": {"input": 1, "cost": {"total": 0.5}},
    },
    {
        "role": "toolResult",
        "toolCallId": "t",
        "toolName": "bash",
        "content": "out",
        "isError": True,
    },
    {"role": "bashExecution", "command": "ls", "output": "out", "exitCode": 1, "cancelled": False},
    {"role": "custom", "customType": "c", "content": "x", "display": False},
]
OTHERS: list[dict[str, Any]] = [
    {"type": "compaction", "summary": "short", "firstKeptEntryId": "e0", "tokensBefore": 5},
    {"type": "branch_summary", "fromId": "e0", "summary": "short"},
    {"type": "label", "targetId": "e0", "label": "good"},
    {"type": "session_info", "name": "A name"},
    {"type": "model_change", "provider": "p", "modelId": "m"},
    {"type": "custom_message", "customType": "c", "content": "x", "display": True},
    {"type": "context_edit", "targetId": "e0", "replacement": None},
    {"type": "leaf", "targetId": "e0"},
    {"type": "reset", "reason": "idle"},
]
WINDOWS: list[dict[str, Any]] = [
    {},
    {"whole": True, "leave_out": []},
    {"around": "e1", "max_tokens": 1000},
    {"entry": "e1"},
    {"before": "e2"},
]


@st.composite
def lines(draw: st.DrawFn) -> str:
    text = draw(spoiled({"type": "session", "version": 3, "id": "any", "cwd": "CWD"}))
    chosen = draw(st.lists(st.sampled_from([*MESSAGES, *OTHERS]), max_size=8))
    for number, each in enumerate(chosen):
        parent = f"e{number - 1}" if number else None
        base = {"id": f"e{number}", "parentId": parent, "timestamp": "2026-01-01T00:00:00.000Z"}
        body = each if "type" in each else {"type": "message", "message": each}
        text += "\n" + draw(spoiled({**base, **body}))
    return text + "\n"


@given(text=lines())
@settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
async def test_any_session_can_be_read(tmp_path: Path, text: str):
    cwd = tmp_path / "proj"
    if not cwd.exists():
        project(tmp_path)
    file = directory_of(tmp_path, cwd) / "any.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text.replace('"CWD"', json.dumps(str(cwd))))
    async with mcp(tmp_path, cwd) as client:
        await client.result("search_sessions", query="words")
        for listed in (await client.call("list_sessions"))["sessions"]:
            for window in WINDOWS:
                # It may fail, but within the protocol.
                await client.result("open_session", session=listed["session"], **window)
            await client.request("resources/read", uri=f"sessiond://session/{listed['session']}")
