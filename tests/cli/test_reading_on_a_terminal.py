"""`sessiond show` on a terminal: its head, other branches, Markdown, and the pager."""

from __future__ import annotations

import contextlib
import io
import os
import pty
import subprocess
import time
from pathlib import Path

import pytest
from rich.console import Console
from support.commands import SESSIOND, run
from support.process import isolated_environment
from support.session_lines import header, line

from sessiond.cli.terminal import drawn_markdown

MARKDOWN = (
    "# Plan\n\nUse **two** steps:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```python\nreturn x\n```"
)


def answer(text: str) -> dict[str, object]:
    return {"role": "assistant", "content": [{"type": "text", "text": text}], "model": "m"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / ".pi/agent/sessions/--w--"
    folder.mkdir(parents=True)
    (folder / "a.jsonl").write_text(
        header("aaa111", f"{tmp_path}/w")
        + line("u1", None, "**as typed**")
        + line("a1", "u1", message=answer(MARKDOWN))
        + line("b1", "a1", "A way that was left")
        + line("b2", "a1", "Another one")
        + line("u2", "a1", "The right way")
    )
    return tmp_path


def shown(home: Path, *words: str, pager: str = "cat", **env: str) -> str:
    """Return what `show` prints on a terminal."""
    controller, terminal = pty.openpty()
    whole = isolated_environment(
        home, **{"TERM": "xterm", "PAGER": pager, "PYTHONUTF8": "1", "COLUMNS": "80", **env}
    )
    command = [*SESSIOND, "show", *words]
    with subprocess.Popen(command, env=whole, stdin=terminal, stdout=terminal) as process:
        os.close(terminal)
        printed = b""
        with contextlib.suppress(OSError):
            while part := os.read(controller, 65536):
                printed += part
        assert process.wait(30) == 0
    os.close(controller)
    return printed.decode().replace("\r", "")


def test_the_head_names_agent_directory_day_model_and_branches(home: Path):
    _, facts, *_ = shown(home, "aaa").splitlines()
    assert "pi · ~/w · 2026-01-01 · m · 3 branches" in facts


def test_a_line_names_the_branches_that_begin_at_an_entry(home: Path):
    assert "├ 2 other branches: A way that was left (b1)" in shown(home, "aaa")
    assert "├ 2 other branches: The right way (u2)" not in shown(home, "aaa")


def test_markdown_is_drawn_and_what_the_user_typed_is_not(home: Path):
    drawn = shown(home, "aaa")
    assert "**as typed**" in drawn
    assert "**two**" not in drawn
    assert "```" not in drawn
    for plain in (shown(home, "aaa", "--plain"), shown(home, "aaa", TERM="dumb")):
        assert "Use **two** steps:" in plain
        assert "```python" in plain


def test_a_pipe_gets_the_conversation_as_it_is(home: Path):
    lines = run(home, "show", "aaa").stdout.splitlines()
    assert lines[:2] == ["**as typed**", "User"]
    assert "  Use **two** steps:" in lines
    assert not any("other branches" in each for each in lines)


def test_references_in_markdown_steer_no_terminal():
    console = Console(file=io.StringIO(), width=80)
    source = "a &#x202e;b `&#27;[31m` [c](https://d.example/&#x202e;e) &#155;1m"
    text = "\n".join(each.plain for each in drawn_markdown(console, source, 2))
    assert not set(text) & {"\u202e", "\x1b", "\x9b"}


def test_hostile_markdown_takes_time_in_proportion_to_its_length():
    console = Console(file=io.StringIO(), width=80)
    for unit in ("[", "*a ", "![a](", "`a``", "> ", "|a|b|\n|-|-|\n", "<a ", "- "):
        times = []
        for length in (1000, 8000):
            source = (unit * length)[:length]
            began = time.process_time()
            list(drawn_markdown(console, source, 2))
            times.append(time.process_time() - began)
        assert times[1] < 40 * max(times[0], 0.005), unit


def test_the_pager_begins_before_all_is_rendered_and_may_be_left(tmp_path: Path):
    folder = tmp_path / ".pi/agent/sessions/--w--"
    folder.mkdir(parents=True)
    lines = [header("bbb222")]
    for number in range(3000):
        parent = f"e{number - 1}" if number else None
        lines.append(line(f"e{number}", parent, f"Message {number} " + "x" * 200))
    (folder / "b.jsonl").write_text("".join(lines))
    # More than a pipe holds is left when this pager ends.
    printed = shown(tmp_path, "bbb", pager="head -n 5")
    assert "Message 0" in printed
    assert "Message 2999" not in printed
    assert "Message 2999" in shown(tmp_path, "bbb", pager="tail -n 5")
