"""`sessiond gateway ...`: commands that look at the sessions of a gateway's store."""

from __future__ import annotations

import functools
import re

import click

from sessiond.cli.grammar.declare import HELP_OPTIONS, argument, flag, number, option
from sessiond.cli.grammar.declare import command as plain_command
from sessiond.cli.grammar.kinds import NotEmpty

_POSITIVE = re.compile("0*[1-9][0-9]{0,9}")

# CoderClaw's store where nothing else is said.
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


GATEWAY = click.Group(
    "gateway",
    help="Look at the sessions of CoderClaw's store, and look after it.",
    context_settings=HELP_OPTIONS,
    commands=[
        command(
            "list",
            "commands.gateway:list_sessions",
            "List sessions, the latest first; those of all agents, unless one is given.",
            _store(),
            option(
                "--active",
                metavar="MINUTES",
                callback=_minutes,
                help="Only those used within MINUTES.",
            ),
            option("--search", metavar="TEXT", help="Only those with TEXT in a name, key or id."),
            number("-n", "--limit", text="At most N sessions."),
        ),
        command(
            "show",
            "commands.gateway:show",
            "Show what the store knows of a session, where it is, and how it ends.",
            _key(),
            _store(),
        ),
        command(
            "reset",
            "commands.gateway:reset",
            "Start a session over; its transcript is kept under another name.",
            _key(),
            _store(),
            flag("-y", "--yes", text="Do not ask."),
            flag("--force", text="Even if a program has it open."),
        ),
        command(
            "maintain",
            "commands.gateway:maintain",
            "Take old sessions and too many of them out of an agent's store.",
            _store(),
            flag("--enforce", text="Also if the configuration only asks for warnings."),
            flag("--dry-run", text="Only tell what would be done."),
        ),
    ],
)
