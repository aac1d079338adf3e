"""`sessiond usage`: its page, its bars, and what it refuses."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from fixed_sessions import USAGE, said, session, write_all
from support.process import isolated_environment

from sessiond.cli.astext import amount, dollars
from sessiond.cli.commands.usage import bar
from sessiond.cli.main import command_line

HOSTILE = "</title><script>alert(1)</script>\"'&\x1b[2J\ud83d"
VOID = {"meta", "line", "rect", "br"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    write_all(tmp_path)
    told = said("assistant", "x", usage=USAGE | {"cost": None}, provider=HOSTILE, model=HOSTILE)
    spoken = [said("user", HOSTILE), told]
    session(tmp_path, "/bad", "019bffff-0000-7000-8000-00000000000e", 11, spoken)
    file = next(tmp_path.rglob("*019bffff*.jsonl"))
    file.write_text(file.read_text().replace('"/bad"', json.dumps(f"/{HOSTILE}")))
    return tmp_path


def run(home: Path, *arguments: str, **env: str) -> Result:
    fixed = {"HOME": str(home), "TZ": "UTC", "SESSIOND_NO_CATALOG_CACHE": "1"}
    return CliRunner().invoke(
        command_line, ["usage", *arguments], env=isolated_environment(home) | fixed | env
    )


class Page(HTMLParser):
    """Tags in use, attributes and text; fails where tags are not balanced."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_the_page_is_one_file_that_runs_and_loads_nothing(home: Path):
    target = home / "u.html"
    done = run(home, "--html", str(target))
    assert (done.exit_code, done.stdout) == (0, f"{target}\n")
    assert "2 of 9 entries have no cost" in done.stderr
    text = target.read_text()
    page = Page(text)
    assert "svg" in page.tags
    assert not page.tags & {"script", "link", "img", "iframe", "object", "base", "form", "a"}
    names = {name for name, _ in page.attributes}
    assert not {name for name in names if name.startswith("on")} | (names & {"src", "href"})
    assert "url(" not in text
    assert "@import" not in text
    assert "default-src 'none'" in text
    # What was hostile is text, without control characters.
    assert "\x1b" not in text
    assert any("<script>alert(1)</script>" in each for each in page.text)
    assert {"$0.09", "Cost by day and model", "2026-01-08"} <= set(page.text)
    assert target.stat().st_mode & 0o777 == 0o600


def test_the_page_is_written_to_standard_output(home: Path):
    done = run(home, "--html", "-", "--since", "2026-01-10", "--until", "2026-01-10")
    assert done.exit_code == 0
    assert done.stdout.startswith("<!DOCTYPE html>")
    assert "2026-01-09" not in done.stdout


def test_the_page_replaces_no_session_and_keeps_to_the_roots(home: Path):
    path = next((home / ".pi").rglob("*.jsonl"))
    before = path.read_bytes()
    assert run(home, "--html", str(path)).exit_code == 3
    assert path.read_bytes() == before
    assert run(home, "--html", str(home / "u.html"), SESSIOND_READ_ONLY="1").exit_code == 3
    confined = run(home, "--html", str(home / "u.html"), SESSIOND_ROOT=str(home / ".pi"))
    assert (confined.exit_code, (home / "u.html").exists()) == (3, False)
    assert run(home, "--html", str(home / "none" / "u.html")).exit_code == 3


def test_json_is_the_answer_of_the_method(home: Path):
    answer: dict[str, Any] = json.loads(run(home, "--json", "--by", "model", "-n", "1").stdout)
    assert [row["key"] for row in answer["rows"]] == ["anthropic/claude-sonnet"]
    assert answer["sums"]["entries"] == 9
    assert answer["currency"] == "USD"


@pytest.mark.parametrize(
    ("arguments", "code", "said_"),
    [
        (["--since", "2030-01-01"], 1, "no usage matches"),
        (["--model", "none"], 1, "no usage matches"),
        (["--cwd", "/nowhere"], 1, "no sessions of /nowhere"),
        (["--since", "2026-01-01T10:00"], 2, "whole days"),
        (["--since", "3d", "--timezone", "Mars"], 2, "'Mars'"),
        (["--timezone", "Mars"], 2, "'Mars'"),
        (["--by", "year"], 2, "year"),
        (["--by", "model,model"], 2, "different names"),
        (["--by", "day,model,project"], 2, "one or two"),
        (["--json", "--html", "x"], 2, "exclude each other"),
    ],
)
def test_empty_and_invalid_values_are_reported(
    home: Path, arguments: list[str], code: int, said_: str
):
    done = run(home, *arguments)
    assert done.exit_code == code
    assert said_ in done.stderr
    assert done.stdout == ""


