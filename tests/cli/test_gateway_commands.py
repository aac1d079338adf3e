"""The commands that look at a gateway's store."""

import json
import os
import pty
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from support.commands import SESSIOND, run
from support.process import isolated_environment
from support.session_lines import header, line

from sessiond.cli.main import command_line

KEY = "agent:main:main"
DAY = 86_400_000


@pytest.fixture
def home(tmp_path: Path) -> Path:
    now = int(time.time() * 1000)
    lay(
        tmp_path,
        "main",
        {
            KEY: {
                "sessionId": "aaa",
                "updatedAt": now - 5 * 60_000,
                "model": "gpt-x",
                "totalTokens": 12_345,
                "contextTokens": 200_000,
                "thinkingLevel": "high",
                "systemSent": True,
                "label": "\x1b[31mred\x1b[0m",
            },
            "agent:main:discord:channel:1": {"sessionId": "bbb", "updatedAt": now - 40 * DAY},
        },
    )
    lay(tmp_path, "ops", {"agent:ops:main": {"sessionId": "ccc", "updatedAt": now - 3 * DAY}})
    transcript(tmp_path).write_text(header("aaa") + line("one", None, "What is this?"))
    return tmp_path


def lay(home: Path, agent: str, entries: dict[str, Any]) -> None:
    folder = home / ".coderclaw/agents" / agent / "sessions"
    folder.mkdir(parents=True)
    (folder / "sessions.json").write_text(json.dumps(entries))


def store(home: Path, agent: str = "main") -> Path:
    return home / ".coderclaw/agents" / agent / "sessions/sessions.json"


def transcript(home: Path) -> Path:
    return store(home).parent / "aaa.jsonl"


def gateway(home: Path, *arguments: str, said: str = "") -> Result:
    """The command in this process, which takes a tenth of the time of one of its own."""
    environment = dict.fromkeys(os.environ) | isolated_environment(home)
    return CliRunner().invoke(command_line, ["gateway", *arguments], input=said, env=environment)


def rows(done: Result) -> list[list[str]]:
    return [each.split("\t") for each in done.stdout.splitlines()]


def test_list_shows_all_agents_sessions_of_coderclaw_the_latest_first(home: Path):
    done = gateway(home, "list")
    assert done.exit_code == 0
    assert rows(done) == [
        ["direct", KEY, "5m", "gpt-x", "12k/200k (6%)", "think:high system id:aaa"],
        ["direct", "agent:ops:main", "3d", "-", "unknown/200k (?%)", "id:ccc"],
        [
            *("group", "agent:main:discord:channel:1", "1mo", "-", "unknown/200k (?%)"),
            "id:bbb",
        ],
    ]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--agent", "ops"], ["agent:ops:main"]),
        (["--active", "10"], [KEY]),
        (["--search", "DISCORD"], ["agent:main:discord:channel:1"]),
        (["--limit", "1"], [KEY]),
        (["--profile", "coderclaw"], [KEY, "agent:ops:main", "agent:main:discord:channel:1"]),
    ],
)
def test_list_may_be_narrowed(home: Path, options: list[str], expected: list[str]):
    assert [row[1] for row in rows(gateway(home, "list", *options))] == expected


def test_list_looks_into_the_store_that_is_named(home: Path, tmp_path: Path):
    other = tmp_path / "other.json"
    other.write_text('{"global": {"sessionId": "g", "totalTokens": 500}, "odd": 3}')
    done = gateway(home, "list", "--path", str(other))
    assert rows(done) == [["global", "global", "-", "-", "0.5k/200k (0%)", "id:g"]]
    assert done.stderr.startswith("sessiond: odd ")
    assert gateway(home, "list", "--store", str(tmp_path / "none.json")).exit_code == 1


@pytest.mark.parametrize("bad", ["x", "0", "-1", "1.5", ""])
def test_the_minutes_are_positive(home: Path, bad: str):
    done = gateway(home, "list", "--active", bad)
    assert done.exit_code == 2
    assert "--active must be a positive integer (minutes)" in done.stderr


def test_json_is_the_answer_of_the_daemon(home: Path):
    listed = json.loads(gateway(home, "list", "--json").stdout)
    assert (listed["path"], listed["count"]) == ("(multiple)", 3)


def test_a_profile_without_a_gateway_is_refused(home: Path):
    done = gateway(home, "list", "--profile", "pi")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "Error: pi has no gateway; name a sessions.json with --path" in done.stderr


def test_the_program_has_them(home: Path):
    done = run(home, "gateway", "list", "--limit", "1", cwd=home)
    assert (done.returncode, done.stdout.split("\t")[1]) == (0, KEY)


def test_on_a_terminal_long_keys_are_cut_in_the_middle_and_nothing_steers_it(home: Path):
    parent, child = pty.openpty()
    environment = isolated_environment(
        home, TERM="xterm-256color", PYTHONUTF8="1", COLUMNS="60", LINES="20"
    )
    command = [*SESSIOND, "gateway", "list"]
    with subprocess.Popen(command, env=environment, stdout=child, stderr=child) as process:
        os.close(child)
        shown = b""
        while True:
            try:
                chunk = os.read(parent, 4096)
            except OSError:
                break
            if not chunk:
                break
            shown += chunk
        process.wait(30)
    os.close(parent)
    assert "agent:main…:channel:1".encode() in shown
    assert b"12k/200k (6%)" in shown
    assert b"KEY" in shown
