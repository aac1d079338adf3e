"""Sessions of all agents at once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support import claude_lines, codex_lines
from support.app import daemon
from support.client import RpcError
from support.commands import run
from support.mcp import mcp
from support.opencode_database import SESSION as OPENCODE_SESSION
from support.opencode_database import Opencode
from support.session_lines import header, line

CWD = "/work/robots"
PI, CLANKER = "pi-session", "clanker-session"
EVERY = {
    PI: "pi",
    CLANKER: "clanker",
    claude_lines.SESSION: "claude-code",
    codex_lines.THREAD: "codex",
    OPENCODE_SESSION: "opencode",
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a session of each of five agents, about the same question."""
    for agent, session in (("pi", PI), ("clanker", CLANKER)):
        file = tmp_path / f".{agent}" / "agent" / "sessions" / "--work-robots--" / "s.jsonl"
        file.parent.mkdir(parents=True)
        file.write_text(header(session, CWD) + line("u1", None, "Where is the teddy bear?"))
    turn = claude_lines.TURN.replace(claude_lines.CWD, CWD)
    file = claude_lines.lay(tmp_path, turn)
    file.parent.rename(file.parent.with_name("-work-robots"))
    codex_lines.lay(tmp_path, codex_lines.Rollout().meta().turn().text)
    opencode = Opencode(tmp_path)
    opencode.session()
    opencode.turn()
    opencode.close()
    return tmp_path


@pytest.mark.parametrize("by_option", [True, False])
async def test_lists_searches_and_usage_are_of_all_agents(home: Path, by_option: bool):
    async with daemon(home, all_agents=by_option) as client:
        told = await client.request("initialize", {} if by_option else {"allAgents": True})
        assert told["profile"] == "pi"
        assert {each["agent"] for each in told["agents"]} == set(EVERY.values())
        for method, params in (("session/listAll", {}), ("session/list", {"cwd": CWD})):
            listed = (await client.request(method, params))["sessions"]
            assert {each["id"]: each["agent"] for each in listed} == EVERY
        assert (await client.request("session/list", {"cwd": "/elsewhere"}))["sessions"] == []
        hits = (await client.request("catalog/search", {"query": "teddy bear"}))["hits"]
        assert {each["info"]["id"]: each["info"]["agent"] for each in hits} == EVERY
        for agent in ("pi", "codex"):
            asked = {"query": "teddy bear", "agent": agent}
            (hit,) = (await client.request("catalog/search", asked))["hits"]
            assert hit["info"]["agent"] == agent
        with pytest.raises(RpcError, match="expected one of pi, "):
            await client.request("catalog/search", {"query": "teddy", "agent": "nobody"})
        rows = (await client.request("catalog/usage", {"by": "session"}))["rows"]
        spent = {each["info"]["agent"]: each["sums"]["tokens"]["output"] for each in rows}
        assert {name: spent[name] for name in ("claude-code", "codex", "opencode")} == {
            "claude-code": 40,
            "codex": 40,
            "opencode": 40,
        }
        checked = (await client.request("catalog/check", {}))["files"]
        assert len(checked) == 5
        for info in (await client.request("session/listAll", {}))["sessions"]:
            state = await client.request("session/open", {"path": info["path"], "readOnly": True})
            assert state["agent"] == info["agent"]
        for session in EVERY:
            found = await client.request("session/findById", {"cwd": CWD, "id": session})
            assert session in found["path"] or found["path"].endswith("s.jsonl")


async def test_of_copies_with_one_id_that_of_the_own_agent_is_meant(home: Path):
    codex = next(home.glob(".codex/sessions/*/*/*/*.jsonl"))
    claude = next(home.glob(".claude/projects/*/*.jsonl"))
    meant = {"cwd": "/nowhere", "id": claude.stem[:8], "prefix": True}
    copy = codex.with_name("rollout-2026-11-20T10-00-00-" + claude.stem + ".jsonl")
    copy.write_text(codex.read_text().replace(codex_lines.THREAD, claude.stem))
    async with daemon(home) as client:
        await client.request("initialize", {"allAgents": True})
        assert (await client.request("session/findById", meant))["path"] in map(str, (copy, claude))
        # What is to be changed is named by its path.
        found = await client.request("session/findById", {**meant, "unique": True})
        assert found["path"] is None
        assert {each["agent"] for each in found["candidates"]} == {"claude-code", "codex"}
    async with daemon(home, profile="codex") as client:
        await client.request("initialize", {"allAgents": True})
        assert (await client.request("session/findById", meant))["path"] == str(copy)


