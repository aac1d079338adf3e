"""`sessiond pin`, `hide`, `tag` and their opposites, and what the lists of the terminal make of marks."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from support.commands import SESSIOND, run
from support.process import isolated_environment
from support.sessions_on_disk import write_session

MINUTE = 60_000
BEGIN = 1_767_225_600_000


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Four sessions, of which `dddd` is the latest."""
    for number, name in enumerate(("aaaa", "bbbb", "cccc", "dddd")):
        at = BEGIN + number * MINUTE
        file = tmp_path / f".pi/agent/sessions/--c--/{name}.jsonl"
        write_session(file, f"Question {name}", session_id=name, created=at, modified=at)
    return tmp_path


def ids(home: Path, *options: str) -> list[str]:
    answer = json.loads(run(home, "list", "--all", "--json", *options).stdout)
    return [info["id"] for info in answer["sessions"]]


def mark(home: Path, *words: str) -> list[str]:
    done = run(home, *words)
    assert done.returncode == 0, done.stderr
    return done.stderr.splitlines()


def test_pinned_sessions_are_first_and_hidden_ones_left_out(home: Path):
    assert mark(home, "pin", "aaaa") == ["aaaa: pinned"]
    assert mark(home, "tag", "aaaa", "review", "bug") == ["aaaa: pinned #bug #review"]
    mark(home, "hide", "cccc", "dddd")
    assert ids(home) == ["aaaa", "bbbb"]
    assert ids(home, "--hidden") == ["dddd", "cccc"]
    assert ids(home, "--tag", "bug") == ["aaaa"]
    assert ids(home, "--sort", "messages") == ["bbbb", "aaaa"]
    assert mark(home, "unhide", "dddd") == ["dddd: no marks"]
    assert ids(home) == ["aaaa", "dddd", "bbbb"]
    assert mark(home, "unpin", "aaaa") == ["aaaa: #bug #review"]
    assert mark(home, "untag", "aaaa", "bug") == ["aaaa: #review"]
    assert ids(home) == ["dddd", "bbbb", "aaaa"]


def test_last_is_the_latest_and_a_number_that_of_the_list(home: Path):
    mark(home, "pin", "aaaa")
    mark(home, "hide", "dddd")
    assert mark(home, "tag", "last", "x") == ["last: #x"]
    assert mark(home, "tag", "@1", "x") == ["@1: pinned #x"]
    assert ids(home, "--tag", "x") == ["aaaa", "cccc"]


def test_a_list_says_why_it_is_empty_if_all_sessions_are_hidden(home: Path):
    mark(home, "hide", "aaaa", "bbbb", "cccc", "dddd")
    done = run(home, "list", "--all")
    assert (done.returncode, done.stdout) == (1, "")
    assert "none of 4 sessions matches" in done.stderr


@pytest.mark.parametrize("words", [["tag", "aaaa"], ["pin"], ["tag", "aaaa", "two words"]])
def test_a_wrong_use_is_refused(home: Path, words: Sequence[str]):
    done = run(home, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert not (home / ".local/share/sessiond/marks.jsonl").exists()


def on_a_terminal(home: Path, *words: str) -> str:
    """Return what a command prints on a terminal of 100 columns."""
    controller, terminal = pty.openpty()
    env = isolated_environment(home, COLUMNS="100", TERM="dumb", PAGER="cat", PYTHONUTF8="1")
    with subprocess.Popen([*SESSIOND, *words], env=env, stdout=terminal) as process:
        os.close(terminal)
        printed = b""
        with contextlib.suppress(OSError):
            while part := os.read(controller, 65536):
                printed += part
        process.wait(30)
    os.close(controller)
    return printed.decode()


def test_a_terminal_shows_stars_and_tags(home: Path):
    mark(home, "pin", "aaaa")
    mark(home, "tag", "aaaa", "review")
    head, first, second, *_ = on_a_terminal(home, "list", "--all").splitlines()
    assert "TAGS" in head
    assert "★ Question aaaa" in first
    assert "#review" in first
    assert "★" not in second


def test_tags_are_completed_with_the_number_of_their_sessions(home: Path):
    mark(home, "tag", "aaaa", "review", "bug")
    mark(home, "tag", "bbbb", "review")
    words = ["sessiond", "list", "--tag", ""]
    done = run(
        home,
        env={
            "_SESSIOND_COMPLETE": "bash_complete",
            "COMP_WORDS": " ".join(words),
            "COMP_CWORD": str(len(words) - 1),
        },
    )
    assert done.stdout.splitlines() == ["plain\tbug\t1 session", "plain\treview\t2 sessions"]
