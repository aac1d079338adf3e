"""`--prices` of the commands that show costs."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from support.commands import run
from support.session_lines import header, line

# 1,000,000 tokens of input at $15 and 10,000 of output at $75 a million.
USED = {"input": 1_000_000, "output": 10_000, "cacheRead": 0, "cacheWrite": 0}
COST = 15.75
MODEL = {"provider": "anthropic", "model": "claude-opus-4-1"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / ".pi/agent/sessions/--w--"
    folder.mkdir(parents=True)
    at = int(datetime.now(UTC).timestamp() * 1000)
    answers = [
        {"role": "assistant", "content": [], "usage": USED, "timestamp": at, **MODEL},
        {"role": "assistant", "content": [], "usage": USED, "timestamp": at, "model": "unknown"},
    ]
    said = [line("a0", None, "A task")]
    said += [line(f"a{number}", "a0", message=each) for number, each in enumerate(answers, 1)]
    (folder / "aaa111.jsonl").write_text(header("aaa111", str(tmp_path)) + "".join(said))
    return tmp_path


def test_usage_marks_what_is_calculated_and_says_what_it_lacks(home: Path):
    done = run(home, "usage", "--prices", "--json", cwd=home)
    sums = json.loads(done.stdout)["sums"]
    assert (sums["cost"]["total"], sums["calculated"], sums["withoutCost"]) == (COST, 1, 1)
    done = run(home, "usage", "--prices", cwd=home)
    assert "15.750000" in done.stdout
    assert "the cost of 1 entry is calculated (~), with the prices of genai-prices" in done.stderr
    assert "1 of 2 entries have no cost, nor a price (+)" in done.stderr
    page = run(home, "usage", "--prices", "--html", "-", cwd=home).stdout
    assert "~$15.75+" in page
    assert "with the prices of genai-prices" in page
    without = run(home, "usage", cwd=home)
    assert "calculated" not in without.stderr
    assert "15.75" not in without.stdout


@pytest.mark.parametrize("command", [("list",), ("stats", "last"), ("status", "--line")])
def test_other_commands_show_the_same_cost(home: Path, command: tuple[str, ...]):
    assert "15.75" not in run(home, *command, cwd=home).stdout
    assert "~$15.75" in run(home, *command, "--prices", cwd=home).stdout


def test_blocks_begin_with_an_hour(home: Path):
    done = run(home, "usage", "--blocks", "--json", cwd=home, env={"TZ": "UTC"})
    rows = json.loads(done.stdout)["rows"]
    assert [row["key"][-3:] for row in rows] == [":00"]