async def test_a_profile_alone_is_about_its_agent(home: Path):
    async with daemon(home, profile="codex") as client:
        assert "agents" not in await client.request("initialize", {})
        (info,) = (await client.request("session/listAll", {}))["sessions"]
        assert info["id"] == codex_lines.THREAD
        assert "agent" not in info


async def test_subscribers_hear_of_every_agent(home: Path):
    async with daemon(home) as client:
        await client.request("initialize", {"allAgents": True})
        await client.request("catalog/subscribe", {})
        claude = next(home.glob(".claude/projects/*/*.jsonl"))
        codex = next(home.glob(".codex/sessions/*/*/*/*.jsonl"))
        pi = home / ".pi" / "agent" / "sessions" / "--work-robots--" / "s.jsonl"
        for file, more, agent in (
            (pi, line("u2", "u1", "Thank you."), "pi"),
            (claude, claude_lines.user(9, 7, "Thank you."), "claude-code"),
            (codex, codex_lines.Rollout(20).prompt("Thank you.").text, "codex"),
        ):
            with file.open("a") as out:
                out.write(more)
            told = await client.notification("catalog/didChange")
            (change,) = told["changes"]
            assert (change["path"], change["info"]["agent"]) == (str(file), agent)


async def test_agents_outside_the_roots_are_left_out(home: Path):
    async with daemon(home, all_agents=True, roots=[str(home / ".codex")]) as client:
        await client.request("initialize", {"profile": "codex", "allAgents": True})
        listed = (await client.request("session/listAll", {}))["sessions"]
        assert [each["id"] for each in listed] == [codex_lines.THREAD]


async def test_one_agent_that_cannot_be_read_hides_no_other(home: Path):
    (home / ".local" / "share" / "opencode" / "opencode.db").write_bytes(b"no database")
    async with daemon(home, all_agents=True) as client:
        answer = await client.request("session/listAll", {})
        assert len(answer["sessions"]) == 4
        assert len(answer["problems"]) == 1


def test_commands_are_about_all_agents_unless_one_is_named(home: Path):
    every = json.loads(run(home, "list", "--all", "--json", cwd=home).stdout)["sessions"]
    assert {each["id"]: each["agent"] for each in every} == EVERY
    named = run(home, "list", "--all", "--json", "--profile", "pi", cwd=home).stdout
    assert [each["id"] for each in json.loads(named)["sessions"]] == [PI]
    # An id is enough, whichever agent has the session.
    for session in EVERY:
        shown = run(home, "show", session, cwd=home)
        assert "Where is the teddy bear?" in shown.stdout, shown.stderr
    assert (
        "opencode.db" in run(home, "search", "--all", "--json", "under the sofa", cwd=home).stdout
    )


def test_of_sessions_with_one_id_that_of_the_profile_is_meant(home: Path):
    file = next(home.glob(".claude/projects/*/*.jsonl"))
    made = run(home, "pull", claude_lines.SESSION, "--from", "claude-code", cwd=home)
    copy = made.stdout.strip()
    assert ".pi/agent/sessions" in copy, made.stderr
    for arguments, found in (((), copy), (("--profile", "claude-code"), str(file))):
        checked = run(home, "check", claude_lines.SESSION, *arguments, cwd=home)
        assert checked.stdout == f"{found}: ok\n", checked.stderr


async def test_agents_recall_the_sessions_of_all_others(home: Path):
    async with mcp(home, Path(CWD), all_agents=True) as client:
        found = await client.call("search_sessions", query="teddy bear", limit=10)
        assert {each["session"] for each in found["sessions"]} == set(EVERY)