def test_rows_within_rows_add_up(home: Path):
    answer = json.loads(run(home, "--by", "model,project", "--json").stdout)
    assert len(answer["rows"]) > 1
    for row in answer["rows"]:
        assert row["sums"]["entries"] == sum(each["sums"]["entries"] for each in row["rows"])
        none = {"total": 0}
        parts = sum(each["sums"].get("cost", none)["total"] for each in row["rows"])
        assert row["sums"].get("cost", none)["total"] == pytest.approx(parts)
    by_project = json.loads(run(home, "--by", "project", "--json").stdout)["rows"]
    for project in by_project:
        inner = [
            each["sums"]["tokens"]["total"]
            for row in answer["rows"]
            for each in row["rows"]
            if each["key"] == project["key"]
        ]
        assert sum(inner) == project["sums"]["tokens"]["total"]
    plain = run(home, "--by", "model,project").stdout.splitlines()
    assert len(plain) == sum(len(row["rows"]) for row in answer["rows"])


def test_a_span_begins_with_its_day_in_the_zone(home: Path, monkeypatch: pytest.MonkeyPatch):
    from datetime import UTC, datetime

    from sessiond.cli import days

    # 05:00 of the 11th in Kiritimati, 14 hours ahead; a day before is the 10th there.
    monkeypatch.setattr(days, "now", lambda: datetime(2026, 1, 10, 15, tzinfo=UTC))
    done = run(home, "--since", "1d", "--timezone", "Pacific/Kiritimati")
    # Entries of 10:02 UTC on the 9th are of the 10th there.
    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == [
        "2026-01-10",
        "2026-01-11",
        "2026-01-12",
    ]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, ""),
        (-1, ""),
        (0.001, "▏"),
        (50, "█████"),
        (51, "█████▏"),
        (100, "██████████"),
    ],
)
def test_a_bar_has_steps_of_an_eighth(value: float, shown: str):
    assert bar(value, 100, 10) == shown


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "0"),
        (999, "999"),
        (1000, "1.00k"),
        (9_994, "9.99k"),
        (9_996, "10.0k"),
        (99_960, "100k"),
        (999_600, "1.00M"),
        (2_345_678_901, "2.35G"),
        (5e15, "5.00P"),
        (-1_234_567, "-1.23M"),
    ],
)
def test_tokens_are_written_in_six_characters(count: float, shown: str):
    assert amount(count) == shown


def test_money_is_written_with_its_sign_first():
    assert [dollars(value, {}) for value in (0, 1234.5, -3.5)] == ["$0.00", "$1,234.50", "-$3.50"]


def test_usage_reports_the_omitted_copies_in_forks(home: Path):
    first = next(home.rglob("*019baaaa*.jsonl"))
    fork = first.with_name("2026_fork.jsonl")
    fork.write_text(first.read_text().replace("019baaaa", "019bcccc"))
    done = run(home, "--by", "model", FORCE_COLOR="1", NO_COLOR="1", COLUMNS="120")
    assert "without 5 copies in forks" in done.stdout
    assert run(home, "--by", "model").stdout.splitlines()[0].split("\t")[7] == "7"


def secret_titles(home: Path) -> str:
    """Write a session whose first message has a password and the home directory; returns it."""
    password = "hunter2-Very-" + "Secret"
    text = f"In {home}/infra use DATABASE_URL=postgres://app:{password}@db.example/x now"
    spoken = [said("user", text), said("assistant", "x", usage=USAGE)]
    session(home, "/infra", "019bffff-0000-7000-8000-00000000000f", 12, spoken)
    return password


def test_a_page_warns_of_secrets_in_titles_and_masks_them(home: Path):
    password = secret_titles(home)
    open_page = run(home, "--html", "-", "--cwd", "/infra")
    assert password in open_page.stdout
    assert "1 title has what looks like keys or passwords; --mask" in open_page.stderr
    masked = run(home, "--html", "-", "--cwd", "/infra", "--mask")
    assert masked.exit_code == 0
    assert password not in masked.stdout
    assert str(home) not in masked.stdout
    assert "In ~/infra use" in masked.stdout
    assert "passwords" not in masked.stderr


def test_only_a_page_is_masked(home: Path):
    refused = run(home, "--mask")
    assert (refused.exit_code, "--mask goes with --html" in refused.output) == (2, True)


def test_a_page_can_be_of_a_project(home: Path):
    page = run(home, "--html", "-", "--project")
    assert page.exit_code in (0, 1), page.output
    assert "internal error" not in page.output
