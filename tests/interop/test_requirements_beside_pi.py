"""What pi cannot read is reported, and refused by appends: pi itself opens and continues sessions."""

from __future__ import annotations

import copy
import json
import os
import pty
import select
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from reference.agent import Agent, Home
from reference.pi import PiError, missing
from support.app import USAGE
from support.effort import some
from support.model_server import ModelServer
from support.process import DEADLINE

from sessiond.format.requirements import check_entry
from sessiond.runtime.errors import InvalidParams

pytestmark = [
    pytest.mark.node,
    pytest.mark.skipif(missing() is not None, reason=str(missing())),
    pytest.mark.timeout(600),  # agents start slowly on a busy machine
]

Value = dict[str, Any]
TIME = "2025-06-01T10:00:01.000Z"
TEXT = {"type": "text", "text": "x"}
CALL = {"type": "toolCall", "id": "c1", "name": "bash", "arguments": {"command": "ls"}}
ASSISTANT = {
    "role": "assistant",
    "content": [TEXT, {"type": "thinking", "thinking": "t"}, CALL],
    "api": "openai-completions",
    "provider": "ours",
    "model": "plain",
    "usage": USAGE,
    "stopReason": "stop",
    "timestamp": 1,
}
TOOL = {"type": "object", "properties": {}}
MESSAGES: dict[str, Value] = {
    "user": {"role": "user", "content": [TEXT], "timestamp": 1},
    "assistant": ASSISTANT,
    "toolResult": {
        "role": "toolResult",
        "toolCallId": "c1",
        "toolName": "bash",
        "content": [TEXT],
        "usage": USAGE,
        "isError": False,
        "timestamp": 1,
    },
    "bashExecution": {
        "role": "bashExecution",
        "command": "ls",
        "output": "o",
        "exitCode": 0,
        "cancelled": False,
        "truncated": False,
        "timestamp": 1,
    },
    "custom": {"role": "custom", "customType": "x", "content": "c", "display": True},
    "system": {
        "role": "system",
        "content": "s",
        "sections": {"a": "b"},
        "toolsAdded": [{"name": "t", "description": "d", "parameters": TOOL}],
        "toolsRemoved": [{"name": "q"}],
    },
}
ABSENT = object()
VALUES = (ABSENT, None, 5, "text", {}, [])


def entry(entry_id: str, parent: str | None, kind: str = "message", **more: Any) -> Value:
    return {"type": kind, "id": entry_id, "parentId": parent, "timestamp": TIME, **more}


def begun(answer: Value = ASSISTANT) -> list[Value]:
    return [
        entry("u1", None, message={"role": "user", "content": "no time is needed"}),
        entry("a1", "u1", message=answer),
    ]


