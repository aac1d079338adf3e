"""One module for each command, imported when it is needed."""

import importlib
import subprocess
import sys
from pathlib import Path

import click
import pytest
from support.commands import SESSIOND, run

from sessiond.cli import commands
from sessiond.cli.main import ANNEXES, COMMANDS, command_line
from sessiond.shared.front import arguments

CONTEXT = click.Context(command_line)
ROWS = {row: text for rows in COMMANDS.values() for row, text in rows.items()}


def command(name: str) -> click.Command:
    found = command_line.get_command(CONTEXT, name)
    assert found is not None
    return found


@pytest.mark.parametrize("name", command_line.list_commands(CONTEXT))
def test_every_command_has_its_name_and_explains_itself(name: str):
    assert command(name).name == name
    assert command(name).get_short_help_str(1000)


def test_every_module_is_a_command():
    files = Path(commands.__file__).parent.glob("[a-z]*.py")
    modules = {path.stem.rstrip("_") for path in files}
    own = {"completion", "help", "mcp", "serve"}
    assert not modules & ANNEXES.keys()
    assert modules | own | ANNEXES.keys() == set(command_line.list_commands(CONTEXT))


@pytest.mark.parametrize("row", [row for row in ROWS if "," not in row and row != arguments.MCP])
def test_what_all_commands_are_shown_with_is_what_each_says_of_itself(row: str):
    assert ROWS[row] == command(row).get_short_help_str(1000)


@pytest.mark.parametrize("words", [["--help"], ["no-such-command"]], ids=["help", "unknown"])
def test_no_command_is_imported_that_does_not_run(words: list[str]):
    program = f"""
import sys
from sessiond.cli.main import run
run({words})
imported = [name for name in sys.modules if name.startswith("sessiond.cli.commands.")]
assert imported == [], imported
assert "rich" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)


def test_completion_imports_no_command():
    program = """
import sys
import click
from click.shell_completion import ShellComplete
from sessiond.cli.main import command_line
complete = ShellComplete(command_line, {}, "sessiond", "_SESSIOND_COMPLETE")
print(*(item.value for item in complete.get_completions([], "re")))
assert not [name for name in sys.modules if name.startswith("sessiond.cli.commands.")]
"""
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert sorted(done.stdout.split()) == [
        "relink",
        "rename",
        "repair",
        "reply",
        "restore",
        "resume",
    ]


@pytest.mark.parametrize(
    "words",
    [["mirror"], ["push", "x.jsonl"], ["pull", "x"], ["store", "status"], ["store", "migrate"]],
    ids=" ".join,
)
def test_a_command_of_a_store_wants_to_know_which(tmp_path: Path, words: list[str]):
    done = run(tmp_path, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert "name the store: --" in done.stderr
    assert "SESSIOND_STORE" in done.stderr
    given = run(tmp_path, "--store", "no url", "store", "status")
    assert (given.returncode, given.stderr.count("\n")) == (3, 1)


def test_a_mistyped_command_names_the_one_that_was_meant(tmp_path: Path):
    done = run(tmp_path, "serach", "x")
    assert done.returncode == 2
    assert "Did you mean 'search'?" in done.stderr
    assert "Did you mean" not in run(tmp_path, "xyzzyx").stderr


@pytest.mark.parametrize(
    ("given", "meant"), [("claude", "claude-code"), ("code", None), ("c", None)]
)
def test_the_beginning_of_a_profile_is_enough(tmp_path: Path, given: str, meant: str | None):
    done = run(tmp_path, "list", "--profile", given)
    assert ("is not one of" in done.stderr) is (meant is None)


def test_without_arguments_a_terminal_gets_help(tmp_path: Path):
    terminal = importlib.import_module("terminal")
    printed = terminal.STYLES.sub("", terminal.output(SESSIOND, tmp_path))
    assert "Usage: sessiond" in printed
    assert "search" in printed


def test_methods_are_explained(tmp_path: Path):
    listed = run(tmp_path, "help", "rpc").stdout.splitlines()
    assert any(line.split()[:1] == ["session/getView"] for line in listed)
    text = run(tmp_path, "help", "rpc", "session/getView").stdout
    assert "| `session` | string | Handle of the session. |" in text
    # What the result is made of, too.
    assert "| `items` | [ViewItem](#viewitem)[] | One for each entry. |" in text
    assert "### ViewItem" in text
    assert "### ViewItem" in run(tmp_path, "help", "rpc", "ViewItem").stdout
    unknown = run(tmp_path, "help", "rpc", "session/getVew")
    assert unknown.returncode == 2
    assert "did you mean session/getView?" in unknown.stderr
