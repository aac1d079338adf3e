"""Sessions with fixed times, for tests of the output of commands."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

Value = dict[str, Any]

MODEL = {"provider": "anthropic", "model": "claude-sonnet"}
USAGE = {
    "input": 1200,
    "output": 340,
    "cacheRead": 5000,
    "cacheWrite": 60,
    "cost": {"total": 0.0123},
}


def write_all(home: Path) -> None:
    """Four sessions of four directories, in pi's directory below `home`."""
    session(home, "/home/me/code/shop", "019b0001-2222-7000-8000-00000000000a", 3, SHOP)
    session(home, "/srv/ü/日本語のプロジェクト", "019b0001-2222-7000-8000-00000000000b", 5, WIDE)
    session(home, "/home/hostile", "019b9999-0000-7000-8000-00000000000c", 9, HOSTILE)
    session(home, "/home/me/code/parser", "019baaaa-0000-7000-8000-00000000000d", 10, parser())


def session(home: Path, cwd: str, session_id: str, day: int, entries: Sequence[Value]) -> None:
    at = f"2026-01-{day:02d}T10:{{:02d}}:00.000Z"
    header = {"type": "session", "version": 3, "id": session_id}
    header |= {"timestamp": at.format(0), "cwd": cwd}
    lines: list[Value] = [header]
    for number, entry in enumerate(entries, 1):
        parent = lines[-1]["id"] if number > 1 else None
        lines.append(
            {"id": f"e{number:02d}", "parentId": parent, "timestamp": at.format(number)} | entry
        )
    name = "--" + cwd.lstrip("/").replace("/", "-") + "--"
    folder = home / ".pi/agent/sessions" / name
    folder.mkdir(parents=True, exist_ok=True)
    content = "".join(json.dumps(line) + "\n" for line in lines)
    file = folder / f"2026_{session_id}.jsonl"
    file.write_text(content)
    # Nobody writes to it at present.
    written = datetime(2026, 1, day, 10, tzinfo=UTC).timestamp()
    os.utime(file, (written, written))


def said(role: str, *content: Value | str, **more: Any) -> Value:
    blocks = [{"type": "text", "text": each} if isinstance(each, str) else each for each in content]
    extra = MODEL | {"usage": USAGE} if role == "assistant" else {}
    return {"type": "message", "message": {"role": role, "content": blocks, **extra, **more}}


def call(number: int, name: str, **arguments: Any) -> Value:
    return {"type": "toolCall", "id": f"c{number}", "name": name, "arguments": arguments}


def result(number: int, name: str, text: str, **more: Any) -> Value:
    return said("toolResult", text, toolCallId=f"c{number}", toolName=name, **more)


SHOP = [
    {"type": "session_info", "name": "Race condition in the checkout"},
    said("user", "Two checkouts at once sell the last item twice."),
]

WIDE = [
    said(
        "user",
        "翻訳してください 🎉 the landing page, 日本語の長いタイトルがここにあります、とても長い",
    ),
    said("assistant", "はい 👩‍👩‍👧‍👦 done"),
]

HOSTILE = [
    said("user", "\x1b[31mred\x1b[0m \x1b]0;title\x07 \u202eturned\u202c \x9b2J bell\x07 tab\tend"),
    said(
        "assistant", "x" * 5000, call(1, "bash\x1b[2J", command="rm\x1b[1A -rf"), stopReason="error"
    ),
    {"type": "message", "message": {"role": "assistant", "content": 7, "stopReason": "aborted"}},
    {"type": "message", "message": "no message"},
    {"type": "\x1b[5m", "odd": True},
    said("tool\x1b[0mResult", "?"),
]


def parser() -> list[Value]:
    diff = " 40 def number(text):\n-41     return int(text)\n+41     return float(text)"
    return [
        {"type": "model_change", "provider": "anthropic", "modelId": "claude-sonnet"},
        said("user", "The parser drops the sign of zero. Find out why."),
        said(
            "assistant",
            {"type": "thinking", "thinking": "int() turns -0 into 0.\nLook at number()."},
            "I will look at how numbers are read, and at every place in which they are compared.",
            call(1, "bash", command="grep -n 'int(' parser.py"),
        ),
        result(1, "bash", "41:    return int(text)"),
        said("assistant", call(2, "edit", path="parser.py", oldText="int", newText="float")),
        result(2, "edit", "Edited parser.py", details={"diff": diff}),
        said("assistant", call(3, "bash", command="pytest -q")),
        result(
            3,
            "bash",
            "\n".join(f"line {n}" for n in range(20)),
            isError=True,
            details={"exitCode": 1},
        ),
        said("assistant", stopReason="error", errorMessage="overloaded_error: try again later"),
        said("user", "Do that, and add a test.") | {"parentId": "e04"},
        said(
            "assistant", "Done.", call(4, "deploy", target="web", force=True), stopReason="aborted"
        ),
        {
            "type": "custom_message",
            "customType": "reminder",
            "content": "Mind the gap.",
            "display": True,
        },
        {
            "type": "compaction",
            "summary": "## Goal\nKeep the sign of zero.",
            "firstKeptEntryId": "e10",
            "tokensBefore": 51234,
        },
        {
            "type": "message",
            "message": {
                "role": "bashExecution",
                "command": "make",
                "output": "no rule\n",
                "exitCode": 2,
            },
        },
        {"type": "branch_summary", "fromId": "e09", "summary": "The other branch failed."},
        said("user", "Thanks."),
    ]
