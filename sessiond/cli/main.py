"""`sessiond`: run a command, or return the settings of the daemon to start.

Every failure becomes one message and an exit code.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from keyword import iskeyword
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem, get_completion_class

from sessiond import __version__
from sessiond.cli import shells
from sessiond.cli.astext import clean
from sessiond.cli.command import HELP_OPTIONS
from sessiond.cli.settings import (
    config,
    mcp_config,
    mcp_options,
    options,
    settings,
    settings_of_reader,
)

if TYPE_CHECKING:
    from sessiond.runtime.config import Config, McpConfig

_FAILED = 3

_HELP = """\
\b
Serve coding-agent sessions over JSON-RPC on stdio (`help serve`), or show them.
A SESSION: a path, an id or its beginning, `last`, or @N of `sessiond list`.
"""
_EPILOG = "Exit codes: 0 done, 1 nothing or problems found, 2 wrong usage, 3 failed."

COMMANDS = {
    "Read": {
        "list, pick": "List the sessions of this project; choose some by typing.",
        "show, tail": "Print a branch of a session; its end, and what comes.",
        "tree, diff": "Draw the branches of a session; compare two of them.",
    },
    "Find": {
        "stats, usage": "Add up messages, tokens and cost of one session, or of all.",
        "status": "Show what today has cost, and the sessions that run.",
        "search, agents": "Search in sessions; say which agents have some here.",
    },
    "Continue and share": {
        "resume, reply": "Start the agent on a session; add a message to one.",
        "fork, handoff": "Copy a branch; print the first message for another agent.",
        "export, open": "Export a branch as page, text or session; or show its page.",
        "import, copy": "Bring session files here; copy one to another machine.",
    },
    "Change": {
        "check, repair": "Check session files for damage; repair one, with a backup.",
        "rename, label": "Name a session; label one of its entries.",
        "pin, unpin": "Put sessions first in lists; take that back.",
        "hide, unhide": "Leave sessions out of lists; take that back.",
        "tag, untag": "Tag a session with words; remove some.",
        "delete, undo": "Move sessions to the trash; take the last change back.",
        "trash, restore": "List or empty the trash; bring sessions back from it.",
        "relink, gateway": "Follow a renamed directory; list a gateway's sessions.",
    },
    "Serve, and keep elsewhere": {
        "mcp, call, sync": "Serve agents; call methods; sync machines.",
        "store, mirror, push, pull": "Keep, copy or move sessions in PostgreSQL.",
        "lsp, daemon, completion, help": "Editors, shared daemons, completion, help.",
    },
}
"""The rows of `sessiond help`; commands that share a line keep it within a screen."""

_SHORT = {
    name: text
    for rows in COMMANDS.values()
    for row, text in rows.items()
    for name in row.split(", ")
}


ANNEXES = {
    "gateway": "sessiond.gateway.command",
    "lsp": "sessiond.lsp.command",
    "sync": "sessiond.sync.command",
    **{name: "sessiond.postgres.commands." + name for name in ("store", "mirror", "push", "pull")},
}
"""The modules of the commands that belong to an annex."""


class _CommandLine(click.Group):
    """Imports the module of a command when it is run or explained."""

    def list_commands(self, _context: click.Context) -> list[str]:
        """In the order in which the help shows them."""
        return [*_SHORT, "serve"]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in _SHORT or name in self.commands:
            return super().get_command(context, name)
        own = f"sessiond.cli.commands.{name}{'_' if iskeyword(name) else ''}"
        module = import_module(ANNEXES.get(name, own))
        command: click.Command = module.main
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if self.get_command(ctx, args[0]) is None and not ctx.resilient_parsing:
            from difflib import get_close_matches

            matches = get_close_matches(args[0], self.list_commands(ctx))
            near = " or ".join(map(repr, matches))
            hint = f" Did you mean {near}?" if near else ""
            raise click.UsageError(f"No such command {args[0]!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def shell_complete(self, context: click.Context, incomplete: str) -> list[CompletionItem]:
        names = (name for name in _SHORT if name.startswith(incomplete))
        own = [CompletionItem(name, help=_SHORT[name]) for name in names]
        return own + click.Command.shell_complete(self, context, incomplete)

    def format_commands(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_paragraph()
        *most, _ = COMMANDS.values()
        longest = max(len(row) for rows in most for row in rows)
        for title, rows in COMMANDS.items():
            # Without empty lines between the groups all of them fit on a screen.
            formatter.write_text(f"{title}:")
            with formatter.indentation():
                formatter.write_dl([(row.ljust(longest), text) for row, text in rows.items()])


def _tell_version(context: click.Context, _option: click.Parameter, given: bool) -> None:
    if given and not context.resilient_parsing:
        click.echo(f"sessiond {__version__}")
        context.exit()


@click.group(
    "sessiond",
    cls=_CommandLine,
    invoke_without_command=True,
    params=options(short_help=True),
    help=_HELP,
    epilog=_EPILOG,
    context_settings=HELP_OPTIONS,
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_tell_version,
    help="Print the version.",
)
def command_line(**_params: Any) -> Config | None:
    context = click.get_current_context()
    return _settings(context) if context.invoked_subcommand is None else None


def _settings(context: click.Context) -> Config:
    """Return the settings of the daemon, which is started after the command line was parsed."""
    return config(settings(context, context.params, "pi"))


@command_line.command("serve", hidden=True, params=options(), context_settings=HELP_OPTIONS)
def _serve(**_params: Any) -> Config:
    """Serve JSON-RPC on stdio, as without a command.

    Every option has a variable: --agent-dir is SESSIOND_AGENT_DIR (several --root: separated by
    `:`). The command line overrides these variables, and they override the variables and defaults
    of the profile.
    """
    return _settings(click.get_current_context())


@command_line.command("mcp", params=mcp_options(), context_settings=HELP_OPTIONS)
def _mcp(**_params: Any) -> McpConfig:
    """Serve the Model Context Protocol on stdio, so that an agent can search and read earlier
    conversations.

    By default it shows the project of the current directory: the repository around it, otherwise
    the directory itself, and everything below. docs/agents.md says how to set up each agent.
    """
    context = click.get_current_context()
    return mcp_config(settings_of_reader(context, context.params))


@command_line.command("help", context_settings=HELP_OPTIONS)
@click.argument("words", nargs=-1, metavar="[COMMAND]...")
def _help(words: Sequence[str]) -> None:
    """Explain a command; `help rpc METHOD` explains a method of the daemon."""
    if words[:1] == ("rpc",):
        from sessiond.cli.rpc_help import explain

        explain(words[1:])
        return
    context = click.get_current_context().find_root()
    command: click.Command = command_line
    for word in words:
        below = command.get_command(context, word) if isinstance(command, click.Group) else None
        if below is None:
            raise click.UsageError(f"no such command: {' '.join(words)!r}", context)
        command = below
        context = click.Context(command, parent=context, info_name=word)
    click.echo(command.get_help(context))


@command_line.command("completion", context_settings=HELP_OPTIONS)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def _completion(shell: str) -> None:
    """Print the completion script for SHELL: eval "$(sessiond completion bash)"."""
    completion = get_completion_class(shell)
    assert completion is not None, "click knows the three shells"  # noqa: S101
    click.echo(completion(command_line, {}, "sessiond", "_SESSIOND_COMPLETE").source())


# Before the command line asks for the one of a shell.
shells.offer()


def parse(arguments: Sequence[str], env: Mapping[str, str] | None = None) -> Config:
    """Return the settings of a daemon with these arguments. Raises click.UsageError.

    `env`: the environment, if it is not that of this process.
    """
    if arguments[:1] == ["mcp"]:
        mcp = command_line.commands["mcp"]
        with mcp.make_context("sessiond mcp", list(arguments[1:]), obj=env) as context:
            return mcp_config(settings_of_reader(context, {}))
    with command_line.make_context("sessiond", list(arguments), obj=env) as context:
        return config(settings(context, {}, "pi"))


def parse_for_client(arguments: Sequence[str], env: Mapping[str, str]) -> Config:
    """Return the settings of a client of a shared daemon. Raises WrongUsage."""
    from sessiond.shared.server import WrongUsage

    try:
        return parse(arguments, env)
    except click.ClickException as error:
        text = io.StringIO()
        error.show(text)
        raise WrongUsage(text.getvalue().rstrip()) from None


def run(arguments: Sequence[str]) -> Config | int:
    """Return the exit code of a command, or the settings of the daemon to start."""
    if not arguments and os.isatty(0) and os.isatty(1):
        # Nobody types JSON-RPC; `sessiond serve` waits for it on a terminal, too.
        arguments = ["--help"]
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


def _waiting(config: Config) -> str:
    from sessiond.runtime.config import McpConfig

    if isinstance(config, McpConfig):
        return (
            "sessiond: serving the Model Context Protocol; Ctrl-D ends it."
            "\nAgents start this command by themselves: see docs/agents.md."
        )
    return (
        "sessiond: serving JSON-RPC; waiting for requests on standard input, Ctrl-D ends it."
        "\n`sessiond help` lists the commands for people."
    )


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
    from sessiond.cli.running import is_answer

    if is_answer(error):
        click.echo(clean(f"sessiond: {error.message}"), err=True)
        return _FAILED
    _drop_output()
    if isinstance(error, BrokenPipeError):
        # The reader has closed the pipe.
        return 0
    if isinstance(error, OSError):
        click.echo(clean(f"sessiond: {error.strerror or error}{_of(error)}"), err=True)
        return _FAILED
    message = f"sessiond: internal error: {type(error).__name__}: {error}"
    click.echo(clean(message), err=True)
    import logging

    logging.getLogger(__name__).debug("internal error", exc_info=error)
    return _FAILED


def _of(error: OSError) -> str:
    return ": standard output" if error.filename is None else f": {os.fsdecode(error.filename)}"


def _drop_output() -> None:
    """Discard buffered output, because flushing it at exit would fail again."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)
