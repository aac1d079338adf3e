"""`list` reads only as many pages of many sessions as it needs, and answers the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.commands import run
from support.sessions_on_disk import write_session

MINUTE = 60_000
BEGIN = 1_767_225_600_000
"""2026-01-01 in UTC."""
SESSIONS = 1_100
"""More than two pages."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sessions that were created and used a minute after one another."""
    made = tmp_path_factory.mktemp("home")
    for number in range(SESSIONS):
        at = BEGIN + number * MINUTE
        session = f"{at:012x}"
        identifier = f"{session[:8]}-{session[8:]}-7000-8000-{number:012}"
        file = made / f".pi/agent/sessions/--c--/{number}.jsonl"
        write_session(file, "question", session_id=identifier, created=at, modified=at)
    return made


def ids(home: Path, *options: str) -> list[str]:
    done = run(home, "list", "--all", "--timezone", "UTC", *options)
    return [line.split("\t")[3] for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    ("options", "first", "last"),
    [
        ([], 0, SESSIONS),
        (["-n", "3"], SESSIONS - 3, SESSIONS),
        (["-n", "600"], SESSIONS - 600, SESSIONS),
        (["--since", "2026-01-01T18:00"], 1080, SESSIONS),
        (["--since", "2026-01-01T01:00"], 60, SESSIONS),
        (["--since", "2026-01-01T01:00", "-n", "7"], SESSIONS - 7, SESSIONS),
        (["--until", "2026-01-01T01:00", "-n", "7"], 53, 60),
        (["--on", "2026-01-01T00:10..2026-01-01T00:20"], 10, 20),
        (["--sort", "messages", "-n", "5"], SESSIONS - 5, SESSIONS),
    ],
)
def test_the_wanted_sessions_are_listed(home: Path, options: list[str], first: int, last: int):
    every = ids(home)
    assert len(every) == SESSIONS
    assert ids(home, *options) == every[SESSIONS - last : SESSIONS - first]


def test_with_json_all_that_match_are_counted(home: Path):
    period = ("--until", "2026-01-01T10:00", "--timezone", "UTC", "-n", "2")
    found = json.loads(run(home, "list", "--all", "--json", *period).stdout)
    assert (len(found["sessions"]), found["total"]) == (2, 600)


def test_short_ids_name_their_sessions_among_all(home: Path):
    terminal = {"FORCE_COLOR": "1", "NO_COLOR": "1", "TERM": "xterm", "COLUMNS": "120"}
    shown = run(home, "list", "--all", "-n", "3", env=terminal).stdout.splitlines()[1:4]
    for line, whole in zip(shown, ids(home, "-n", "3"), strict=True):
        short = line.split()[1]
        assert len(short) < len(whole)
        used = BEGIN + int(whole[-12:]) * MINUTE
        assert str(used) in run(home, "show", short, "--json", cwd=home).stdout
