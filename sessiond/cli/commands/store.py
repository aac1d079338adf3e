"""`sessiond store`: look after a store in PostgreSQL."""

from __future__ import annotations

import asyncio

import click

from sessiond.cli.astext import clean

_FAILED = 3
NO_DRIVER = "the driver is missing; install it with: pip install 'sessiond[postgres]'"


def migrate(*, url: str) -> int:
    """Migrate the schema and print its version; 3 if that fails."""
    try:
        from sessiond.postgres import schema  # noqa: PLC0415 - only for a store
    except ImportError:
        return _fail(NO_DRIVER)
    try:
        before, after = asyncio.run(schema.migrate_at(url))
    except schema.MigrationFailed as error:
        return _fail(str(error))
    if after > schema.VERSION:
        return _fail(
            f"the schema has version {after}, but this sessiond knows version {schema.VERSION};"
            " install a newer sessiond"
        )
    done = "is current" if before == after else f"was version {before}"
    click.echo(f"The schema has version {after}; it {done}.")
    return 0


def _fail(reason: str) -> int:
    click.echo(f"sessiond: {clean(reason)}", err=True)
    return _FAILED
