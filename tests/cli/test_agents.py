"""`sessiond agents` and `catalog/agents`: which agents have sessions here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from support import claude_lines
from support.agent_trials import bytes_below
from support.app import daemon
from support.commands import run


def lay(home: Path) -> None:
    for number, version in enumerate(("2.1.220", "2.1.330", "2.1.330"), 1):
        session = f"{number}0000000-0000-4000-8000-000000000000"
        content = claude_lines.TURN.replace("2.1.330", version)
        content = content.replace(claude_lines.SESSION, session)
        claude_lines.lay(home, content, session)
    (home / ".kimi-code" / "sessions").mkdir(parents=True)
    (home / ".pi" / "agent" / "sessions").mkdir(parents=True)


def test_agents_are_named_with_their_sessions_and_versions(tmp_path: Path):
    lay(tmp_path)
    before = bytes_below(tmp_path / ".claude")
    result = json.loads(run(tmp_path, "agents", "--json").stdout)
    assert {each["agent"]: each["sessions"] for each in result["agents"]} == {
        "pi": 0,
        "claude-code": 3,
    }
    (claude,) = (each for each in result["agents"] if each["agent"] == "claude-code")
    assert set(claude["versions"]) == {"2.1.220", "2.1.330"}
    assert claude["readOnly"] is True
    assert result["unread"] == [
        {"name": "Kimi Code", "directory": str(tmp_path / ".kimi-code" / "sessions")}
    ]
    shown = run(tmp_path, "agents").stdout
    for text in ("claude-code", "2.1.330", "Kimi Code", "~/.claude/projects"):
        assert text in shown
    assert bytes_below(tmp_path / ".claude") == before


def test_without_an_agent_the_command_finds_nothing(tmp_path: Path):
    done = run(tmp_path, "agents")
    assert (done.returncode, done.stdout) == (1, "")


async def test_agents_outside_the_roots_are_left_out(tmp_path: Path):
    lay(tmp_path)

    async def names(**options: Any) -> list[str]:
        async with daemon(tmp_path, **options) as client:
            found = await client.request("catalog/agents", {})
        return [each["agent"] for each in found["agents"]]

    assert await names() == ["pi", "claude-code"]
    assert await names(roots=[str(tmp_path / ".pi")]) == ["pi"]