def places(value: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, member in pairs:
        yield (*before, key)
        if isinstance(member, dict | list):
            yield from places(member, (*before, key))


def variants(message: Value) -> Iterator[tuple[tuple[Any, ...], Any, Value]]:
    """Yield the message with one member left out or of another type: place, value, message."""
    for place in places(message):
        for value in VALUES:
            if place == ("role",) or (value is ABSENT and isinstance(place[-1], int)):
                continue
            changed = copy.deepcopy(message)
            holder: Any = changed
            for key in place[:-1]:
                holder = holder[key]
            if value is ABSENT:
                del holder[place[-1]]
            else:
                holder[place[-1]] = value
            yield place, value, changed


def reported(each: Value) -> bool:
    try:
        check_entry(json.dumps(each).encode())
    except InvalidParams:
        return True
    return False


def write(home: Home, entries: list[Value]) -> Path:
    header = {"type": "session", "version": 3, "id": "s", "timestamp": TIME, "cwd": str(home.work)}
    path = home.path / "s.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in (header, *entries)))
    return path


def is_stricter(role: str, place: tuple[Any, ...]) -> bool:
    """What is reported although pi goes on: its terminal fails, or it sends nonsense to a model."""
    if place[0] == "content" and place[-1] in {"type", "text", "thinking", "name", "arguments"}:
        return True
    if (place[0], len(place)) in {
        ("content", 2),
        ("usage", 1),
    }:
        return True
    if place[0] in {"toolsAdded", "toolsRemoved", "command", "output"} or place == ("content",):
        return True
    return place[:2] == ("usage", "cost") and role in {"assistant", "toolResult"}


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    with ModelServer() as model:
        settings = {"retry": {"enabled": False}, "compaction": {"enabled": False}}
        yield Home.make(tmp_path / "home", model.url, **settings)


def can_continue(agent: Agent, path: Path) -> bool:
    """Whether pi opens the session, counts it, and answers the next prompt."""
    try:
        agent.call("switch_session", sessionPath=str(path))
        agent.call("get_session_stats")
        agent.call("get_messages")
    except PiError:
        return False
    agent.events.clear()
    agent.prompt("go on")
    return agent.call("get_messages")["messages"][-1].get("stopReason") == "stop"


@pytest.mark.parametrize("role", MESSAGES)
def test_what_pi_cannot_continue_is_reported_and_little_else(home: Home, role: str) -> None:
    with Agent(home) as agent:
        assert can_continue(agent, write(home, begun()))
        for place, value, message in some(variants(MESSAGES[role]), 5):
            tried = entry("m1", "a1", message=message)
            shown = f"{place} = {value!r}"
            if not can_continue(agent, write(home, [*begun(), tried])):
                assert reported(tried), shown
            elif reported(tried):
                assert is_stricter(role, place), shown


def outcome_in_terminal(home: Home, path: Path) -> str:
    """Open the session in pi's terminal: its last message is shown, or pi ends with an error."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(home.work)
        command = home.command("--session", str(path))
        environment = home.environment() | {"TERM": "xterm-256color"}
        os.execve(command[0], command, environment)  # noqa: S606
    output, deadline = b"", time.monotonic() + DEADLINE
    try:
        while time.monotonic() < deadline:
            if not select.select([terminal], [], [], 1)[0]:
                continue
            try:
                read = os.read(terminal, 65_536)
            except OSError:
                read = b""
            if not read:
                return "error" if b"TypeError" in output else output.decode(errors="replace")
            output += read
            if b"LASTMESSAGE" in output:
                return "shown"
        return output.decode(errors="replace")
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)


LAST = entry("e1", "m1", message={"role": "user", "content": "LASTMESSAGE"})
TOOL_RESULT = MESSAGES["toolResult"]
UNREADABLE = {
    "an answer without usage": entry("m1", "a1", message={**ASSISTANT, "usage": None}),
    "an answer that is a string": entry("m1", "a1", message={**ASSISTANT, "content": "x"}),
    "a result that is a string": entry("m1", "a1", message={**TOOL_RESULT, "content": "x"}),
    "thinking without text": entry(
        "m1", "a1", message={**ASSISTANT, "content": [{"type": "thinking"}]}
    ),
    "a cost that is a string": entry(
        "m1", "a1", message={**ASSISTANT, "usage": {**USAGE, "cost": {"total": "1"}}}
    ),
    "a compaction without tokens": entry("m1", "a1", "compaction", summary="s"),
    "a message of an extension without content": entry(
        "m1", "a1", "custom_message", customType="x", content=5, display=True
    ),
    "a name that is no string": entry("m1", "a1", "session_info", name=5),
    "an edit without replacement": entry("m1", "a1", "context_edit", targetId="u1"),
    "no message": entry("m1", "a1"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_pi_cannot_show_what_is_reported(home: Home, name: str) -> None:
    tried = UNREADABLE[name]
    assert outcome_in_terminal(home, write(home, [*begun(), tried, LAST])) == "error"
    assert reported(tried)


def test_pi_shows_what_is_not_reported(home: Home) -> None:
    plain = [
        entry("m1", "a1", message={"role": "toolResult", "toolCallId": "c1", "toolName": "bash"}),
        entry("m2", "m1", message={"role": "assistant", "usage": {"cost": {}}}),
        entry("m3", "m2", message={"role": "mine", "content": 5}),
        entry("m4", "m3", "compaction", summary="s", tokensBefore=1),
        entry("m5", "m4", "usage", usage={"cost": {}}),
        entry("m6", "m5", "branch_summary", summary="s"),
    ]
    assert not any(map(reported, [*begun(), *plain]))
    assert outcome_in_terminal(home, write(home, [*begun(), *plain, LAST])) == "shown"
