"""`sessiond pick` in a terminal of tmux: what it shows, and what its keys do."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.commands import SESSIOND, run
from support.process import DEADLINE, isolated_environment
from support.session_lines import header, line

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")

NAMES = [f"aaaa{number:02}" for number in range(30)]


def put(home: Path, cwd: Path, name: str, minute: int, *said: str) -> Path:
    folder = home / f".pi/agent/sessions/--{str(cwd).lstrip('/').replace('/', '-')}--"
    folder.mkdir(parents=True, exist_ok=True)
    at = f"2026-01-01T10:{minute:02}:00.000Z"
    lines = "".join(
        line(f"e{number}", f"e{number - 1}" if number else None, text, timestamp=at)
        for number, text in enumerate(said)
    )
    file = folder / f"{name}.jsonl"
    file.write_text(header(name, str(cwd)).replace("2026-01-01T00:00:00.000Z", at) + lines)
    return file


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Thirty sessions of a directory, of which `aaaa29` is the latest, and one of another."""
    (tmp_path / "work").mkdir()
    for minute, name in enumerate(NAMES):
        put(tmp_path, tmp_path / "work", name, minute, f"Question {name}", "We found the needle.")
    long = [f"Line {number}" for number in range(100)]
    put(tmp_path, tmp_path / "shop", "bbbb00", 40, "Another directory", *long)
    return tmp_path


class Terminal:
    """A terminal in which a command runs; its last line says with which code it has ended."""

    def __init__(self, home: Path, command: str, columns: int, rows: int) -> None:
        self._tmux = ["tmux", "-L", f"sessiond-{os.getpid()}-{home.name}", "-f", "/dev/null"]
        script = f"{shlex.join(SESSIOND)} {command}; echo ended $?; exec sleep 600"
        size = ["-x", str(columns), "-y", str(rows)]
        self._env = isolated_environment(home, TERM="xterm-256color", BROWSER="true")
        start = [*self._tmux, "new-session", "-d", *size, script]
        subprocess.run(start, env=self._env, cwd=home / "work", check=True)

    def keys(self, *keys: str) -> None:
        subprocess.run([*self._tmux, "send-keys", *keys], check=True)

    def screen(self, *options: str) -> str:
        words = [*self._tmux, "capture-pane", "-p", *options]
        return subprocess.run(words, check=True, capture_output=True, text=True).stdout

    def until(self, holds: Callable[[str], bool], *options: str) -> str:
        """Return the screen as soon as it holds."""
        deadline = time.monotonic() + DEADLINE
        while not holds(shown := self.screen(*options)):
            assert time.monotonic() < deadline, shown
            time.sleep(0.05)
        return shown

    def shows(self, *texts: str) -> str:
        return self.until(lambda shown: all(text in shown for text in texts))

    def ended(self) -> list[str]:
        """Return the lines that the command printed, and the one with its exit code."""
        return [each for each in self.shows("ended ").splitlines() if each.strip()]

    def close(self) -> None:
        subprocess.run([*self._tmux, "kill-server"], check=False, capture_output=True)


@pytest.fixture
def opened(home: Path) -> Iterator[Callable[..., Terminal]]:
    made: list[Terminal] = []

    def start(command: str = "pick", columns: int = 120, rows: int = 24) -> Terminal:
        made.append(Terminal(home, command, columns, rows))
        made[-1].shows("Esc leave")
        return made[-1]

    yield start
    for each in made:
        each.close()


def current(shown: str) -> str:
    """The preview's first line: the id of the current session."""
    return shown.splitlines()[2].partition("│")[2].split()[0]


def test_keys_move_in_the_list(opened: Callable[..., Terminal]):
    terminal = opened()
    for key, expected in (
        ("C-n", 28),
        ("C-j", 27),
        ("Down", 26),
        ("C-p", 27),
        ("C-k", 28),
        ("Up", 29),
        ("PageDown", 8),
        ("PageUp", 29),
        ("End", 0),
        ("Home", 29),
    ):
        terminal.keys(key)
        terminal.until(lambda shown, name=NAMES[expected]: current(shown) == name)
    terminal.keys("Enter")
    assert terminal.ended() == [NAMES[29], "ended 0"]


def test_columns_and_hits_are_shown(opened: Callable[..., Terminal]):
    terminal = opened("pick --all", columns=160)
    shown = terminal.shows("Another directory", "/shop", "/work")
    assert shown.splitlines()[2].startswith("  ")
    terminal.keys("needle")
    # It was said, and is in no title.
    shown = terminal.shows("30 of 31", "We found the needle.")
    coloured = terminal.screen("-e")
    assert "\x1b[1m\x1b[31mneedle" in coloured.replace("\x1b[1;31m", "\x1b[1m\x1b[31m").replace(
        "\x1b[7m", ""
    )


