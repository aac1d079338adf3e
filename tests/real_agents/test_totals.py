"""The tokens and the results that real programs write, beside what the model has answered.

Each version runs against a model of ours, which uses the same number of tokens for each request and
keeps what it was asked. What a program sends again when it goes on is what a branch must have.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.app import daemon
from support.client import Client

from real_agents.app_server import AppServer
from real_agents.model import Model, Usage, work
from real_agents.where import (
    claude_environment,
    codex_settings,
    environment,
    installed,
    needs,
    opencode_settings,
    output_of,
)

pytestmark = [pytest.mark.node, pytest.mark.timeout(400)]
USED = Usage(input=100, cached=40, output=20)
WORDS = {"result-one", "result-two", "result-three"}


def _claude(version: str) -> list[str]:
    folder = installed(f"claude-code-{version}", "@anthropic-ai")
    program = folder / "claude-code-linux-x64" / "claude"
    return [str(program)] if program.exists() else ["node", str(folder / "claude-code" / "cli.js")]


CLAUDES = ("2.0.64", "2.1.220", "2.1.330")
CODEXES = ("0.128.0", "0.144.0", "0.169.0")
OPENCODES = ("1.2.6", "1.18.33")


def versions(name: str, package: str, numbers: tuple[str, ...]) -> list[Any]:
    """Return the versions to run, each skipped where it is not installed."""
    return [
        pytest.param(number, marks=needs(installed(f"{name}-{number}", package)))
        for number in numbers
    ]


@pytest.fixture
def cwd(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


async def expect_totals(client: Client, requests: int) -> None:
    """Expect the tokens of this number of requests, each counted once.

    Agents that Claude Code 2.0 begins to warm up are left out: it may end before they answer.
    """
    rows = (await client.request("catalog/usage", {"by": "session"}))["rows"]
    counted = [row["sums"]["tokens"] for row in rows if row["info"]["firstMessage"] != "Warmup"]
    assert [sum(each[kind] for each in counted) for kind in ("input", "cacheRead", "output")] == [
        requests * USED.input,
        requests * USED.cached,
        requests * USED.output,
    ]


def expect_the_same_of_ccusage(env: dict[str, str], cwd: Path, requests: int) -> None:
    """Expect that ccusage adds up as many tokens."""
    program = installed("ccusage-20.0.24", ".bin") / "ccusage"
    if not program.exists():
        return
    totals = json.loads(output_of([str(program), "daily", "--json", "--offline"], cwd, env))[
        "totals"
    ]
    assert [totals[f"{kind}Tokens"] for kind in ("input", "cacheRead", "output")] == [
        requests * USED.input,
        requests * USED.cached,
        requests * USED.output,
    ]


async def expect_results(client: Client, path: str) -> None:
    """Expect all results of the parallel calls in a context, each with its call."""
    state = await client.request("session/open", {"path": path, "readOnly": True})
    context = await client.request("session/buildSessionContext", {"session": state["session"]})
    results = [each for each in context["messages"] if each["role"] == "toolResult"]
    assert {word for word in WORDS if word in json.dumps(results)} == WORDS
    calls = [
        block["id"]
        for each in context["messages"]
        if each["role"] == "assistant"
        for block in each["content"]
        if block["type"] == "toolCall"
    ]
    assert {each["toolCallId"] for each in results} == set(calls)


@pytest.mark.parametrize("version", versions("claude-code", "@anthropic-ai", CLAUDES))
async def test_claude_code(tmp_path: Path, cwd: Path, version: str):
    with Model(work, USED) as model:
        env = claude_environment(tmp_path, model.url, IS_SANDBOX="1", DISABLE_AUTOUPDATER="1")

        def claude(*arguments: str) -> str:
            run = [*_claude(version), "-p", *arguments, "--dangerously-skip-permissions"]
            told = json.loads(output_of([*run, "--output-format", "json"], cwd, env))
            session: str = told["session_id"]
            return session

        first = claude("run three")
        claude("and again", "--resume", first)
        assert {word for word in WORDS if word in json.dumps(model.conversation[-1])} >= WORDS
        claude("on the fork", "--resume", first, "--fork-session")
        claude("delegate it")
    env_dir = {"CLAUDE_CONFIG_DIR": str(tmp_path / ".claude")}
    async with daemon(tmp_path, profile="claude-code", env=env_dir) as client:
        listed = (await client.request("session/listAll", {}))["sessions"]
        assert len(listed) == 3
        for info in listed:
            if info["firstMessage"] == "run three":
                await expect_results(client, info["path"])
        await expect_totals(client, len(model.conversation))
    if version != CLAUDES[0]:
        # There it also counts the agents that were begun to warm up.
        expect_the_same_of_ccusage(env, cwd, len(model.conversation))


@pytest.mark.parametrize("version", versions("codex", "@openai/codex", CODEXES))
async def test_codex(tmp_path: Path, cwd: Path, version: str):
    program = installed(f"codex-{version}", "@openai/codex") / "bin" / "codex.js"
    with Model(work, USED) as model:
        env = environment(tmp_path, OPENAI_API_KEY="k")
        codex_settings(tmp_path, model.url)
        run = ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
        for said in (["run three"], ["resume", "--last", "and again"]):
            output_of(["node", str(program), *run, *said], cwd, env)
        with AppServer(cwd, env, program) as codex:
            (first,) = (thread["id"] for thread in codex.threads(archived=False))
            forked = codex.ask("thread/fork", threadId=first)["thread"]["id"]
            codex.turn(forked, "on the fork")
    async with daemon(tmp_path, profile="codex") as client:
        listed = {
            each["id"]: each for each in (await client.request("session/listAll", {}))["sessions"]
        }
        assert set(listed) == {first, forked}
        await expect_results(client, listed[first]["path"])
        await expect_totals(client, len(model.conversation))


@pytest.mark.parametrize("version", versions("opencode", "opencode-ai", OPENCODES))
async def test_opencode(tmp_path: Path, cwd: Path, version: str):
    program = installed(f"opencode-{version}", "opencode-linux-x64") / "bin" / "opencode"
    with Model(work, USED) as model:
        env = opencode_settings(tmp_path, model.url)
        output_of([str(program), "run", "run three"], cwd, env)
        output_of([str(program), "run", "--continue", "and again"], cwd, env)
    async with daemon(tmp_path, profile="opencode") as client:
        (info,) = (await client.request("session/listAll", {}))["sessions"]
        await expect_results(client, info["path"])
        await expect_totals(client, len(model.conversation))
