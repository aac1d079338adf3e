"""Run the command line; every failure becomes one message and an exit code."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from sessiond.cli.astext import clean
from sessiond.cli.grammar.root import command_line

if TYPE_CHECKING:
    from sessiond.config import Config

_FAILED = 3
_WAITING = (
    "sessiond: serving JSON-RPC; waiting for requests on standard input, Ctrl-D ends it."
    "\n`sessiond help` lists the commands for people."
)

_WAITING_FOR_MCP = (
    "sessiond: serving the Model Context Protocol; Ctrl-D ends it."
    "\nAgents start this command by themselves: see docs/agents.md."
)


def run(arguments: Sequence[str]) -> Config | int:
    """Return the exit code of a command, or the settings of the daemon to start."""
    try:
        result = _result(arguments)
        if result is not None and not isinstance(result, int):
            if os.isatty(0):
                click.echo(_waiting(result), err=True)
            return result
        sys.stdout.flush()
    except Exception as error:  # noqa: BLE001 - every failure becomes one message
        return _report(error)
    return result or 0


def _waiting(config: Config) -> str:
    from sessiond.config import McpConfig  # noqa: PLC0415 - only on a terminal

    return _WAITING_FOR_MCP if isinstance(config, McpConfig) else _WAITING


def _report(error: Exception) -> int:
    """Report a failure on standard error; returns the exit code.

    The traceback of an unexpected error goes to the log, if its level is `debug`.
    """
    if isinstance(error, click.Abort):
        click.echo("Aborted.", err=True)
        return 1
    if isinstance(error, click.ClickException):
        # It may quote a file, an argument, or the arguments of another program.
        text = io.StringIO()
        error.show(text)
        click.echo(clean(text.getvalue()), nl=False, err=True)
        return error.exit_code
    _drop_output()
    if isinstance(error, BrokenPipeError):
        # The reader has closed the pipe.
        return 0
    if isinstance(error, OSError):
        click.echo(clean(f"sessiond: {error.strerror or error}{_of(error)}"), err=True)
        return _FAILED
    told = f"sessiond: internal error: {type(error).__name__}: {error}"
    click.echo(clean(told), err=True)
    import logging  # noqa: PLC0415 - seldom needed

    logging.getLogger(__name__).debug("internal error", exc_info=error)
    return _FAILED


def _result(arguments: Sequence[str]) -> Config | int | None:
    if "_SESSIOND_COMPLETE" in os.environ:
        command_line.main(list(arguments), prog_name="sessiond")
    # Not `main`, which turns a closed pipe into exit code 1.
    try:
        with command_line.make_context("sessiond", list(arguments)) as context:
            result: Config | int | None = command_line.invoke(context)
            return result
    except click.exceptions.Exit as ended:
        return ended.exit_code


def _of(error: OSError) -> str:
    return ": standard output" if error.filename is None else f": {os.fsdecode(error.filename)}"


def _drop_output() -> None:
    """Discard buffered output, because flushing it at exit would fail again."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)


def parse_for_client(arguments: Sequence[str], env: Mapping[str, str]) -> Config:
    """Return the settings of a client of a shared daemon. Raises WrongUsage."""
    from sessiond.cli.grammar.root import parse  # noqa: PLC0415
    from sessiond.shared.server import WrongUsage  # noqa: PLC0415 - only in a shared daemon

    try:
        return parse(arguments, env)
    except click.ClickException as error:
        text = io.StringIO()
        error.show(text)
        raise WrongUsage(text.getvalue().rstrip()) from None
