"""`sessiond status`: today's figures and open sessions."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from support.commands import run
from support.session_lines import header, line

DAY = 86_400
USED = {"input": 1000, "output": 500, "totalTokens": 1500, "cost": {"total": 0.25}}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    noon = datetime.now(UTC).replace(hour=12, minute=0)
    folder = tmp_path / ".pi/agent/sessions/--w--"
    folder.mkdir(parents=True)
    for name, days in (("aaa111", 0), ("bbb222", 0), ("ccc333", 2)):
        at = int((noon - timedelta(days=days)).timestamp() * 1000)
        answer = {"role": "assistant", "content": [], "usage": USED, "timestamp": at}
        said = line(name, None, f"Task {name}") + line(f"{name}2", name, message=answer)
        file = folder / f"{name}.jsonl"
        file.write_text(header(name, "/w") + said)
        os.utime(file, (at / 1000 - DAY, at / 1000 - DAY))
    return tmp_path


def test_a_line_has_the_figures_of_today(home: Path):
    done = run(home, "status", "--line", cwd=home, env={"TZ": "UTC"})
    assert (done.returncode, done.stdout) == (0, "$0.50 · 3.00k tokens · 0 running\n"), done.stderr


def test_a_session_that_was_written_just_now_runs(home: Path):
    os.utime(home / ".pi/agent/sessions/--w--/bbb222.jsonl")
    done = run(home, "status", cwd=home, env={"TZ": "UTC"})
    content = json.loads(run(home, "status", "--json", cwd=home, env={"TZ": "UTC"}).stdout)
    first, second = done.stdout.splitlines()
    assert first.endswith("1 running")
    assert second == "bbb222  /w  Task bbb222"
    assert [info["id"] for info in content["running"]] == ["bbb222"]
    assert content["sums"]["cost"]["total"] == 0.5


def test_nothing_of_today_is_an_answer_too(tmp_path: Path):
    done = run(tmp_path, "status", "--line", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "$0.00 · 0 tokens · 0 running\n")
