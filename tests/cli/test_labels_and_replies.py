"""`sessiond label` and `sessiond reply`."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support.commands import run
from support.session_lines import header, line


@pytest.fixture
def file(tmp_path: Path) -> Path:
    folder = tmp_path / ".pi/agent/sessions/--w--"
    folder.mkdir(parents=True)
    answer = {"role": "assistant", "content": [{"type": "text", "text": "Done."}]}
    lines = [
        header("aaa111", str(tmp_path)),
        line("e1", None, "A task"),
        line("e2", "e1", message=answer),
        line("e3", "e2", "Another task"),
    ]
    file = folder / "aaa111.jsonl"
    file.write_text("".join(lines))
    return file


def command(file: Path, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return run(file.parents[4], *arguments, cwd=file.parents[4], **options)


def last(file: Path) -> dict[str, Any]:
    return json.loads(file.read_text().splitlines()[-1])  # type: ignore[no-any-return]


def labels(file: Path) -> dict[str, str]:
    nodes = json.loads(command(file, "tree", "aaa1", "--json").stdout)["nodes"]
    return {node["id"]: node["label"] for node in nodes if node.get("label")}


def test_an_entry_gets_a_label_and_loses_it(file: Path):
    done = command(file, "label", "aaa1", "e2", "good point")
    assert done.returncode == 0, done.stderr
    assert (last(file)["targetId"], last(file)["label"]) == ("e2", "good point")
    assert labels(file) == {"e2": "good point"}
    # The end of a turn has a number, and an empty label is none.
    assert command(file, "label", "aaa1", "1", "").returncode == 0
    assert last(file)["targetId"] == "e2"
    assert labels(file) == {}


def test_a_label_is_taken_back(file: Path):
    command(file, "label", "aaa1", "e2", "first")
    command(file, "label", "aaa1", "e2", "second")
    undone = command(file, "undo")
    assert "labelled 'first' again" in undone.stdout + undone.stderr
    assert last(file)["label"] == "first"
    assert command(file, "undo").returncode == 0
    assert labels(file) == {}
    assert command(file, "undo").returncode == 1


def test_a_label_that_was_changed_since_stays(file: Path):
    command(file, "label", "aaa1", "e2", "mine")
    with file.open("a") as more:
        members = {"type": "label", "id": "f1", "parentId": "e3", "targetId": "e2", "label": "new"}
        more.write(json.dumps({**members, "timestamp": "2026-01-01T00:00:00.000Z"}) + "\n")
    before = file.read_bytes()
    assert "'new' since" in command(file, "undo").stderr
    assert file.read_bytes() == before


def test_an_entry_that_does_not_exist_is_refused(file: Path):
    before = file.read_bytes()
    for arguments in (("label", "aaa1", "nothing", "x"), ("reply", "aaa1", "x", "--at", "nothing")):
        done = command(file, *arguments)
        assert done.returncode != 0
        assert "nothing" in done.stderr
    assert file.read_bytes() == before


def test_a_reply_goes_on_with_the_branch(file: Path):
    done = command(file, "reply", "aaa1", "And now?")
    assert done.returncode == 0, done.stderr
    entry = last(file)
    assert done.stdout.strip() == entry["id"]
    assert (entry["parentId"], entry["message"]["role"]) == ("e3", "user")
    assert entry["message"]["content"] == [{"type": "text", "text": "And now?"}]
    assert "And now?" in command(file, "show", "aaa1").stdout


def test_a_reply_can_begin_a_branch_and_come_from_a_pipe(file: Path):
    done = command(file, "reply", "aaa1", "--at", "e2", "--json", input="Otherwise\n")
    assert json.loads(done.stdout)["parentId"] == "e2"
    assert last(file)["message"]["content"][0]["text"] == "Otherwise"


@pytest.mark.parametrize("text", ["", " \n", "\udcff"])
def test_what_is_no_text_is_refused(file: Path, text: str):
    before = file.read_bytes()
    done = command(file, "reply", "aaa1", input=text, errors="surrogateescape")
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert file.read_bytes() == before


def test_sessions_that_an_agent_alone_writes_are_left_alone(file: Path):
    folder = file.parents[4] / ".claude/projects/-w"
    folder.mkdir(parents=True)
    said = {
        "type": "user",
        "uuid": "u1",
        "parentUuid": None,
        "sessionId": "c1",
        "timestamp": "2026-01-01T00:00:00.000Z",
        "cwd": "/w",
        "message": {"role": "user", "content": "hello"},
    }
    session = folder / "c1.jsonl"
    session.write_text(json.dumps(said) + "\n")
    for arguments in (("reply", str(session), "x"), ("label", str(session), "1", "x")):
        done = command(file, *arguments)
        assert done.returncode != 0
        assert "claude" in done.stderr.casefold(), done.stderr
    assert session.read_text() == json.dumps(said) + "\n"
