"""Declare `sessiond`: the daemon's options, and the commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from sessiond import __version__
from sessiond.cli.grammar.declare import HELP_OPTIONS, Group, flag, number, standalone
from sessiond.cli.grammar.gateway import GATEWAY
from sessiond.cli.grammar.serving import (
    config,
    lsp_options,
    mcp_config,
    mcp_options,
    options,
    settings,
    settings_of_reader,
)
from sessiond.cli.grammar.sessions import CHANGING, SHOWING, TRASH
from sessiond.cli.grammar.shells import offer
from sessiond.cli.grammar.store import MOVING, STORE

if TYPE_CHECKING:
    from sessiond.config import Config, McpConfig


DAEMON = Group(
    "daemon",
    commands=[
        standalone(
            "status",
            "daemon",
            "Show the shared daemons of this user and who is connected.",
            flag("--json", "as_json", text="Print JSON."),
        ),
        standalone(
            "stop", "daemon", "End the shared daemons of this user; running requests are finished."
        ),
        standalone(
            "logs",
            "daemon",
            "Print the newest lines of the logs of shared daemons.",
            number("-n", "lines", text="How many lines of each (default 50).", default=50),
        ),
    ],
    help="Show or end the daemons that clients share with `sessiond --shared`.",
    short_help="Show or end the daemons that clients share.",
    context_settings=HELP_OPTIONS,
)


# Before the command line asks for the one of a shell.
offer()

_HELP = """\
\b
Serve coding-agent sessions over JSON-RPC on stdio (`help serve`), or show them.
A SESSION: a path, an id or its beginning, `last`, or @N of `sessiond list`.
"""
_EPILOG = "Exit codes: 0 done, 1 nothing or problems found, 2 wrong usage, 3 failed."


def _serve(**_params: Any) -> Config:
    """Return the settings of the daemon, which is started after the command line was parsed."""
    context = click.get_current_context()
    return config(settings(context, context.params, "pi"))


def _serve_mcp(**_params: Any) -> McpConfig:
    context = click.get_current_context()
    return mcp_config(settings_of_reader(context, context.params))


def _without_command(**_params: Any) -> Config | None:
    context = click.get_current_context()
    return _serve() if context.invoked_subcommand is None else None


def _help(words: Sequence[str]) -> None:
    context = click.get_current_context().find_root()
    command: click.Command = command_line
    for word in words:
        below = command.get_command(context, word) if isinstance(command, click.Group) else None
        if below is None:
            raise click.UsageError(f"no such command: {' '.join(words)!r}", context)
        command = below
        context = click.Context(command, parent=context, info_name=word)
    click.echo(command.get_help(context))


def _completion(shell: str) -> None:
    from click.shell_completion import get_completion_class  # noqa: PLC0415 - seldom needed

    made = get_completion_class(shell)
    assert made is not None, "click knows the three shells"  # noqa: S101
    click.echo(made(command_line, {}, "sessiond", "_SESSIOND_COMPLETE").source())


def _tell_version(context: click.Context, _option: click.Parameter, given: bool) -> None:
    if given and not context.resilient_parsing:
        click.echo(f"sessiond {__version__}")
        context.exit()


_OWN = (
    click.Command(
        "completion",
        callback=_completion,
        params=[click.Argument(["shell"], type=click.Choice(["bash", "zsh", "fish"]))],
        help='Print the completion script for SHELL: eval "$(sessiond completion bash)".',
        short_help="Print the completion script for SHELL.",
        context_settings=HELP_OPTIONS,
    ),
    click.Command(
        "help",
        callback=_help,
        params=[click.Argument(["words"], nargs=-1, metavar="[COMMAND]...")],
        help="Explain a command.",
        context_settings=HELP_OPTIONS,
    ),
    click.Command(
        "serve",
        callback=_serve,
        params=options(),
        help="Serve JSON-RPC on stdio, as without a command."
        "\n\nEvery option has a variable: --agent-dir is SESSIOND_AGENT_DIR (several --root:"
        " separated by `:`). The command line overrides these variables, and they override the"
        " variables and defaults of the profile.",
        # The help of all commands names it at its end.
        hidden=True,
        context_settings=HELP_OPTIONS,
    ),
)


_MCP = click.Command(
    "mcp",
    callback=_serve_mcp,
    params=mcp_options(),
    help="Serve the Model Context Protocol on stdio, so that an agent can search and read earlier"
    " conversations."
    "\n\nBy default only those of the project of the current directory: the repository around it,"
    " else the directory itself, and everything below. docs/agents.md sets up each agent.",
    short_help="Let agents search and read sessions (Model Context Protocol).",
    context_settings=HELP_OPTIONS,
)

_LSP = standalone(
    "lsp",
    "lsp",
    "Serve session files to an editor over the Language Server Protocol, on stdio: outline, hover"
    " and more. docs/editors.md sets up each editor.",
    *lsp_options(),
)


_GROUPS = {
    "Read": ("list", "show", "tree", "diff", "tail", "pick"),
    "Find": ("search", "stats", "usage"),
    "Continue and share": ("resume", "fork", "handoff", "export, open", "import, copy"),
    "Change": ("check, repair", "rename, relink", "delete, undo", "trash, restore", "gateway"),
    "Serve, and keep elsewhere": (
        "mcp",
        "store, mirror, push, pull",
        "lsp, daemon, completion, help",
    ),
}
"""The commands by what they do; those that share a line keep the help within a screen."""

_IN_SHORT = {
    "export, open": "Export a branch as page, text or session; or show its page.",
    "import, copy": "Bring session files here; copy one to another machine.",
    "check, repair": "Check session files for damage; repair one, with a backup.",
    "rename, relink": "Name a session; let sessions follow a renamed directory.",
    "delete, undo": "Move sessions to the trash; take the last change back.",
    "trash, restore": "List or empty the trash; bring sessions back from it.",
    "mcp": "Let agents search and read sessions.",
    "store, mirror, push, pull": "Keep, copy or move sessions in PostgreSQL.",
    "lsp, daemon, completion, help": "Editors, shared daemons, completion, help.",
}


class _CommandLine(click.Group):
    def list_commands(self, _context: click.Context) -> list[str]:
        """In the order in which they are declared."""
        return list(self.commands)

    def format_commands(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_paragraph()
        longest = max(len(row) for rows in list(_GROUPS.values())[:-1] for row in rows)
        limit = formatter.width - 6 - longest
        for title, rows in _GROUPS.items():
            # Without empty lines between the groups all of them fit on a screen.
            formatter.write_text(f"{title}:")
            with formatter.indentation():
                formatter.write_dl(
                    [(row.ljust(longest), self._in_short(row, limit)) for row in rows]
                )

    def _in_short(self, row: str, limit: int) -> str:
        return _IN_SHORT.get(row) or self.commands[row].get_short_help_str(limit)


command_line = _CommandLine(
    "sessiond",
    callback=_without_command,
    invoke_without_command=True,
    params=[
        *options(short_help=True),
        click.Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_tell_version,
            help="Print the version.",
        ),
    ],
    commands=[
        *SHOWING,
        *CHANGING,
        TRASH,
        GATEWAY,
        DAEMON,
        STORE,
        *MOVING,
        _MCP,
        _LSP,
        *_OWN,
    ],
    help=_HELP,
    epilog=_EPILOG,
    context_settings=HELP_OPTIONS,
)


def parse(arguments: Sequence[str], env: Mapping[str, str] | None = None) -> Config:
    """Return the settings of a daemon with these arguments. Raises click.UsageError.

    `env`: the environment, if it is not that of this process.
    """
    if arguments[:1] == [_MCP.name]:
        with _MCP.make_context("sessiond mcp", list(arguments[1:]), obj=env) as context:
            return mcp_config(settings_of_reader(context, {}))
    with command_line.make_context("sessiond", list(arguments), obj=env) as context:
        return config(settings(context, {}, "pi"))
