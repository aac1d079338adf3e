"""Every command of docs/recipes.md runs, and prints what stands there."""

from __future__ import annotations

import importlib
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import working_week

RECIPES = (Path(__file__).parents[2] / "docs/recipes.md").read_text()
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", RECIPES, re.MULTILINE | re.DOTALL)
EXAMPLE = re.compile(r"^\$ (.*)\n((?:[^$].*\n|\n)*)", re.MULTILINE)
CHANGING = (
    # Times at which something was done, new ids, private directories, and what is longer or shorter
    # with the name of the home directory.
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d"), "TIME"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z"), "TIME"),
    (re.compile(r"01a[0-9a-f]{5}-[0-9a-f]{4}-7[0-9a-f-]{21}"), "ID"),
    (re.compile(r"\S*/sessiond-\w+/"), "PRIVATE/"),
    (re.compile(r" +(?:[\d.]+ k?B\b|SIZE)"), " SIZE"),
    (re.compile(r"'You take over .*'"), "'You take over'"),
    # What another machine has just sent was written just now.
    (re.compile(r"● "), ""),
    (re.compile(r" {2,}"), "  "),
)


@pytest.fixture(scope="module")
def week(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Path]]:
    """A home directory and a directory of programs."""
    home = tmp_path_factory.mktemp("week") / "me"
    home.mkdir()
    working_week.write_all(home)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield home, working_week.install_programs(home)
    time.tzset()


def told(text: str, home: Path) -> list[str]:
    """Lines as they stand in the page, without what is new each time."""
    for place, name in ((home, "/home/me"), (home.with_name("box"), "/home/box")):
        text = text.replace(str(place), name)
        text = text.replace(str(place).strip("/").replace("/", "-"), name[1:].replace("/", "-"))
    for pattern, name in CHANGING:
        text = pattern.sub(name, text)
    return [line.rstrip() for line in text.splitlines()]


def test_a_week_of_questions(week: tuple[Path, Path]):
    home, programs = week
    terminal = importlib.import_module("terminal")
    start = f"PATH={programs}:$PATH; BROWSER=browser; export PATH BROWSER; cd "
    commands = 0
    for kind, text in BLOCKS:
        assert kind == "console"
        folder = "~"
        for command, expected in EXAMPLE.findall(text):
            commands += 1
            if found := re.match(r"cd (\S+);", command):
                folder = found[1]
            printed = terminal.output(["sh", "-c", f"{start}{folder}\n{command}"], home)
            plain = terminal.STYLES.sub("", printed)
            assert told(plain, home) == told(expected, home), command
    assert commands > 30


def test_commands_stand_in_blocks():
    """`help`, `list` and `pick` are named for those who ask on; `trash empty` is not for a test."""
    text = re.sub(r"^```.*?^```", "", RECIPES, flags=re.MULTILINE | re.DOTALL)
    assert set(re.findall(r"`sessiond ([a-z]+)", text)) == {"help", "list", "pick", "trash"}
