"""Days, months, spans and ranges on the command line."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import click
import pytest
from support.commands import run
from support.session_lines import header, line

from sessiond.cli import days
from sessiond.cli.main import command_line

NOW = datetime(2026, 11, 25, 15, 30, tzinfo=UTC)
"""A Wednesday."""


@pytest.fixture(autouse=True)
def present(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(days, "now", lambda: NOW)
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("today", "2026-11-25", "2026-11-25"),
        ("yesterday", "2026-11-24", "2026-11-24"),
        ("tuesday", "2026-11-24", "2026-11-24"),
        ("Wednesday", "2026-11-18", "2026-11-18"),
        ("thu", "2026-11-19", "2026-11-19"),
        ("last tuesday", "2026-11-24", "2026-11-24"),
        ("Last  Week", "2026-11-16", "2026-11-22"),
        ("last month", "2026-10-01", "2026-10-31"),
        ("last year", "2025-01-01", "2025-12-31"),
        ("2026-W47", "2026-11-16", "2026-11-22"),
        ("2026w01", "2025-12-29", "2026-01-04"),
        ("2020-W53", "2020-12-28", "2021-01-03"),
        ("2026-10", "2026-10-01", "2026-10-31"),
        ("2026-02", "2026-02-01", "2026-02-28"),
        ("2024-02", "2024-02-01", "2024-02-29"),
        ("2024", "2024-01-01", "2024-12-31"),
        ("2026", "2026-01-01", "2026-12-31"),
        ("2026-11-20", "2026-11-20", "2026-11-20"),
        ("2026-11-17..2026-11-20", "2026-11-17", "2026-11-20"),
        ("2026-09..2026-10", "2026-09-01", "2026-10-31"),
        ("2026-11-17..", "2026-11-17", None),
        ("..2026-11-20", None, "2026-11-20"),
        ("monday..yesterday", "2026-11-23", "2026-11-24"),
        ("2d", "2026-11-23", None),
    ],
)
def test_a_text_names_days(text: str, since: str | None, until: str | None):
    told = days.period(text, None, None).days()
    assert told == {"since": since, "until": until, "timezone": None}
    if ".." in text:
        assert days.period(None, text, None).days() == told


@pytest.mark.parametrize("offset", range(14))
def test_a_weekday_is_the_last_one_before_today(offset: int, monkeypatch: pytest.MonkeyPatch):
    at = NOW + timedelta(days=offset)
    monkeypatch.setattr(days, "now", lambda: at)
    for number, name in enumerate(("mon", "tue", "wed", "thu", "fri", "sat", "sun")):
        given = days.period(name, None, None).days()["since"]
        assert given is not None
        found = date.fromisoformat(given)
        before = [at.date() - timedelta(days=back) for back in range(1, 8)]
        assert found == next(day for day in before if day.weekday() == number)


@pytest.mark.parametrize(
    ("options", "since", "until"),
    [
        ((None, "2026-10", None), "2026-10-01", None),
        ((None, None, "2026-10"), None, "2026-10-31"),
        ((None, "tuesday", "yesterday"), "2026-11-24", "2026-11-24"),
        ((None, None, "2d"), None, "2026-11-23"),
    ],
)
def test_since_is_the_beginning_and_until_the_end(
    options: tuple[str | None, str | None, str | None], since: str | None, until: str | None
):
    assert days.period(*options).days() == {"since": since, "until": until, "timezone": None}


@pytest.mark.parametrize(
    "options",
    [
        ("2026-10", "2026-09", None),
        (None, "2026-09..2026-10", "2026-11"),
        (None, None, "2026-09..2026-10"),
        ("2026-10..2026-09", None, None),
    ],
)
def test_options_that_contradict_each_other_are_refused(
    options: tuple[str | None, str | None, str | None],
):
    with pytest.raises(click.UsageError):
        days.period(*options)


@pytest.mark.parametrize(
    "text", ["soon", "2026-13", "2026-02-30", "2026-00", "2026-1-1", "tu", "6x", "1..", "a..b"]
)
def test_what_is_no_date_is_refused(text: str):
    with pytest.raises(click.BadParameter, match="no date"):
        days.When().convert(text, None, None)


def test_a_day_is_that_of_the_zone():
    # It is the 26th in Kiritimati, 14 hours ahead.
    there = days.period("today", None, None, "Pacific/Kiritimati")
    assert there.days()["since"] == "2026-11-26"
    assert there.holds("2026-11-25T10:00:00.000Z")
    assert not there.holds("2026-11-25T09:59:59.999Z")
    assert not there.holds("2026-11-26T10:00:00.000Z")


def test_a_span_and_a_time_are_exact():
    span = days.period(None, "90m", None)
    assert span.holds("2026-11-25T14:00:00Z")
    assert not span.holds("2026-11-25T13:59:59Z")
    hours = days.period("2026-11-20T10:00..2026-11-20T12:00", None, None)
    assert [hours.holds(f"2026-11-20T{at}:00Z") for at in ("09:59", "10:00", "11:59")] == [
        *(False, True, True)
    ]
    with pytest.raises(click.UsageError, match="whole days"):
        hours.days()


def test_words_are_completed():
    offered = [each.value for each in days.When().shell_complete(CONTEXT, PARAM, "2026-11..y")]
    assert offered == ["2026-11..yesterday"]
    assert "tuesday" in [each.value for each in days.When().shell_complete(CONTEXT, PARAM, "")]


CONTEXT = click.Context(command_line)
PARAM = click.Option(["--on"])


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / ".pi/agent/sessions/--w--"
    folder.mkdir(parents=True)
    for name, day in (("aaa", "2026-10-31"), ("bbb", "2026-11-01")):
        begun = header(name, "/w", time=f"{day}T23:30:00.000Z")
        said = line(f"{name}1", None, f"needle {name}", timestamp=f"{day}T23:30:00.000Z")
        used = {"input": 1, "output": 2, "cost": {"total": 0.5}}
        answer = {"role": "assistant", "content": [], "provider": "p", "model": "m", "usage": used}
        told = line(f"{name}2", f"{name}1", timestamp=f"{day}T23:40:00.000Z", message=answer)
        (folder / f"{name}.jsonl").write_text(begun + said + told)
    return tmp_path


def test_commands_show_what_was_in_a_period_and_name_the_zone(home: Path):
    def ids(*options: str) -> list[str]:
        done = run(home, "list", "--all", *options, cwd=home)
        assert "days of the time zone" in done.stderr
        return [row.split("\t")[3] for row in done.stdout.splitlines()]

    assert ids("--on", "2026-10") == ["aaa"]
    assert ids("--since", "2026-11-01") == ["bbb"]
    assert ids("--on", "2026-10-31..2026-11-01") == ["bbb", "aaa"]
    # 23:40 UTC is the next day in Berlin.
    assert ids("--on", "2026-11-01", "--timezone", "Europe/Berlin") == ["aaa"]
    found = run(home, "search", "needle", "--on", "2026-10", cwd=home)
    assert "needle aaa" in found.stdout
    assert "needle bbb" not in found.stdout
    assert "time zone UTC" in found.stderr
    used = run(home, "usage", "--by", "month", "--on", "2026-11", cwd=home)
    assert [row.split("\t")[0] for row in used.stdout.splitlines()] == ["2026-11"]
    assert "time zone UTC" in used.stderr


def test_stats_counts_the_entries_of_a_period(home: Path):
    def counted(*options: str) -> tuple[dict[str, int], float]:
        found = json.loads(run(home, "stats", "aaa", "--json", *options, cwd=home).stdout)
        return found["messages"]["byRole"], found["cost"]["total"]

    assert counted("--on", "2026-10-31") == ({"user": 1, "assistant": 1}, 0.5)
    assert counted("--since", "2026-11") == ({}, 0)
    berlin = ("--timezone", "Europe/Berlin")
    assert counted("--since", "2026-11", *berlin) == ({"user": 1, "assistant": 1}, 0.5)


@pytest.mark.parametrize("text", ["", "..", "last", "last day", "2026-W54", "2026-W00", "lastweek"])
def test_a_text_that_names_no_time_is_refused(text: str):
    with pytest.raises(click.BadParameter):
        days.When().convert(text, None, None)
