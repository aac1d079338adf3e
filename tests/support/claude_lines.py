"""Lines of a session of Claude Code, of the shape that version 2.1.330 writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SESSION = "0b1c2d3e-4f50-4617-8293-a4b5c6d7e8f9"
CWD = "/work/ro.bots x"
DIRECTORY = "-work-ro-bots-x"


def uuid(number: int) -> str:
    """Return the uuid of the line with this number."""
    return f"00000000-0000-4000-8000-{number:012x}"


def line(kind: str, **members: Any) -> str:
    return json.dumps({"type": kind, **members}, ensure_ascii=False) + "\n"


def said(kind: str, number: int, parent: int | None, **members: Any) -> str:
    """Return a line of the tree; `parent` is the number of the line above it."""
    at = f"2026-03-04T05:{number // 60:02}:{number % 60:02}.000Z"
    known = {
        "parentUuid": None if parent is None else uuid(parent),
        "isSidechain": False,
        "uuid": uuid(number),
        "timestamp": at,
        "cwd": CWD,
        "sessionId": SESSION,
        "version": "2.1.330",
    }
    return line(kind, **(known | members))


def user(number: int, parent: int | None, content: Any, **members: Any) -> str:
    return said("user", number, parent, message={"role": "user", "content": content}, **members)


def answer(number: int, parent: int, answer_id: str, block: Any, **members: Any) -> str:
    """Return one block of an answer; each comes with the usage of the whole answer."""
    message = {
        "id": answer_id,
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-5-5",
        "content": [block],
        "stop_reason": "tool_use" if block["type"] == "tool_use" else "end_turn",
        "usage": {
            "input_tokens": 100,
            "output_tokens": 20,
            "cache_read_input_tokens": 40,
            "cache_creation_input_tokens": 10,
            "service_tier": "standard",
        },
    }
    return said("assistant", number, parent, message=message, requestId="r", **members)


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


def call(call_id: str, name: str, **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": given}


def result(call_id: str, content: Any, *, is_error: bool = False) -> dict[str, Any]:
    return {
        "tool_use_id": call_id,
        "type": "tool_result",
        "content": content,
        "is_error": is_error,
    }


TURN = (
    line("queue-operation", operation="enqueue", sessionId=SESSION)
    + user(1, None, "Where is the teddy bear?")
    + said("attachment", 2, 1, attachment={"type": "environment"})
    + line("api-request", id="q", params={"system": "many words"})
    + answer(3, 2, "m1", {"type": "thinking", "thinking": "Look around.", "signature": "AAAA"})
    + answer(4, 3, "m1", text("I look."))
    + answer(5, 4, "m1", call("c1", "Bash", command="ls sofa"))
    + line("last-prompt", leafUuid=uuid(5), sessionId=SESSION)
    + user(6, 5, [result("c1", "teddy")], toolUseResult={"stdout": "teddy"})
    + answer(7, 6, "m2", text("Under the sofa."))
    + line("last-prompt", leafUuid=uuid(7), sessionId=SESSION)
    + line("cost-state", totalCostUSD=0.01)
)
"""A question, a look with a tool, and the answer: six entries, two answers of the model."""


def lay(home: Path, content: str = TURN, session: str = SESSION) -> Path:
    """Write a session where Claude Code keeps it."""
    file = home / ".claude" / "projects" / DIRECTORY / f"{session}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content)
    return file
