"""The commands for people on sessions in OpenClaw's database."""

from __future__ import annotations

import json
from pathlib import Path

from support.commands import run
from support.openclaw import INCIDENT, MAIN, OpenClawDatabase, everything_in


def shown(home: Path, *arguments: str) -> str:
    done = run(home, *arguments, "--profile", "openclaw")
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_reading_commands(database: OpenClawDatabase, tmp_path: Path):
    database.lines()
    before = everything_in(database.directory)
    listed = json.loads(shown(tmp_path, "list", "--all", "--json"))
    assert MAIN in {info["id"] for info in listed["sessions"]}
    assert "after the reset" in shown(tmp_path, "show", MAIN[:6])
    assert "A long text." in shown(tmp_path, "search", '"a long text."')
    page = tmp_path / "page.html"
    shown(tmp_path, "export", INCIDENT[:6], "-o", str(page))
    assert "A long text." in page.read_text()
    assert json.loads(shown(tmp_path, "usage", "--json"))["sums"]["tokens"]["output"] == 42
    shown(tmp_path, "check", MAIN[:6])
    assert "agent:main:main" in shown(tmp_path, "gateway", "list")
    assert everything_in(database.directory) == before


def test_a_changing_command_says_what_to_use_instead(database: OpenClawDatabase, tmp_path: Path):
    done = run(tmp_path, "rename", MAIN[:6], "new name", "--profile", "openclaw")
    assert done.returncode == 3
    assert "OpenClaw alone writes" in done.stderr
    assert database.transcript() in done.stderr
