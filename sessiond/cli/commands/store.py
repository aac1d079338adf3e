"""`sessiond store`: look after a store of sessions in PostgreSQL."""

from __future__ import annotations

import asyncio

import click

from sessiond.cli.command import Group, standalone
from sessiond.cli.with_store import NO_DRIVER, fail, url


def migrate(url: str) -> int:
    """Migrate the schema and print its version; returns the exit code."""
    try:
        from sessiond.postgres import schema  # noqa: PLC0415 - only for a store
    except ImportError:
        return fail(NO_DRIVER)
    try:
        before, after = asyncio.run(schema.migrate_at(url))
    except schema.MigrationFailed as error:
        return fail(str(error))
    if after > schema.VERSION:
        return fail(
            f"the schema has version {after}, but this sessiond knows version {schema.VERSION};"
            " install a newer sessiond"
        )
    done = "is current" if before == after else f"was version {before}"
    click.echo(f"The schema has version {after}; it {done}.")
    return 0


@standalone("migrate")
@url("--store", "The database, as a user who may create schemas.")
def _migrate(*, url: str) -> int:
    """Create the schema of the store, or bring it to the version of this sessiond."""
    return migrate(url)


main = Group("store", "Look after a store of sessions in PostgreSQL.", _migrate)
