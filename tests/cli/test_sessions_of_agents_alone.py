"""What commands say of a machine on which only Claude Code has sessions, with a subagent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.commands import run

MAIN = "11111111-2222-4333-8444-555555555555"
SUBAGENT = "agent-a4ae8285c"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    projects = tmp_path / ".claude/projects/-w"
    main, sub = projects / f"{MAIN}.jsonl", projects / MAIN / f"subagents/{SUBAGENT}.jsonl"
    own = {"isSidechain": True, "agentId": "a4ae8285c"}
    for path, said, more in ((main, "Mend it", {}), (sub, "Look at a.py", own)):
        path.parent.mkdir(parents=True, exist_ok=True)
        base = {"cwd": "/w", "sessionId": MAIN, "timestamp": "2026-03-02T00:00:00.000Z", **more}
        user = {"role": "user", "content": said}
        usage = {"input_tokens": 10, "output_tokens": 5}
        edit = {"file_path": "/w/a.py", "old_string": "old", "new_string": "new"}
        call = {"type": "tool_use", "id": "t1", "name": "Edit", "input": edit}
        answer = {"id": "m1", "role": "assistant", "model": "claude-x", "content": [call]}
        result = {"type": "tool_result", "tool_use_id": "t1", "content": "The file was updated."}
        lines = [
            {"type": "user", "uuid": f"{said}1", "parentUuid": None, "message": user},
            {"type": "assistant", "uuid": f"{said}2", "parentUuid": f"{said}1"}
            | {"message": {**answer, "usage": usage}},
            {"type": "user", "uuid": f"{said}3", "parentUuid": f"{said}2"}
            | {"message": {"role": "user", "content": [result]}},
        ]
        path.write_text("".join(json.dumps({**base, **each}) + "\n" for each in lines))
    (tmp_path / "elsewhere").mkdir()
    return tmp_path


def test_a_subagent_is_named_by_the_beginning_of_its_id(home: Path):
    done = run(home, "show", "agent-a4")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == "Look at a.py"


def test_a_pipe_gets_the_title_of_a_subagent_as_it_is(home: Path):
    rows = run(home, "list", "--all", "--subagents").stdout.splitlines()
    assert [row.split("\t")[-1] for row in rows] == ["Mend it", "Look at a.py"]


def test_an_edit_is_shown_below_the_line_that_names_its_file(home: Path):
    lines = [line.strip() for line in run(home, "show", MAIN).stdout.splitlines()]
    head = next(at for at, line in enumerate(lines) if line.startswith("Edit"))
    assert lines[head + 1 : head + 3] == ["-old", "+new"]
    assert lines.index("-old") > head


def test_a_directory_without_sessions_blames_no_other_agent(home: Path):
    done = run(home, "list", cwd=home / "elsewhere")
    assert done.returncode == 1
    assert "1 session of other directories" in done.stderr
    assert "pi" not in done.stderr.split(": ", 1)[1].split()


def test_a_cost_that_nobody_recorded_is_not_zero(home: Path):
    facts = run(home, "stats", MAIN).stdout
    assert "0.00" not in facts
    assert "cost\t\N{EN DASH}" in facts
    row = run(home, "list", "--all", "--sort", "cost").stdout.split("\t")
    assert "\N{EN DASH}" in row
