"""pi itself goes on with a copy of another agent's session."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from reference.agent import Home
from support import claude_lines, codex_lines
from support.app import daemon
from support.claude_lines import answer, call, result, text, user
from support.codex_lines import Rollout
from support.commands import run
from support.model_server import ModelServer

TWO_CALLS = (
    user(1, None, "Where is the bear?")
    + answer(2, 1, "m1", text("I look."))
    + answer(3, 2, "m1", call("a", "Bash", command="ls sofa"))
    + answer(4, 3, "m1", call("b", "Bash", command="ls bed"))
    + user(5, 4, [result("a", "dust")])
    + user(6, 5, [result("b", "bear")])
    + answer(7, 6, "m2", text("In the bed."))
)
CALLS = (
    Rollout()
    .meta()
    .prompt("Where is the bear?")
    .said("I look.")
    .item("function_call", name="Bash", arguments='{"command":"ls sofa"}', call_id="a")
    .item("function_call", name="Bash", arguments='{"command":"ls bed"}', call_id="b")
    .tokens()
    .item("function_call_output", call_id="a", output="dust")
    .item("function_call_output", call_id="b", output="bear")
    .said("In the bed.")
)


def sent(model: ModelServer) -> list[tuple[str, Any, list[str]]]:
    """Return role, text and ids of calls of each message that the model got after the first."""
    return [
        (
            each["role"],
            each.get("content"),
            [one["id"] for one in each.get("tool_calls", ())] or each.get("tool_call_id"),
        )
        for each in model.last[1:]
    ]


@pytest.mark.node
@pytest.mark.parametrize("agent", ["claude-code", "codex"])
async def test_pi_continues_with_all_calls_of_an_answer(tmp_path: Path, agent: str):
    if agent == "codex":
        file = codex_lines.lay(tmp_path, CALLS.text)
    else:
        file = claude_lines.lay(tmp_path, TWO_CALLS)
    with ModelServer() as model:
        home = Home.make(tmp_path / "home", model.url)
        async with daemon(tmp_path, profile=agent) as client:
            params = {
                "sourcePath": str(file),
                "targetCwd": str(home.work),
                "sessionDir": str(tmp_path / "out"),
            }
            path = (await client.request("session/forkFrom", params))["sessionFile"]
        assert home.ask("go on", "--session", path) == "heard: go on"
        found = [(role, calls) for role, _, calls in sent(model)]
    assert found == [
        ("user", None),
        ("assistant", ["a", "b"]),
        ("tool", "a"),
        ("tool", "b"),
        ("assistant", None),
        ("user", None),
    ]


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_a_pulled_session_names_where_it_came_from(tmp_path: Path, agent: str):
    if agent == "codex":
        file, session = codex_lines.lay(tmp_path, CALLS.text), codex_lines.THREAD
    else:
        file, session = claude_lines.lay(tmp_path, TWO_CALLS), claude_lines.SESSION
    made = tmp_path / "made.jsonl"
    done = run(tmp_path, "pull", session[:10], "--from", agent, "-o", str(made), cwd=tmp_path)
    assert done.stdout == f"{made}\n", done.stderr
    first, *_, last = map(json.loads, made.read_text().splitlines())
    assert first["id"] == session
    assert (last["type"], last["data"]) == ("custom", {"path": str(file)})
    checked = run(tmp_path, "check", str(made), cwd=tmp_path)
    assert checked.stdout == f"{made}: ok\n"
