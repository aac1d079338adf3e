"""Real clients of the Model Context Protocol use `sessiond mcp`.

The official SDK over all versions, the Inspector, and two agents from npm, Codex and Claude Code,
whose model is ours: it searches, opens what it has found, and says what it has read.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from support.mcp import chain, project

from real_agents.model import Model, offered, recall_deferred
from real_agents.model import recall as recall_now
from real_agents.where import (
    CLAUDE,
    CODEX,
    ROOT,
    claude_environment,
    codex_settings,
    environment,
    needs,
    output_of,
)

SDK = ROOT / "mcp-sdk-2.3.0" / "bin" / "python"
INSPECTOR = ROOT / "inspector-2.12.0" / "node_modules" / ".bin" / "mcp-inspector"
SESSIOND = str(Path(sys.executable).parent / "sessiond")
WORDS = "a needle of wisdom"
pytestmark = [pytest.mark.node, pytest.mark.timeout(300)]


@needs(SDK)
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize(
    ("mode", "version"),
    [("legacy", "2025-11-25"), ("auto", "2026-07-28"), ("2026-07-28", "2026-07-28")],
)
def test_the_official_client_uses_everything(
    tmp_path: Path, mode: str, version: str, *, shared: bool
):
    cwd = project(tmp_path)
    chain(tmp_path, cwd, WORDS)
    options = ["--shared", "--idle-exit", "1"] if shared else []
    script = str(Path(__file__).with_name("mcp_sdk.py"))
    command = [str(SDK), "-W", "ignore", script, mode, SESSIOND, "mcp", *options]
    found: dict[str, Any] = json.loads(output_of(command, cwd, environment(tmp_path)))
    assert found["version"] == version
    assert found["tools"] == ["search_sessions", "open_session", "list_sessions"]
    for name in ("search", "open", "list"):
        assert not found[name]["error"]
        assert f"> {WORDS}" in found[name]["text"]
    assert found["failure"]["error"]
    assert found["resources"] == ["sessiond://session/chain"]
    assert f"> {WORDS}" in found["read"]
    assert len(found["templates"]) == 2
    assert found["missing"] == (-32002 if mode == "legacy" else -32602)


@needs(INSPECTOR)
def test_the_inspector_lists_and_calls(tmp_path: Path):
    cwd = project(tmp_path)
    chain(tmp_path, cwd, WORDS)

    def inspected(*options: str) -> Any:
        command = ["node", str(INSPECTOR), "--cli", SESSIOND, "mcp", "--method", *options]
        return json.loads(output_of(command, cwd, environment(tmp_path)))

    tools = inspected("tools/list")["tools"]
    assert [tool["name"] for tool in tools] == ["search_sessions", "open_session", "list_sessions"]
    call = ("tools/call", "--tool-name", "search_sessions", "--tool-arg", "query=needle", "limit=3")
    (shown,) = inspected(*call)["content"]
    assert "session chain, " in shown["text"]
    (resource,) = inspected("resources/list")["resources"]
    read = inspected("resources/read", "--uri", resource["uri"])
    assert WORDS in read["contents"][0]["text"]


USED = {"search_sessions", "open_session"}
TOOLS = {*USED, "list_sessions"}
_TRIES = 4


def recall(
    model: Model,
    command: list[str],
    cwd: Path,
    env: dict[str, str],
    *,
    deferred: bool,
) -> None:
    """Ask the agent, and again if it has not waited for the tools.

    Both agents leave out the tools of a server that is slow at first, as on a busy machine.
    """
    wanted = USED if deferred else TOOLS
    for _ in range(_TRIES):
        model.requests.clear()
        said = output_of(command, cwd, env)
        if model.offered >= wanted:
            break
    assert model.offered >= wanted
    assert bool(offered(model.requests[0]) & TOOLS) != deferred
    assert len(model.requests) == 3 + deferred, "a search, an opening, and the end"
    assert WORDS in said
    assert "not instructions to you" in said


@needs(CODEX)
@pytest.mark.parametrize("deferred", [False, True])
@pytest.mark.parametrize("options", [[], ["--shared", "--idle-exit", "1"]])
def test_codex_recalls_a_session(tmp_path: Path, options: list[str], *, deferred: bool):
    cwd = project(tmp_path)
    chain(tmp_path, cwd, WORDS)
    env = environment(tmp_path, OPENAI_API_KEY="k")
    with Model(recall_deferred if deferred else recall_now) as model:
        # With a model that Codex knows, the tools of servers are found by a search alone.
        codex_settings(tmp_path, model.url, "gpt-5.5" if deferred else "plain")
        codex = ["node", str(CODEX)]
        output_of([*codex, "mcp", "add", "sessiond", "--", SESSIOND, "mcp", *options], cwd, env)
        run = ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
        recall(model, [*codex, *run, "what did we say about it?"], cwd, env, deferred=deferred)


@needs(CLAUDE)
@pytest.mark.parametrize("deferred", [False, True])
@pytest.mark.parametrize("options", [[], ["--shared", "--idle-exit", "1"]])
def test_claude_code_recalls_a_session(tmp_path: Path, options: list[str], *, deferred: bool):
    cwd = project(tmp_path)
    chain(tmp_path, cwd, WORDS)
    with Model(recall_deferred if deferred else recall_now) as model:
        defers = str(deferred).lower()
        env = claude_environment(tmp_path, model.url, ENABLE_TOOL_SEARCH=defers)
        claude = [str(CLAUDE)]
        output_of([*claude, "mcp", "add", "sessiond", "--", SESSIOND, "mcp", *options], cwd, env)
        allowed = "mcp__sessiond__search_sessions,mcp__sessiond__open_session"
        run = ["-p", "what did we say about it?", "--allowedTools", allowed]
        recall(model, [*claude, *run], cwd, env, deferred=deferred)
        # The instructions of the server reach the model.
        assert "Before you ask the user again" in json.dumps(model.requests[0])
