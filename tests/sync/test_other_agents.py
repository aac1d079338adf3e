"""Sessions of agents that alone write their files: Claude Code and Codex."""

import json
from pathlib import Path

import pytest
from machines import Machine, moves
from support import claude_lines, codex_lines

NAME = f"{claude_lines.SESSION}.jsonl"
ROLLOUT = f"rollout-2026-03-04T05-00-00-{codex_lines.THREAD}.jsonl"


@pytest.fixture
def laptop(tmp_path: Path) -> Machine:
    return Machine(tmp_path / "home/me")


@pytest.fixture
def desktop(tmp_path: Path) -> Machine:
    return Machine(tmp_path / "Users/me")


def claude(machine: Machine, below: str = "shop") -> Path:
    """Write a session with a subagent and an output; return its file."""
    cwd = str(machine.home / below)
    project = "".join(each if each.isalnum() else "-" for each in cwd)
    path = machine.home / ".claude/projects" / project / NAME
    (path.with_suffix("") / "subagents").mkdir(parents=True)
    (path.with_suffix("") / "tool-results").mkdir()
    text = claude_lines.user(1, None, "hello") + claude_lines.user(2, 1, "again")
    path.write_text(text.replace(claude_lines.CWD, cwd))
    (path.with_suffix("") / "subagents/agent-1.jsonl").write_text(text)
    (path.with_suffix("") / "tool-results/out.txt").write_bytes(b"\xff no line feed")
    return path


def codex(machine: Machine) -> Path:
    path = machine.home / ".codex/sessions/2026/03/04" / ROLLOUT
    path.parent.mkdir(parents=True)
    path.write_text(codex_lines.Rollout().meta().text)
    return path


def copies(machine: Machine, name: str) -> list[Path]:
    return sorted(machine.home.rglob(name))


@pytest.mark.parametrize("through", ["cloud", None])
async def test_files_come_where_their_agent_looks_and_continue_exactly(
    laptop: Machine, desktop: Machine, tmp_path: Path, through: str | None
):
    async def sync() -> None:
        if through is None:
            await laptop.sync(desktop)
            return
        await laptop.sync(tmp_path / through)
        await desktop.sync(tmp_path / through)

    source, rollout = claude(laptop), codex(laptop)
    await sync()
    (copy,) = copies(desktop, NAME)
    shop = str(desktop.home / "shop")
    assert copy.parent.name == "".join(each if each.isalnum() else "-" for each in shop)
    for part in ("subagents/agent-1.jsonl", "tool-results/out.txt"):
        original = source.with_suffix("") / part
        assert (copy.with_suffix("") / part).read_bytes() == original.read_bytes()
    assert copy.read_bytes() == source.read_bytes()
    assert desktop.home / rollout.relative_to(laptop.home) == copies(desktop, ROLLOUT)[0]
    with source.open("a") as file:
        file.write(claude_lines.user(3, 2, "more") + '{"half')
    await sync()
    assert copy.read_text() == source.read_text().removesuffix('{"half')
    before = {path: path.stat() for path in desktop.home.rglob("*.jsonl")}
    await sync()
    assert {path: path.stat() for path in before} == before


async def test_sessions_that_went_on_in_both_places_stay_as_they_are(
    laptop: Machine, desktop: Machine
):
    source = claude(laptop)
    await laptop.sync(desktop)
    (copy,) = copies(desktop, NAME)
    for path, text in ((source, "mine"), (copy, "yours, and longer")):
        with path.open("a") as file:
            file.write(claude_lines.user(3, 2, text))
    before = source.read_bytes(), copy.read_bytes()
    report = await laptop.sync(desktop)
    assert report.moves == []
    assert [each.text for each in report.problems] == [
        "differs on both sides, and its agent alone can continue it"
    ]
    assert (source.read_bytes(), copy.read_bytes()) == before


async def test_conflict_copies_of_other_agents_become_no_sessions(
    laptop: Machine, desktop: Machine, tmp_path: Path
):
    claude(laptop)
    folder = tmp_path / "cloud"
    await laptop.sync(folder)
    (kept,) = folder.rglob(NAME)
    other = kept.with_name(f"{claude_lines.SESSION}.sync-conflict-20261128-101010-ABCDEFG.jsonl")
    other.write_text(kept.read_text())
    agent = kept.with_suffix("") / "subagents/agent-1 (conflicted copy 2026-11-28).jsonl"
    agent.write_text(kept.read_text())
    report = await desktop.sync(folder)
    assert [str(move.item.ref.session) for move in report.moves] == [NAME] * 3
    assert [path.name for path in desktop.home.rglob("*conflict*.jsonl")] == []


async def test_nothing_is_written_outside_of_the_agents_directory(laptop: Machine, tmp_path: Path):
    folder = tmp_path / "cloud"
    place = folder / "codex/../codex/sessions/2026"
    place.mkdir(parents=True)
    (place / ROLLOUT).write_text(codex_lines.Rollout().meta().text)
    (folder / "claude-code" / "~%2F..%2F..%2Fevil").mkdir(parents=True)
    (folder / "claude-code" / "~%2F..%2F..%2Fevil" / NAME).write_text(
        claude_lines.user(1, None, "hello")
    )
    report = await laptop.sync(folder)
    assert [each[0] for each in moves(report)] == [NAME]
    assert "reads no file with this name" in report.problems[0].text
    (copy,) = tmp_path.rglob(f"projects/*/{NAME}")
    assert copy.parent.parent == laptop.home / ".claude/projects"
    assert json.loads(copy.read_text().split("\n")[0])["sessionId"] == claude_lines.SESSION