def test_the_preview_opens_at_what_was_found(opened: Callable[..., Terminal], home: Path):
    words = " ".join(["needless", "words"] * 30)
    said = [*(f"Line {number}" for number in range(100)), f"{words} marvellous end", *"abcdefgh"]
    put(home, home / "work", "cccc00", 50, "Sewing", *said)
    terminal = opened(columns=100)
    terminal.shows("31 sessions")
    terminal.keys("marvellous")
    shown = terminal.shows("1 of 31", "marvellous end")
    preview = [line.partition("│")[2].rstrip() for line in shown.splitlines()[2:-1]]
    assert sum("marvellous" in line for line in preview) == 1
    # It is wrapped at words.
    assert all(line.split()[-1] in {"needless", "words"} for line in preview[1:5])
    # The row says what was found, too.
    assert "marvellous" in shown.splitlines()[2].partition("│")[0]
    terminal.keys("C-b")
    terminal.shows("Line 99")


def test_columns_stay_while_the_list_is_scrolled(opened: Callable[..., Terminal]):
    terminal = opened("pick --all", columns=160, rows=8)
    terminal.shows("Another directory", "/shop")
    terminal.keys("End")
    shown = terminal.shows("Question aaaa00")
    assert "/work" in shown.splitlines()[-2].partition("│")[0]


def test_several_are_chosen_and_printed(opened: Callable[..., Terminal]):
    terminal = opened()
    terminal.keys("Tab", "Down", "Tab")
    terminal.shows("2 chosen")
    terminal.keys("Enter")
    assert sorted(terminal.ended()[:-1]) == [NAMES[27], NAMES[29]]


def test_the_preview_is_below_on_a_narrow_terminal_scrolls_and_goes(
    opened: Callable[..., Terminal],
):
    terminal = opened("pick --all", columns=60)
    assert any(set(each) == {"─"} for each in terminal.shows("bbbb00").splitlines())
    terminal.shows("Line 41")
    terminal.keys("S-Down", "S-Down", "S-Down")
    terminal.until(lambda shown: "bbbb00" not in shown)
    terminal.keys("C-f")
    terminal.shows("Line 48")
    terminal.keys("C-b", "C-b")
    terminal.shows("bbbb00")
    terminal.keys("C-t")
    terminal.until(lambda shown: "Line 41" not in shown and NAMES[10] in shown)


def test_sessions_are_renamed_deleted_forked_and_brought_back(
    opened: Callable[..., Terminal], home: Path
):
    terminal = opened()
    terminal.keys("C-e")
    terminal.shows("new name:")
    terminal.keys("A better name", "Enter")
    terminal.shows("named: A better name")
    terminal.keys("Tab", "Tab", "C-x")
    terminal.shows("moved to the trash: 2 sessions")
    assert run(home, "list", cwd=home / "work").stdout.count("\n") == 28
    terminal.keys("C-z")
    terminal.shows("restored: ")
    assert run(home, "list", cwd=home / "work").stdout.count("\n") == 30
    terminal.keys("C-g")
    terminal.shows("copied: ")
    listed = json.loads(run(home, "list", "--json", cwd=home / "work").stdout)["sessions"]
    assert len(listed) == 31
    assert sum("parentSessionPath" in each for each in listed) == 1
    terminal.keys("C-z")
    terminal.shows("without a name")
    assert "A better name" not in terminal.screen()


def test_sessions_are_pinned_and_hidden(opened: Callable[..., Terminal], home: Path):
    terminal = opened()
    terminal.keys("Down", "Down", "C-s")
    terminal.shows("pinned: Question aaaa27")
    assert terminal.until(lambda shown: "★ Question aaaa27" in shown.splitlines()[2])
    terminal.keys("Home", "C-s")
    terminal.shows("unpinned: Question aaaa27")
    terminal.keys("Home", "C-v")
    terminal.shows("hidden: Question aaaa29", "29 sessions")
    listed = json.loads(run(home, "list", "--json", "--hidden", cwd=home / "work").stdout)
    assert [each["id"] for each in listed["sessions"]] == ["aaaa29"]


def test_the_keys_are_listed_and_a_question_mark_can_be_typed(opened: Callable[..., Terminal]):
    terminal = opened()
    terminal.keys("?")
    terminal.shows("Ctrl-R", "resume it")
    terminal.keys("Down")
    terminal.until(lambda shown: "resume it" not in shown and current(shown) == NAMES[28])
    terminal.keys("?")
    terminal.shows("resume it")
    terminal.keys("Escape")
    terminal.until(lambda shown: "resume it" not in shown and current(shown) == NAMES[28])
    terminal.keys("x?")
    terminal.shows("> x?", "0 of 30")


@pytest.mark.parametrize(("key", "code"), [("C-c", 130), ("Escape", 1), ("C-d", 1)])
def test_leaving_has_its_exit_code(opened: Callable[..., Terminal], key: str, code: int):
    terminal = opened()
    terminal.keys(key)
    assert terminal.ended() == [f"ended {code}"]


def test_a_key_runs_a_command_on_the_session(opened: Callable[..., Terminal]):
    terminal = opened()
    terminal.keys("C-o")
    shown = terminal.ended()
    assert shown[-1] == "ended 0"
    assert shown[-2].endswith(f"{NAMES[29]}.html")


def test_only_one_session_is_resumed(opened: Callable[..., Terminal]):
    terminal = opened()
    terminal.keys("Tab", "Tab", "C-r")
    terminal.shows("`resume` takes one session")
