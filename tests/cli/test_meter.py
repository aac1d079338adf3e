"""Long commands say on a terminal how far they are."""

from __future__ import annotations

import contextlib
import io
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from support.process import isolated_environment
from support.sessions_on_disk import write_session

from sessiond.cli import meter
from sessiond.cli.meter import Meter


class Broken(io.StringIO):
    def write(self, _text: str) -> int:
        raise OSError("gone")


def test_nothing_is_shown_of_what_is_short(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(meter, "_AFTER", 3600.0)
    terminal = io.StringIO()
    shown = Meter(terminal)
    for done in range(11):
        shown(done, 10)
    shown.end()
    assert not terminal.getvalue()


def test_the_line_is_gone_when_a_list_is_done(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(meter, "_AFTER", 0.0)
    monkeypatch.setattr(meter, "_APART", 0.0)
    terminal = io.StringIO()
    shown = Meter(terminal)
    shown(1, 2000)
    shown(2000, 2000)
    shown(7, 9)
    shown.end()
    shown(8, 9)
    assert terminal.getvalue().split("\r\x1b[K") == [
        "",
        "1 of 2,000 sessions",
        "",
        "7 of 9 sessions",
        "",
    ]


def test_a_terminal_that_is_gone_ends_nothing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(meter, "_AFTER", 0.0)
    shown = Meter(Broken())
    shown(1, 2)
    shown.end()


@pytest.mark.parametrize("on_terminal", [True, False])
def test_a_command_shows_it_on_a_terminal_alone(tmp_path: Path, on_terminal: bool):
    folder = tmp_path / ".pi" / "agent" / "sessions" / "--w--"
    for number in range(3):
        write_session(folder / f"{number}.jsonl", "hello", session_id=f"s{number}", cwd="/w")
    code = (
        "import sys; from sessiond.cli import meter; from sessiond.__main__ import main;"
        " meter._AFTER = 0.0; sys.exit(main(['list', '--all']))"
    )
    reading, writing = pty.openpty() if on_terminal else os.pipe()
    with subprocess.Popen(
        [sys.executable, "-c", code],
        env=isolated_environment(tmp_path),
        stdout=subprocess.DEVNULL,
        stderr=writing,
    ) as command:
        os.close(writing)
        told = b""
        # Reading a terminal that is closed fails on Linux.
        with contextlib.suppress(OSError):
            while piece := os.read(reading, 4096):
                told += piece
        os.close(reading)
    assert command.returncode == 0, told
    assert (b"of 3 sessions" in told) is on_terminal
    if on_terminal:
        assert told.endswith(b"\x1b[K"), told
