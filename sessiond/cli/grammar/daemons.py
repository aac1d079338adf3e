"""Declare `sessiond daemon ...`: commands for shared daemons."""

from __future__ import annotations

import functools
from typing import Any

import click

from sessiond.cli.grammar.declare import HELP_OPTIONS, flag, number


def _command(name: str, text: str, *params: click.Parameter) -> click.Command:
    return click.Command(
        name,
        callback=functools.partial(_work, name),
        params=list(params),
        help=text,
        context_settings=HELP_OPTIONS,
    )


def _work(name: str, /, **params: Any) -> None:
    from sessiond.cli.commands import daemon  # noqa: PLC0415 - the arguments are parsed first

    click.get_current_context().exit(getattr(daemon, name)(**params))


DAEMON = click.Group(
    "daemon",
    commands=[
        _command(
            "status",
            "Show the shared daemons of this user and who is connected.",
            flag("--json", "as_json", text="Print JSON."),
        ),
        _command("stop", "End the shared daemons of this user; running requests are finished."),
        _command(
            "logs",
            "Print the newest lines of the logs of shared daemons.",
            number("-n", "lines", text="How many lines of each (default 50).", default=50),
        ),
    ],
    help="Show or end the daemons that clients share with `sessiond --shared`.",
    short_help="Show or end the daemons that clients share.",
    context_settings=HELP_OPTIONS,
)
