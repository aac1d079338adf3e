"""Write the manual page from the declarations that the help shows; `--check` only compares.

It is part of the repository, and of the wheel: `man sessiond` finds it beside an installed program.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterator
from pathlib import Path

import click

from sessiond import __version__
from sessiond.cli.main import command_line

PAGE = Path(__file__).resolve().parents[2] / "man/sessiond.1"
SKIPPED = ("help", "serve")
"""Commands that the rest of the page explains."""

COMMON = ("profile", "agent_dir", "agent_id")
"""Options of the daemon that most commands have, too."""


def main(words: list[str]) -> int:
    text = page()
    if words != ["--check"]:
        PAGE.write_text(text)
    elif not PAGE.exists() or PAGE.read_text() != text:
        print(f"{PAGE} is not what `make generate` writes")
        return 1
    return 0


def page() -> str:
    """Return the page in the language of `man`."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    root = click.Context(command_line, info_name="sessiond")
    yield f'.TH SESSIOND 1 "" "sessiond {__version__}" "User Commands"'
    yield ".SH NAME"
    yield r"sessiond \- sessions of coding agents, in the terminal and over JSON\-RPC"
    yield ".SH SYNOPSIS"
    yield from (".B sessiond", r"[\fIOPTIONS\fR] [\fICOMMAND\fR]")
    yield ".SH DESCRIPTION"
    yield from _paragraphs(command_line)
    yield ".SH COMMANDS"
    for command, context in _commands(command_line, root):
        if command.name not in SKIPPED:
            yield from _about(command, context)
    serve = command_line.commands["serve"]
    yield ".SH OPTIONS"
    yield r"Of the daemon, and before the name of a command also of commands. \fB\-\-profile\fR,"
    yield r"\fB\-\-agent\-dir\fR and \fB\-\-agent\-id\fR may also follow that name."
    yield from _options(serve, click.Context(serve, parent=root))
    yield ".SH ENVIRONMENT"
    yield from _paragraphs(serve, first=1)
    yield from (".SH EXIT STATUS", _text(str(command_line.epilog).removeprefix("Exit codes: ")))


def _commands(
    group: click.Group, context: click.Context
) -> Iterator[tuple[click.Command, click.Context]]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None:
            continue
        below = click.Context(command, parent=context, info_name=name)
        if isinstance(command, click.Group):
            yield from _commands(command, below)
        else:
            yield command, below


def _about(command: click.Command, context: click.Context) -> Iterator[str]:
    usage = " ".join(command.collect_usage_pieces(context))
    yield f'.SS "{_text(context.command_path)} {_text(usage)}"'
    yield from _paragraphs(command)
    yield from _options(command, context, COMMON)


def _paragraphs(command: click.Command, first: int = 0) -> Iterator[str]:
    paragraphs = str(command.help).replace("\b\n", "").strip().split("\n\n")
    for number, paragraph in enumerate(paragraphs[first:]):
        if number:
            yield ".PP"
        yield _text(" ".join(paragraph.split()))


def _options(
    command: click.Command, context: click.Context, left_out: Collection[str] = ()
) -> Iterator[str]:
    for option in command.params:
        if not isinstance(option, click.Option) or option.hidden or option.name in left_out:
            continue
        named = ", ".join(rf"\fB{_text(name)}\fR" for name in option.opts)
        value = "" if option.is_flag else rf" \fI{_text(option.make_metavar(context))}\fR"
        yield from (".TP", f"{named}{value}", _text(str(option.help)))


def _text(plain: str) -> str:
    """Return a text that shows itself: no character of it is an instruction."""
    text = plain.replace("\\", r"\e").replace("-", r"\-").replace('"', r"\(dq")
    text = text.replace("`", r"\(ga").replace("~", r"\(ti").replace("^", r"\(ha")
    return re.sub(r"^(?=[.'])", r"\\&", text)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
