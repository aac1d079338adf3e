"""Which sessions commands mean in a repository, in its subdirectories and in its worktrees."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from support.commands import run
from support.process import isolated_environment
from support.session_lines import line
from support.sessions_on_disk import write_session

HOUR = 3_600_000
BEGIN = 1_772_409_600_000
USED = {"input": 1, "output": 2, "totalTokens": 3, "cost": {"total": 0.5}}
AGES = {"shop": 0, "shop/src": 1, "shop/src/deep": 2, "shopping": 3}
"""Directories of sessions, and when each was last used, in hours."""


def session(home: Path, cwd: str, hour: int) -> Path:
    directory = home / cwd
    directory.mkdir(parents=True, exist_ok=True)
    place = f"--{str(directory).strip('/').replace('/', '-')}--"
    path = home / f".pi/agent/sessions/{place}/{hour}.jsonl"
    at = BEGIN + hour * HOUR
    times = {"created": at, "modified": at}
    session_id = f"{hour:08}-0000-7000-8000-000000000000"
    write_session(path, cwd, session_id=session_id, cwd=str(directory), **times)
    answer = {"role": "assistant", "content": [], "usage": USED, "timestamp": at}
    with path.open("a") as out:
        out.write(line(f"answer{hour}", message=answer | {"provider": "acme", "model": "small"}))
    return path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for cwd, hour in AGES.items():
        session(tmp_path, cwd, hour)
    (tmp_path / "shop/.git").mkdir()
    return tmp_path


def titles(home: Path, cwd: str, *words: str) -> list[str]:
    done = run(home, "list", *words, "--json", cwd=home / cwd)
    return [info["firstMessage"] for info in json.loads(done.stdout)["sessions"]]


@pytest.mark.parametrize("cwd", ["shop", "shop/src", "shop/src/deep"])
def test_a_list_has_the_sessions_of_the_whole_project(home: Path, cwd: str):
    assert titles(home, cwd) == ["shop/src/deep", "shop/src", "shop"]
    assert titles(home, cwd, "--here") == [cwd]
    assert titles(home, cwd, "--cwd", str(home / "shopping")) == ["shopping"]
    assert titles(home, cwd, "--all")[0] == "shopping"


def test_without_a_repository_a_list_has_what_is_below(home: Path):
    (home / "shop/.git").rmdir()
    assert titles(home, "shop/src") == ["shop/src/deep", "shop/src"]
    assert titles(home, "shopping") == ["shopping"]


@pytest.mark.parametrize("options", [("--here", "--all"), ("--here", "--cwd", "/w")])
@pytest.mark.parametrize("command", ["list", "usage"])
def test_only_one_option_says_whose_sessions_are_meant(
    home: Path, command: str, options: tuple[str, ...]
):
    refused = run(home, command, *options, cwd=home)
    assert (refused.returncode, "exclude each other" in refused.stderr) == (2, True)


def test_names_of_sessions_count_those_of_the_project(home: Path):
    checked = run(home, "check", "@2", cwd=home / "shop/src/deep").stdout
    assert checked.splitlines()[0].partition(": ")[0].endswith("/1.jsonl")
    resumed = run(home, "resume", "last", "--agent", "echo", cwd=home / "shop/src")
    assert resumed.stdout.endswith("/2.jsonl\n")


def test_a_change_keeps_to_the_directory(home: Path):
    done = run(home, "rename", "last", "Mine", cwd=home / "shop/src")
    assert (done.returncode, done.stderr) == (0, "")
    named = json.loads(run(home, "list", "--named", "--json", cwd=home / "shop").stdout)
    assert [info["firstMessage"] for info in named["sessions"]] == ["shop/src"]
    run(home, "rename", "last", "Latest", "--project", cwd=home / "shop/src")
    latest = json.loads(run(home, "list", "--json", cwd=home / "shop").stdout)["sessions"][0]
    assert (latest["name"], latest["firstMessage"]) == ("Latest", "shop/src/deep")


def test_a_number_that_means_another_session_in_the_list_changes_nothing(home: Path):
    refused = run(home, "delete", "@1", cwd=home / "shop/src")
    assert refused.returncode == 3
    assert "@1 of its project" in refused.stderr
    assert len(titles(home, "shop")) == 3
    # In the deepest directory both lists begin with the same session.
    assert run(home, "delete", "@1", cwd=home / "shop/src/deep").returncode == 0
    assert titles(home, "shop") == ["shop/src", "shop"]
    assert run(home, "delete", "@1", "--project", cwd=home / "shop").returncode == 0
    assert titles(home, "shop") == ["shop"]


def test_old_sessions_of_the_project_are_deleted_only_with_an_option(home: Path):
    words = ["delete", "--older-than", "1d", "--yes"]
    assert run(home, *words, cwd=home / "shop").returncode == 0
    assert titles(home, "shop") == ["shop/src/deep", "shop/src"]
    assert run(home, *words, "--project", cwd=home / "shop").returncode == 0
    assert titles(home, "", "--all") == ["shopping"]


def test_usage_of_a_project_has_its_subdirectories(home: Path):
    def costs(*words: str) -> dict[str, float]:
        done = run(home, "usage", *words, "--json", cwd=home / "shop/src")
        return {row["key"]: row["sums"]["cost"]["total"] for row in json.loads(done.stdout)["rows"]}

    shop, other = str(home / "shop"), str(home / "shopping")
    assert costs("--by", "project") == {shop: 1.5, other: 0.5}
    assert costs("--by", "project", "--project") == {shop: 1.5}
    assert costs("--by", "project", "--here") == {shop: 0.5}
    assert costs("--by", "agent") == {"pi": 2.0}
    assert costs("--by", "agent", "--project") == {"pi": 1.5}


def test_worktrees_belong_to_their_repository(home: Path):
    env = isolated_environment(home, GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_SYSTEM="/dev/null")
    (home / "shop/.git").rmdir()
    by = ("-c", "user.name=n", "-c", "user.email=n@example.org")
    for words in (
        ("init", "--quiet"),
        (*by, "commit", "--quiet", "--allow-empty", "--message", "First"),
        ("worktree", "add", "--quiet", "--detach", str(home / "review")),
    ):
        subprocess.run(["git", *words], cwd=home / "shop", env=env, check=True, timeout=30)
    session(home, "review/src", 9)
    done = run(home, "usage", "--by", "project", "--json", cwd=home)
    rows = json.loads(done.stdout)["rows"]
    sums = {row["key"]: row["sums"]["cost"]["total"] for row in rows}
    assert sums == {str(home / "shop"): 2.0, str(home / "shopping"): 0.5}


@pytest.mark.parametrize("link", [b"gitdir: /a\0b/.git/worktrees/x\n", b"\xff", b"x" * 100_000])
def test_a_worktree_that_names_nothing_is_a_project_itself(home: Path, link: bytes):
    session(home, "review", 9)
    (home / "review/.git").write_bytes(link)
    done = run(home, "usage", "--by", "project", "--json", cwd=home)
    assert done.returncode == 0, done.stderr
    assert str(home / "review") in {row["key"] for row in json.loads(done.stdout)["rows"]}
