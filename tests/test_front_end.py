"""The front end of docs/front-end.md runs as it stands there, and pi can read what it writes."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Self

import pytest
from support.commands import run
from support.process import isolated_environment

from sessiond.format.requirements import check_message
from sessiond.runtime.errors import InvalidParams

PAGE = (Path(__file__).parent.parent / "docs/front-end.md").read_text()
PROGRAM = "\n".join(re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL))
COST: dict[str, Any] = {"cost": {}}
LEAST = {
    "user": {"content": "x"},
    "assistant": {"content": [{"type": "text", "text": "x"}], "usage": COST},
    "toolResult": {"content": [{"type": "text", "text": "x"}]},
    "bashExecution": {"command": "x", "output": "x"},
    "system": {},
}
BLOCKS = [
    {"type": "text", "text": "x"},
    {"type": "thinking", "thinking": "x"},
    {"type": "image", "data": "x", "mimeType": "x"},
    {"type": "toolCall", "id": "x", "name": "x", "arguments": {}},
]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A directory for work in a home; `sessiond` on the path is the daemon under test."""
    (tmp_path / "work").mkdir()
    (tmp_path / "work/notes.txt").touch()
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin/sessiond"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m sessiond "$@"\n')
    program.chmod(0o755)
    return tmp_path


def talked(home: Path, *lines: str, program: str = PROGRAM) -> list[str]:
    env = isolated_environment(home, PATH=f"{home}/bin:{os.environ['PATH']}")
    done = subprocess.run(
        [sys.executable, "-c", program],
        input="".join(f"{line}\n" for line in lines),
        env=env,
        cwd=home / "work",
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout.splitlines()


def entries(home: Path) -> list[dict[str, Any]]:
    (file,) = home.glob(".pi/agent/sessions/*/*.jsonl")
    return [json.loads(line) for line in file.read_text().splitlines()][1:]


def test_it_talks_calls_tools_and_goes_on_later(home: Path):
    assert talked(home, "hello", "What is here?") == [
        "User",
        "  hello",
        "Assistant",
        "  You said: hello",
        "User",
        "  What is here?",
        "Assistant",
        "  list",
        "Tool result: list",
        "  notes.txt",
        "Assistant",
        "  There is notes.txt.",
    ]
    assert talked(home, "again")[-1] == "  You said: again"
    roles = [entry["message"]["role"] for entry in entries(home)]
    assert roles == [
        "system",
        *("user", "assistant"),
        *("user", "assistant", "toolResult", "assistant"),
        *("user", "assistant"),
    ]
    assert all(re.fullmatch("[0-9a-f]{16}", entry["id"]) for entry in entries(home))
    # Nothing that pi could not read.
    assert run(home, "check", "--all", cwd=home / "work").returncode == 0


class Talk:
    """A front end that runs until the end of the block."""

    def __init__(self, home: Path) -> None:
        env = isolated_environment(home, PATH=f"{home}/bin:{os.environ['PATH']}")
        self._process = subprocess.Popen(
            [sys.executable, "-u", "-c", PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=env,
            cwd=home / "work",
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate(timeout=60)

    def say(self, text: str) -> None:
        """Say something, and wait until it was answered."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(f"{text}\n")
        self._process.stdin.flush()
        answer = f"  You said: {text}\n"
        assert answer in iter(self._process.stdout.readline, "")


def test_two_at_once_continue_one_branch(home: Path):
    talked(home, "first")
    with Talk(home) as one, Talk(home) as other:
        one.say("from one")
        other.say("from the other")
        one.say("again from one")
    parents = [entry["parentId"] for entry in entries(home)]
    assert parents == [None, *(entry["id"] for entry in entries(home)[:-1])]
    assert len(parents) == 9


def test_it_summarises_what_no_longer_fits(home: Path):
    small = PROGRAM.replace("WINDOW = 128_000", "WINDOW = 200")
    small = small.replace("SETTINGS = {}", 'SETTINGS = {"reserveTokens": 0, "keepRecentTokens": 5}')
    assert small.count("128_000") == 0
    talked(home, "hello", "and another thing", "x" * 400, program=small)
    types = [entry["type"] for entry in entries(home)]
    assert "compaction" in types
    made = next(entry for entry in entries(home) if entry["type"] == "compaction")
    # The stand-in repeats its prompt, in which the conversation is; the prompt of the front end
    # and its tools are kept.
    assert "[User]: hello" in made["summary"]
    assert made["systemMessage"]["content"] == "You help with the files of one directory."
    assert [tool["name"] for tool in made["systemMessage"]["toolsAdded"]] == ["list"]
    assert run(home, "check", "--all", cwd=home / "work").returncode == 0


@pytest.mark.parametrize("role", LEAST)
def test_the_table_says_what_is_needed(role: str):
    (row,) = re.findall(rf"^\| `{role}` \| (.*?) \|", PAGE, re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", row)) >= LEAST[role].keys()
    check_message(json.dumps({"role": role, **LEAST[role]}).encode(), "$")


@pytest.mark.parametrize(
    ("role", "without"),
    [("assistant", "usage"), ("bashExecution", "command"), ("bashExecution", "output")],
)
def test_what_lacks_it_is_refused(role: str, without: str):
    message = {"role": role, **LEAST[role]}
    del message[without]
    with pytest.raises(InvalidParams, match=without):
        check_message(json.dumps(message).encode(), "$")
    texts = {"role": "assistant", "content": "a text", "usage": COST}
    with pytest.raises(InvalidParams, match="content"):
        check_message(json.dumps(texts).encode(), "$")


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block["type"])
def test_blocks_are_those_that_are_shown(block: dict[str, Any]):
    shown = re.search(rf'`\{{"type": "{block["type"]}"(.*?)\}}`', PAGE)
    assert shown
    assert re.findall(r'"(\w+)"', shown[1]) == [name for name in block if name != "type"]
    check_message(
        json.dumps({"role": "assistant", "content": [block], "usage": COST}).encode(), "$"
    )
