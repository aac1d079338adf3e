"""Forks in lists, and output that is longer than the screen."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.commands import SESSIOND, run
from support.process import isolated_environment

from sessiond.text.dates import iso_from_ms

HOUR = 3_600_000
BEGIN = 1_772_409_600_000
SHOWN_BY = "import sys; print('PAGER', *sys.argv[1:]); sys.stdout.write(sys.stdin.read())"


def write(home: Path, number: int) -> Path:
    at = BEGIN + number * HOUR
    time = iso_from_ms(at)
    path = home / f".pi/agent/sessions/--w--/{number}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    session_id = f"{number:08}-0000-7000-8000-000000000000"
    user = {"role": "user", "content": f"Task {number}", "timestamp": at}
    answer = {"role": "assistant", "content": [{"type": "text", "text": "Done"}], "timestamp": at}
    entry = {"type": "message", "timestamp": time}
    lines = [
        {"type": "session", "version": 3, "id": session_id, "timestamp": time, "cwd": "/w"},
        {**entry, "id": "aaaaaaaa", "parentId": None, "message": user},
        {**entry, "id": "bbbbbbbb", "parentId": "aaaaaaaa", "message": answer},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def infos(home: Path) -> list[dict[str, str]]:
    listed: list[dict[str, str]] = json.loads(run(home, "list", "--all", "--json").stdout)[
        "sessions"
    ]
    return listed


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for number in range(3):
        write(tmp_path, number)
    return tmp_path


def test_a_fork_is_the_latest_session_until_another_one_is_used(home: Path):
    done = run(home, "fork", "00000000")
    assert done.returncode == 0, done.stderr
    first, *others = infos(home)
    assert first["id"] == done.stdout.strip()
    assert re.fullmatch(r"Task 0 \(fork at \d{4}-\d\d-\d\d \d\d:\d\d\)", first["name"])
    # The time of its last message is still the one that pi shows.
    assert (first["modified"], first["lastUsed"]) == (others[-1]["modified"], first["created"])
    assert all("lastUsed" not in info for info in others)
    assert [info["firstMessage"] for info in others] == ["Task 2", "Task 1", "Task 0"]
    resumed = run(home, "resume", "last", "--all", "--here", "--agent", "echo")
    assert resumed.stdout.strip() == first["path"]


def test_a_fork_is_named_by_where_it_ends(home: Path):
    run(home, "fork", "00000001", "--at", "1")
    assert infos(home)[0]["name"] == "Task 1 (fork at 1)"
    run(home, "fork", "00000001", "--name", "Mine")
    assert infos(home)[0]["name"] == "Mine"


def test_a_terminal_marks_forks_of_listed_sessions(home: Path):
    run(home, "fork", "00000002", "--name", "Again")
    shown = run(home, "list", "--all", env={"FORCE_COLOR": "1", "NO_COLOR": "1"}).stdout
    assert "↳ Again" in shown
    assert "↳ Task" not in shown
    assert "↳" not in run(home, "list", "--all").stdout


def on_terminal(home: Path, *arguments: str, pager: str) -> str:
    """Return what a command prints on a terminal of 24 lines."""
    controller, terminal = pty.openpty()
    env = isolated_environment(home, PAGER=pager, TERM="xterm", COLUMNS="80", LINES="24", TZ="UTC")
    with subprocess.Popen(
        [*SESSIOND, *arguments], env=env, stdin=terminal, stdout=terminal, stderr=terminal
    ) as process:
        os.close(terminal)
        output = b""
        try:
            while part := os.read(controller, 65536):
                output += part
        except OSError:
            # Linux reports the end of the last process as an error.
            pass
        process.wait(timeout=30)
    os.close(controller)
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", output.decode())


@pytest.fixture
def pager(tmp_path: Path) -> str:
    """A program of the name `less` that prints its arguments and what it gets."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "less"
    script.write_text(f"#!{sys.executable}\n{SHOWN_BY}\n")
    script.chmod(0o755)
    return str(script)


def test_long_lists_are_paged_with_the_newest_first(home: Path, pager: str):
    assert "PAGER" not in on_terminal(home, "list", "--all", pager=pager)
    for number in range(3, 40):
        write(home, number)
    lines = on_terminal(home, "list", "--all", pager=pager).splitlines()
    at = lines.index("PAGER")
    assert "Task 39" in lines[at + 2]
    assert "PAGER" not in on_terminal(home, "list", "--all", pager="cat")


def test_long_usage_begins_with_the_latest_days(home: Path, pager: str):
    for number in range(40):
        path = write(home, 24 * number)
        used = {"input": 1, "output": 2, "totalTokens": 3, "cost": {"total": 0.5}}
        at = BEGIN + 24 * number * HOUR
        answer = {"role": "assistant", "content": [], "usage": used, "timestamp": at}
        line = {"type": "message", "id": "a", "parentId": None, "message": answer}
        with path.open("a") as out:
            out.write(json.dumps(line) + "\n")
    assert "PAGER +G" in on_terminal(home, "usage", pager=pager)
    assert "PAGER +G" not in on_terminal(home, "usage", "--by", "session", pager=pager)
    assert "PAGER" in on_terminal(home, "usage", "--by", "session", pager=pager)


def test_checks_of_many_damaged_files_are_paged(home: Path, pager: str):
    for number in range(30):
        with write(home, number).open("a") as out:
            out.write('{"type": "mess')
    assert "PAGER" in on_terminal(home, "check", "--all", pager=pager)


def test_an_empty_trash_has_no_table(home: Path, pager: str):
    shown = on_terminal(home, "trash", "list", pager=pager)
    assert "no session is in the trash" in shown
    assert "DELETED" not in shown


def test_a_list_without_rows_has_no_head(home: Path, pager: str):
    shown = on_terminal(home, "list", "--all", "--named", pager=pager)
    assert "none of 3 sessions matches" in shown
    assert "AGE" not in shown
