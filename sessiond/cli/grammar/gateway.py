"""Declare `sessiond gateway ...`: commands for the sessions of a gateway's store."""

from __future__ import annotations

import functools
import re

import click

from sessiond.cli.grammar.declare import HELP_OPTIONS, Group, argument, flag, number, option
from sessiond.cli.grammar.declare import command as plain_command
from sessiond.cli.grammar.values import NotEmpty

_POSITIVE = re.compile("0*[1-9][0-9]{0,9}")

# The default profile of these commands.
command = functools.partial(
    plain_command, profile="coderclaw", agent_names=("--agent", "--agent-id")
)


def _store() -> click.Option:
    return option(
        "--store",
        type=NotEmpty("path"),
        metavar="PATH",
        help="The store; `{agentId}` in it is replaced by the agent.",
    )


def _minutes(_context: click.Context, _option: click.Parameter, given: str | None) -> int | None:
    if given is None:
        return None
    if not _POSITIVE.fullmatch(given.strip()):
        raise click.UsageError("--active must be a positive integer (minutes)")
    return int(given)


def _key() -> click.Argument:
    return argument("key", NotEmpty("key"))


GATEWAY = Group(
    "gateway",
    help="Show and maintain the conversations in a gateway's store.",
    context_settings=HELP_OPTIONS,
    commands=[
        command(
            "list",
            "commands.gateway:list_sessions",
            "List the sessions of all agents or of one agent, the latest first.",
            _store(),
            option(
                "--active",
                metavar="MINUTES",
                callback=_minutes,
                help="Only sessions used in the last MINUTES.",
            ),
            option("--search", metavar="TEXT", help="Only with TEXT in name, key or id."),
            number("-n", "--limit", text="At most N sessions."),
            shares=True,
        ),
        command(
            "show",
            "commands.gateway:show",
            "Show the entry of a session, the path of its transcript, and its last messages.",
            _key(),
            _store(),
            shares=True,
        ),
        command(
            "reset",
            "commands.gateway:reset",
            "Start a new session under a key; the old transcript is archived.",
            _key(),
            _store(),
            flag("-y", "--yes", text="Do not ask."),
            flag("--force", text="Even if another program has it open."),
        ),
        command(
            "maintain",
            "commands.gateway:maintain",
            "Remove old and excess sessions from an agent's store.",
            _store(),
            flag("--enforce", text="Also if the configuration only asks for warnings."),
            flag("--dry-run", text="Only report what would be done."),
        ),
    ],
)
