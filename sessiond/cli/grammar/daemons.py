"""Declare `sessiond daemon ...`: commands for shared daemons."""

from __future__ import annotations

import click

from sessiond.cli.grammar.declare import HELP_OPTIONS, flag, number, standalone

DAEMON = click.Group(
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
