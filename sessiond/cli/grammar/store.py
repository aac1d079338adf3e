"""Declare `sessiond store ...`: commands for the owner of a store in PostgreSQL."""

from __future__ import annotations

from typing import Any

import click

from sessiond.cli.grammar.declare import HELP_OPTIONS


def _migrate(**params: Any) -> None:
    from sessiond.cli.commands import store  # noqa: PLC0415 - the arguments are parsed first

    click.get_current_context().exit(store.migrate(**params))


STORE = click.Group(
    "store",
    commands=[
        click.Command(
            "migrate",
            callback=_migrate,
            params=[
                click.Option(
                    ["--store", "url"],
                    metavar="URL",
                    envvar="SESSIOND_STORE",
                    required=True,
                    help="The database, as a user who may create schemas.",
                )
            ],
            help="Create the schema of the store, or bring it to the version of this sessiond.",
            context_settings=HELP_OPTIONS,
        )
    ],
    help="Look after a store of sessions in PostgreSQL.",
    short_help="Look after a store of sessions in PostgreSQL.",
    context_settings=HELP_OPTIONS,
)
