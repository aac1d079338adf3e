"""Sessions that agents began: listed when asked for, found, counted once, below their parent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support import claude_lines, codex_lines, opencode_database
from support.app import daemon
from support.client import Client
from support.codex_lines import FORK, THREAD, Rollout
from support.commands import run
from support.opencode_database import Opencode

QUESTION = "Look under the sofa."


def claude(home: Path) -> tuple[str, str, dict[str, str]]:
    """Lay a session of Claude Code with a subagent; return both paths, and what is known of it."""
    file = claude_lines.lay(home)
    sub = file.with_suffix("") / "subagents" / "agent-a1b2.jsonl"
    sub.parent.mkdir(parents=True)
    asked = claude_lines.user(1, None, QUESTION, isSidechain=True, agentId="a1b2")
    sub.write_text(asked + claude_lines.answer(2, 1, "s1", claude_lines.text("Dust.")))
    meta = {"agentType": "Explore", "description": "Look around", "toolUseId": "c1"}
    sub.with_suffix("").with_suffix(".meta.json").write_text(json.dumps(meta) + "\n")
    return str(file), str(sub), {"kind": "Explore", "toolCallId": "c1"}


def codex(home: Path) -> tuple[str, str, dict[str, str]]:
    """Lay a thread of Codex that spawned another one, on the day before by its clock."""
    file = codex_lines.lay(home, Rollout().meta().turn().text, below="sessions/2026/03/03")
    more = {"parent_thread_id": THREAD, "agent_role": "explorer"}
    text = Rollout().meta(FORK, **more).prompt(QUESTION).said("Dust.").tokens().text
    return str(file), str(codex_lines.lay(home, text, FORK)), {"kind": "explorer"}


def opencode(home: Path) -> tuple[str, str, dict[str, str]]:
    """Lay a database of opencode with a session and one of a subagent."""
    own = Opencode(home)
    own.session()
    own.turn()
    own.session("ses_sub", parent_id=opencode_database.SESSION)
    asked = own.message("user", "ses_sub")
    own.part(asked, "text", "ses_sub", text=QUESTION)
    told = own.message("assistant", "ses_sub")
    own.part(told, "text", "ses_sub", text="Dust.")
    own.complete(told, "ses_sub")
    return own.session_path(), own.session_path("ses_sub"), {}


ROOMS = {"claude-code": claude, "codex": codex, "opencode": opencode}


def titles(home: Path, *arguments: str) -> list[str]:
    return [line.split("\t")[-1] for line in run(home, *arguments).stdout.splitlines()]


def add(path: str, text: str) -> None:
    with Path(path).open("a") as file:
        file.write(text)


async def paths(client: Client, method: str, **params: Any) -> list[str]:
    return [info["path"] for info in (await client.request(method, params))["sessions"]]


@pytest.mark.parametrize("agent", ROOMS)
async def test_a_subagent_is_listed_below_its_parent_and_counted_once(tmp_path: Path, agent: str):
    parent, sub, known = ROOMS[agent](tmp_path)
    async with daemon(tmp_path, profile=agent) as client:
        assert await paths(client, "session/listAll") == [parent]
        assert await paths(client, "catalog/subscribe") == [parent]
        assert set(await paths(client, "catalog/subscribe", subagents=True)) == {parent, sub}
        listed = (await client.request("session/listAll", {"subagents": True}))["sessions"]
        (info,) = (each for each in listed if each["path"] == sub)
        assert (info["parentSessionPath"], info["subagent"]) == (parent, known)
        assert info["firstMessage"] == QUESTION
        found = await client.request("catalog/search", {"query": "under the sofa."})
        assert sub in [hit["info"]["path"] for hit in found["hits"]]
        rows = (await client.request("catalog/usage", {"by": "session"}))["rows"]
        both = (await client.request("catalog/usage", {}))["sums"]
        of_each = [row["sums"]["tokens"]["input"] for row in rows]
        assert len(rows) == 2
        assert both["tokens"]["input"] == sum(of_each)
        by_id = {"id": info["id"], "cwd": info["cwd"]}
        assert (await client.request("session/findById", by_id))["path"] == sub
        # By its whole id; the beginning of one means a session that a person began.
        assert (await client.request("session/findById", {**by_id, "prefix": True}))["path"] == sub
        (by_people,) = (each for each in listed if each["path"] == parent)
        begun = {"cwd": info["cwd"], "id": by_people["id"][:3], "prefix": True}
        assert (await client.request("session/findById", begun))["path"] == parent


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
async def test_the_latest_session_is_one_of_a_person(tmp_path: Path, agent: str):
    parent, sub, _ = ROOMS[agent](tmp_path)
    assert Path(sub).stat().st_mtime_ns > Path(parent).stat().st_mtime_ns
    async with daemon(tmp_path, profile=agent) as client:
        (info,) = (await client.request("session/listAll", {}))["sessions"]
        state = await client.request("session/continueRecent", {"cwd": info["cwd"]})
        assert state["sessionFile"] == parent


async def test_a_subagent_that_appears_is_told_with_its_parent(tmp_path: Path):
    parent, sub, _ = claude(tmp_path)
    begun = Path(sub).read_text()
    Path(sub).unlink()
    async with daemon(tmp_path, profile="claude-code") as client:
        alone = await client.request("catalog/subscribe", {})
        both = await client.request("catalog/subscribe", {"subagents": True})
        Path(sub).write_text(begun)
        add(parent, claude_lines.user(8, 7, "And now?"))
        changed: dict[str, set[str]] = {alone["subscription"]: set(), both["subscription"]: set()}
        while [len(paths) for paths in changed.values()] != [1, 2]:
            told = await client.notification("catalog/didChange")
            changed[told["subscription"]] |= {change["path"] for change in told["changes"]}
        assert list(changed.values()) == [{parent}, {parent, sub}]


async def test_what_lies_beside_a_session_is_no_subagent(tmp_path: Path):
    parent, sub, _ = claude(tmp_path)
    place = Path(sub).parent
    place.rename(place.with_name("other"))
    (Path(parent).parent / "memory" / "subagents").mkdir(parents=True)
    (Path(parent).parent / "memory" / "subagents" / "agent-x.jsonl").write_text("x")
    async with daemon(tmp_path, profile="claude-code") as client:
        assert await paths(client, "session/listAll", subagents=True) == [parent]


def test_the_command_shows_subagents_below_their_sessions(tmp_path: Path):
    claude(tmp_path)
    codex(tmp_path)
    asked = "Where is the teddy bear?"
    assert titles(tmp_path, "list", "--all") == [asked] * 2
    shown = titles(tmp_path, "list", "--all", "--subagents")
    assert (shown[0], shown[2]) == (asked, asked)
    assert {shown[1], shown[3]} == {"Look around", QUESTION}


def lay_agent(file: Path, words: str, parent: Path | None = None) -> Path:
    """Write a subagent of Claude Code with one answer."""
    file.parent.mkdir(parents=True, exist_ok=True)
    asked = claude_lines.user(1, None, words, isSidechain=True, agentId="a")
    answer = claude_lines.answer(2, 1, f"m-{file.stem}", claude_lines.text("Done."))
    text = asked + answer
    if parent is not None:
        text = text.replace(claude_lines.SESSION, parent.stem)
    file.write_text(text)
    return file


async def found(client: Client, **params: Any) -> dict[str, dict[str, Any]]:
    sessions = (await client.request("session/listAll", {"subagents": True, **params}))["sessions"]
    return {each["path"]: each for each in sessions}


async def test_agents_of_workflows_and_of_agents_are_found(tmp_path: Path):
    # getagentseal/codeburn #470: `subagents/workflows/wf_*/agent-*.jsonl`, and nested ones.
    file = claude_lines.lay(tmp_path)
    below = file.with_suffix("") / "subagents"
    worker = lay_agent(below / "workflows" / "wf_1" / "agent-b.jsonl", "Count.")
    (worker.parent / "journal.jsonl").write_text('{"type":"launched","sessionId":"0b1c2d3e-"}\n')
    first = lay_agent(below / "agent-c.jsonl", "Delegate.")
    nested = lay_agent(below / "agent-c" / "subagents" / "agent-d.jsonl", "Look.")
    async with daemon(tmp_path, profile="claude-code") as client:
        every = await found(client)
        parents = {path: each.get("parentSessionPath") for path, each in every.items()}
        assert parents == {
            str(file): None,
            str(worker): str(file),
            str(first): str(file),
            str(nested): str(first),
        }
        (listed,) = (await client.request("session/listAll", {}))["sessions"]
        assert listed["path"] == str(file)
        # Two requests of the session, and one of each subagent.
        usage = (await client.request("catalog/usage", {}))["sums"]["tokens"]
        assert usage["output"] == 5 * 20


async def test_agents_beside_a_session_are_its_subagents(tmp_path: Path):
    # Versions 2.0 write them there (anthropics/claude-code #9668).
    file = claude_lines.lay(tmp_path)
    beside = lay_agent(file.with_name("agent-82c11704.jsonl"), "Warmup")
    async with daemon(tmp_path, profile="claude-code") as client:
        (agent,) = [each for path, each in (await found(client)).items() if path != str(file)]
        assert (agent["id"], agent["parentSessionPath"]) == (beside.stem, str(file))
        wanted = {"cwd": claude_lines.CWD, "id": claude_lines.SESSION[:8], "prefix": True}
        assert (await client.request("session/findById", wanted))["path"] == str(file)


def lay_pi(file: Path, session: str, words: str, cost: float, tool: float = 0) -> Path:
    """Write a session of pi with one answer, and a result that has the cost of subagents."""
    usage = {"input": 1, "output": 1, "cacheRead": 0, "cacheWrite": 0}
    messages = [
        {"role": "user", "content": words},
        {"role": "assistant", "content": [], "usage": {**usage, "cost": {"total": cost}}},
    ]
    if tool:
        result = {"role": "toolResult", "toolCallId": "c", "toolName": "subagent", "content": []}
        messages.append({**result, "usage": {**usage, "cost": {"total": tool}}})
    time = "2026-11-20T10:00:00.000Z"
    lines: list[dict[str, Any]] = [
        {"type": "session", "version": 3, "id": session, "timestamp": time, "cwd": "/w"}
    ]
    for number, message in enumerate(messages):
        parent = f"{session}{number - 1}" if number else None
        entry = {
            "type": "message",
            "id": f"{session}{number}",
            "parentId": parent,
            "timestamp": time,
        }
        lines.append({**entry, "message": message})
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


@pytest.mark.parametrize("is_told", [False, True])
async def test_runs_below_a_session_of_pi_are_its_subagents(tmp_path: Path, is_told: bool):
    # Newer packages put the usage of a subagent into the result of its call, too.
    folder = tmp_path / ".pi" / "agent" / "sessions" / "--w--"
    stem = "2026-11-20T10-00-00-000Z_01ac0000-0000-7000-8000-000000000001"
    parent = lay_pi(folder / f"{stem}.jsonl", "parent", "Plan.", 0.25, 2.5 if is_told else 0)
    run_ = lay_pi(folder / stem / "a1b2" / "run-0" / "session.jsonl", "child", "zebra", 2.5)
    async with daemon(tmp_path) as client:
        every = await found(client)
        assert {path: each.get("parentSessionPath") for path, each in every.items()} == {
            str(parent): None,
            str(run_): str(parent),
        }
        (listed,) = (await client.request("session/listAll", {}))["sessions"]
        assert listed["path"] == str(parent)
        assert (await client.request("catalog/usage", {}))["sums"]["cost"]["total"] == 2.75
        (hit,) = (await client.request("catalog/search", {"query": "zebra"}))["hits"]
        assert hit["info"]["path"] == str(run_)


async def test_what_runs_cost_counts_without_their_sessions(tmp_path: Path):
    folder = tmp_path / ".pi" / "agent" / "sessions" / "--w--"
    lay_pi(folder / "2026-11-20T10-00-00-000Z_p.jsonl", "parent", "Plan.", 0.25, 2.5)
    async with daemon(tmp_path) as client:
        rows = (await client.request("catalog/usage", {"by": "model"}))["rows"]
    assert {row["key"]: row["sums"]["cost"]["total"] for row in rows}["(subagents)"] == 2.5


STEM = "2026-11-20T10-00-00-000Z_01ac0000-0000-7000-8000-000000000001"


def lay_family(home: Path, cwd: Path) -> tuple[Path, Path]:
    """Write a session of pi with a run below it; return both files."""
    folder = home / ".pi" / "agent" / "sessions" / f"--{str(cwd).strip('/').replace('/', '-')}--"
    parent = lay_pi(folder / f"{STEM}.jsonl", "parent", "Plan.", 0.25)
    child = lay_pi(folder / STEM / "a1b2" / "run-0" / "session.jsonl", "child", "okapi", 2.5)
    for file in (parent, child):
        text = file.read_text().replace('"cwd": "/w"', f'"cwd": "{cwd}"')
        file.write_text(
            text.replace('"id": "child"', f'"id": "child", "parentSession": "{parent}"')
        )
    return parent, child


@pytest.mark.parametrize("back", [["restore", "last"], ["undo"]])
def test_subagents_go_to_the_trash_and_come_back_with_their_parent(tmp_path: Path, back: list[str]):
    parent, child = lay_family(tmp_path, tmp_path)
    before = child.read_bytes()
    assert run(tmp_path, "delete", str(parent), cwd=tmp_path).returncode == 0
    assert not parent.exists()
    assert not child.exists()
    assert run(tmp_path, *back, cwd=tmp_path).returncode == 0
    assert parent.exists()
    assert child.read_bytes() == before


def test_subagents_are_deleted_with_their_parent(tmp_path: Path):
    parent, child = lay_family(tmp_path, tmp_path)
    done = run(tmp_path, "delete", "--permanently", "--yes", str(parent), cwd=tmp_path)
    assert done.returncode == 0
    assert list(parent.parent.iterdir()) == []
    assert not child.exists()


def test_subagents_move_with_their_parent(tmp_path: Path):
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    new.mkdir()
    parent, child = lay_family(tmp_path, old)
    done = run(tmp_path, "relink", str(old), str(new), "--yes", cwd=tmp_path)
    assert done.returncode == 0
    moved = Path(str(parent).replace("-old--", "-new--"))
    below = Path(str(child).replace("-old--", "-new--"))
    assert (moved.exists(), below.exists(), child.exists()) == (True, True, False)
    header = json.loads(below.read_text().splitlines()[0])
    assert (header["cwd"], header["parentSession"]) == (str(new), str(moved))
