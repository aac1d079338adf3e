"""What the README tells people to type does what it says."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.process import isolated_environment

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def block(language: str, mark: str) -> str:
    (found,) = [text for kind, text in BLOCKS if kind == language and mark in text]
    return found


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A directory in which `.venv/bin/sessiond` is the daemon under test."""
    program = tmp_path / ".venv/bin/sessiond"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m sessiond "$@"\n')
    program.chmod(0o755)
    return tmp_path


def run(place: Path, *command: str) -> subprocess.CompletedProcess[str]:
    env = isolated_environment(place, PYTHONUTF8="1")
    return subprocess.run(
        command, cwd=place, env=env, capture_output=True, text=True, timeout=60, check=True
    )


def test_the_quick_start_in_the_shell_works(place: Path):
    done = run(place, "sh", "-c", block("sh", "session/inMemory"))
    assert '"messages":[{"role":"user","content":"hello"}]' in done.stdout.splitlines()[-1]
    assert done.stderr == ""


def test_the_quick_start_in_python_works(place: Path):
    encoded = str(place.resolve()).lstrip("/").replace("/", "-")
    folder = place / ".pi/agent/sessions" / f"--{encoded}--"
    folder.mkdir(parents=True)
    (folder / "s.jsonl").write_text(
        '{"type":"session","version":3,"id":"x","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}\n'
        '{"type":"custom","customType":"c","id":"one","parentId":null}\n'
    )
    program = block("python", "session/continueRecent") + "\ndaemon.communicate()\n"
    assert run(place, sys.executable, "-c", program).stdout == "custom one\n"


def test_the_question_to_a_gateway_works(place: Path):
    done = run(place, "sh", "-c", block("sh", "gateway/begin"))
    result = json.loads(done.stdout)["result"]
    assert result["sessionKey"] == "agent:main:telegram:group:-100"
    assert (result["isNewSession"], result["bodyStripped"]) == (True, "plan the release")
    assert Path(result["sessionFile"]).is_relative_to(place / ".coderclaw/agents/main/sessions")
    assert Path(result["sessionFile"]).exists()


def test_every_target_the_readme_names_is_in_the_makefile():
    targets = set(re.findall(r"(?:^|`)make ([a-z-]+)", README, re.MULTILINE))
    makefile = (ROOT / "Makefile").read_text()
    assert targets
    assert [name for name in targets if not re.search(rf"^{name}:", makefile, re.MULTILINE)] == []


def test_every_link_into_the_repository_leads_somewhere():
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", README)
    assert links
    assert [link for link in links if not os.path.exists(ROOT / link)] == []


def test_commands_the_readme_shows_exist(place: Path):
    shown = {line.split()[1] for line in block("sh", "sessiond list").splitlines()}
    known = run(place, ".venv/bin/sessiond", "help").stdout
    for name in shown - {"help"}:
        assert f"  {name} " in known
