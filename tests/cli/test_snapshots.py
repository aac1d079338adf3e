"""The output of commands, compared with reviewed snapshots; `UPDATE_SNAPSHOTS=1` writes them again.

Sessions, times, the zone and the present are fixed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner
from fixed_sessions import write_all
from support.process import isolated_environment

from sessiond.cli import astext, days
from sessiond.cli.main import command_line

SNAPSHOTS = Path(__file__).parent / "snapshots"
NOW = datetime(2026, 1, 12, 12, tzinfo=UTC)
COMMANDS = {
    "list": ["list", "--all"],
    "list-cost": ["list", "--all", "--sort", "cost", "-n", "2"],
    "show": ["show", "019baaaa"],
    "show-branch": ["show", "019baaaa", "--leaf", "e09", "--details"],
    "show-short": ["show", "019baaaa", "--no-tools", "--last", "3"],
    "show-hostile": ["show", "019b9999"],
    "show-wide": ["show", "019b0001-2222-7000-8000-00000000000b"],
    "tree": ["tree", "019baaaa"],
    "tree-users": ["tree", "019baaaa", "--user"],
    "tail": ["tail", "019baaaa", "-n", "4"],
    "search": ["search", "sign"],
    "stats": ["stats", "019baaaa"],
    "usage": ["usage"],
    "usage-month": ["usage", "--by", "month", "--since", "2026-01-09", "--until", "2026-01-31"],
    "usage-model": ["usage", "--by", "model", "--cwd", "/home/me/code/parser"],
    "usage-project": ["usage", "--by", "project"],
    "usage-nested": ["usage", "--by", "model,project"],
    "usage-nested-session": ["usage", "--by", "month,session"],
    "usage-session": ["usage", "--by", "session", "-n", "2"],
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("home")
    write_all(path)
    return path


@pytest.fixture(autouse=True)
def present(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for module in (astext, days):
        monkeypatch.setattr(module, "now", lambda: NOW)
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def printed(home: Path, arguments: list[str], **env: str) -> str:
    """Return the output of a command that runs in this process."""
    # Directories of sessions are below a home that is called the same everywhere.
    fixed = {
        "HOME": "/home/me",
        "PI_CODING_AGENT_DIR": f"{home}/.pi/agent",
        "SESSIOND_NO_CATALOG_CACHE": "1",
        "TZ": "UTC",
    }
    environment = dict.fromkeys(os.environ) | isolated_environment(home) | fixed | env
    done = CliRunner().invoke(command_line, arguments, env=environment)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code == 0
    return done.stdout


def compare(name: str, shown: str) -> None:
    file = SNAPSHOTS / f"{name}.txt"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        file.parent.mkdir(exist_ok=True)
        file.write_text(shown)
    assert shown == file.read_text()


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("columns", [60, 80, 100, 140])
def test_on_a_terminal(home: Path, command: str, columns: int):
    terminal = {"FORCE_COLOR": "1", "TERM": "xterm-256color", "COLUMNS": str(columns)}
    shown = printed(home, COMMANDS[command], NO_COLOR="1", **terminal)
    if command in ("list", "list-cost", "tree", "tree-users", "stats") or "usage" in command:
        widths = [astext_width(line) for line in shown.splitlines()]
        assert max(widths) <= columns
    compare(f"{command}-{columns}", shown)


def astext_width(line: str) -> int:
    from rich.text import Text

    return Text.from_ansi(line).cell_len


@pytest.mark.parametrize("command", COMMANDS)
def test_in_a_pipe(home: Path, command: str):
    shown = printed(home, COMMANDS[command])
    assert "\x1b" not in shown
    compare(f"{command}-pipe", shown)


@pytest.mark.parametrize("command", COMMANDS)
def test_colours_change_no_text(home: Path, command: str):
    from rich.text import Text

    terminal = {"FORCE_COLOR": "1", "TERM": "xterm-256color", "COLUMNS": "80"}
    coloured = printed(home, COMMANDS[command], **terminal)
    plain = printed(home, COMMANDS[command], NO_COLOR="1", **terminal)
    assert "\x1b[3" in coloured or "\x1b[1" in coloured or "\x1b[2" in coloured
    assert not any(f"\x1b[{code}m" in plain for code in range(30, 38))
    assert Text.from_ansi(coloured).plain == Text.from_ansi(plain).plain
