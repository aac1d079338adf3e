"""The manual page has what the help has, and shows it."""

import re
import runpy
import shutil
import subprocess
from pathlib import Path

import click
import pytest

from sessiond.cli.main import command_line

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "man/sessiond.1"


def test_it_is_that_of_the_present_commands():
    written = runpy.run_path(str(ROOT / "dev/release/man_page.py"))
    assert PAGE.read_text() == written["page"](), "`make generate` writes it"


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_it_is_shown_without_a_warning():
    words = ["groff", "-man", "-ww", "-b", "-Tutf8", "-P-cbou", "-rLL=100n", str(PAGE)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    shown = " ".join(done.stdout.split())
    context = click.Context(command_line)
    for name in command_line.list_commands(context):
        command = command_line.get_command(context, name)
        if name not in ("help", "serve"):
            of_group = isinstance(command, click.Group)
            listed = command.commands.values() if of_group else [command]
            for each in listed:
                path = (
                    f"sessiond {command.name} {each.name}" if of_group else f"sessiond {each.name}"
                )
                assert re.search(rf"\b{path}\b", shown)
    for option in command_line.commands["serve"].params:
        assert f"{option.opts[0]}" in shown
        # Words may be broken at the ends of lines.
        assert _run_together(str(option.help)) in _run_together(shown)


def _run_together(text: str) -> str:
    return "".join(text.split()).replace("-", "").replace("\u2010", "")
