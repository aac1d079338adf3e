"""What commands count, skip and refuse, so that nobody is surprised."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.commands import run
from support.session_lines import header, line

OLD = "2020-01-01T00:00:00.000Z"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / ".pi/agent/sessions/--w--"
    folder.mkdir(parents=True)
    for name in ("aaa111", "bbb222"):
        content = header(name, "/w") + line("one", None, f"Task {name}")
        (folder / f"{name}.jsonl").write_text(content)
    return tmp_path


def in_claude_code(home: Path) -> Path:
    session_id = "11111111-2222-4333-8444-555555555555"
    path = home / f".claude/projects/-w/{session_id}.jsonl"
    path.parent.mkdir(parents=True)
    entry = {"uuid": "a", "parentUuid": None, "sessionId": session_id, "cwd": "/w"}
    said = {"type": "user", "timestamp": OLD, "message": {"role": "user", "content": "Old"}}
    path.write_text(json.dumps(entry | said) + "\n")
    return path


def ids(home: Path) -> list[str]:
    listed = json.loads(run(home, "list", "--all", "--json", cwd=home).stdout)["sessions"]
    return sorted(info["id"] for info in listed)


def test_only_sessions_that_can_be_deleted_are_counted(home: Path):
    kept = in_claude_code(home)
    old = home / ".pi/agent/sessions/--w--/old.jsonl"
    old.write_text(header("old333", "/w").replace(json.loads(header("x"))["timestamp"], OLD))
    refused = run(home, "delete", "--older-than", "1y", "--all", cwd=home)
    assert (refused.returncode, "1 sessions would be deleted" in refused.stderr) == (2, True)
    done = run(home, "delete", "--older-than", "1y", "--all", "--yes", cwd=home)
    assert (done.returncode, "alone writes" in done.stderr) == (0, False)
    assert kept.exists()
    assert not old.exists()


def test_undo_skips_what_is_back_already(home: Path):
    run(home, "rename", "bbb222", "Name", cwd=home)
    run(home, "delete", "aaa111", cwd=home)
    assert run(home, "restore", "last", cwd=home).returncode == 0
    undone = run(home, "undo", cwd=home)
    assert undone.returncode == 0, undone.stderr
    assert "without a name" in undone.stderr + undone.stdout
    assert run(home, "undo", cwd=home).returncode == 1
    assert ids(home) == ["aaa111", "bbb222"]


def test_undo_restores_the_others_of_a_deletion(home: Path):
    run(home, "delete", "aaa111", "bbb222", cwd=home)
    path = str(home / ".pi/agent/sessions/--w--/aaa111.jsonl")
    assert run(home, "restore", path, cwd=home).returncode == 0
    undone = run(home, "undo", cwd=home)
    assert (undone.returncode, "exists" in undone.stderr) == (0, False)
    assert ids(home) == ["aaa111", "bbb222"]


def test_undo_keeps_a_deletion_whose_name_another_file_has(home: Path):
    file = home / ".pi/agent/sessions/--w--/aaa111.jsonl"
    run(home, "delete", "aaa111", cwd=home)
    file.write_text("mine\n")
    assert run(home, "undo", cwd=home).returncode != 0
    assert file.read_text() == "mine\n"
    file.unlink()
    assert run(home, "undo", cwd=home).returncode == 0
    assert ids(home) == ["aaa111", "bbb222"]


@pytest.mark.parametrize("option", ["--on", "--since", "--until"])
def test_an_empty_date_is_no_date(home: Path, option: str):
    refused = run(home, "list", "--all", option, "", cwd=home)
    assert (refused.returncode, "must not be empty" in refused.stderr) == (2, True)


def test_a_number_is_called_a_number(home: Path):
    refused = run(home, "list", "-n", "abc", cwd=home)
    assert "'abc' is not a valid number" in refused.stderr


def test_a_label_is_named_by_its_beginning(home: Path):
    file = home / ".pi/agent/sessions/--w--/aaa111.jsonl"
    label = {"type": "label", "id": "two", "parentId": "one", "targetId": "one"}
    with file.open("a") as out:
        out.write(json.dumps({**label, "timestamp": OLD, "label": "good end"}) + "\n")
    assert "Task aaa111" in run(home, "show", "aaa111", "--leaf", "good", cwd=home).stdout
    with file.open("a") as out:
        again = {**label, "id": "three", "targetId": "two", "label": "good start"}
        out.write(json.dumps({**again, "timestamp": OLD}) + "\n")
    refused = run(home, "show", "aaa111", "--leaf", "good", cwd=home)
    assert "2 entries have ids or labels that begin with good" in refused.stderr
