from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import assistant, user

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
README = EXAMPLES.parent.joinpath("README.md").read_text()
PROGRAMS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def run(name, *arguments):
    command = [sys.executable, EXAMPLES / f"{name}.py", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


@pytest.fixture
def folder(blocked, tmp_path):
    session = blocked.session_create(str(tmp_path))
    session.append_message(user("hello"))
    session.append_message(assistant("hi"))
    return str(tmp_path)


def test_follow(folder):
    listed, changed = run("follow", folder)
    assert listed.endswith("2 messages  hello")
    assert changed.startswith("appended: now 3 entries")


def test_transcript(folder):
    assert run("transcript", folder) == ["you:   hello", "agent: hi"]


def test_exact(agent_dir):
    entry, conflict = run("exact")
    assert r'"content":"half \ud83d","n":123456789012345678901234567890}' in entry
    assert conflict.startswith("the leaf is no longer ")


@pytest.mark.parametrize("program", PROGRAMS, ids=["asyncio", "blocking"])
def test_the_programs_of_the_readme_run_in_a_folder_without_sessions(agent_dir, tmp_path, program):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(("message ", "the sessions of ")), done.stdout


def test_the_programs_of_the_readme_pass_strict_type_checks(tmp_path):
    paths = [tmp_path / f"program{number}.py" for number in range(len(PROGRAMS))]
    for path, program in zip(paths, PROGRAMS, strict=True):
        path.write_text(program)
    # In the folder with the settings of mypy and its cache of the whole client.
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", *paths],
        cwd=EXAMPLES.parent,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_every_example_is_run():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == {
        "follow",
        "transcript",
        "exact",
        "tasks",
    }
