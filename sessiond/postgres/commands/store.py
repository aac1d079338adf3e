"""`sessiond store`: look after a store of sessions in PostgreSQL, as the owner of its schema."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import click
from attrs import asdict

from sessiond.cli.astext import Column, now, size
from sessiond.cli.command import Group, flag, standalone
from sessiond.cli.running import FOUND_PROBLEMS
from sessiond.cli.screen import Screen
from sessiond.cli.values import NotEmpty, Span
from sessiond.postgres.commands.with_store import NO_DRIVER, fail, url
from sessiond.runtime.clock import earlier

if TYPE_CHECKING:
    from sessiond.postgres import owner
    from sessiond.postgres.names import StoreName

_OWNER = "The database, as the owner of the schema (SESSIOND_STORE)."


def migrate(url: str) -> int:
    """Migrate the schema and print its version; returns the exit code."""
    try:
        from sessiond.postgres import schema
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
@url("--store", "The database, as a user who may create schemas (SESSIOND_STORE).")
def _migrate(*, url: str) -> int:
    """Create the schema of the store, or bring it to the version of this sessiond."""
    return migrate(url)


def _as_owner(url: str, work: Callable[[owner.Connection], Awaitable[int]]) -> int:
    """Do work as the owner of the schema; errors become messages."""
    try:
        from sessiond.postgres import owner
    except ImportError:
        return fail(NO_DRIVER)
    try:
        return asyncio.run(owner.as_owner(url, work))
    except owner.OwnerFailed as error:
        return fail(str(error))


def _namespace(given: str) -> str:
    """A namespace, or `*`. Raises UsageError."""
    from sessiond.postgres.names import is_namespace

    if given != "*" and not is_namespace(given):
        raise click.UsageError(f"{given!r} is not the name of a namespace")
    return given


@standalone("admit")
@click.argument("role", type=NotEmpty("role"))
@click.argument("namespaces", nargs=-1, required=True, metavar="NAMESPACE...")
@flag("-w", "--write", text="Let it write them, too.")
@url("--store", _OWNER)
def _admit(*, url: str, role: str, namespaces: Sequence[str], write: bool) -> int:
    """Let a role of the database read namespaces; '*' means every one."""
    names = [_namespace(each) for each in namespaces]

    async def work(connection: owner.Connection) -> int:
        from sessiond.postgres import owner

        await owner.admit(connection, role, names, writes=write)
        return 0

    return _as_owner(url, work)


@standalone("dismiss")
@click.argument("role", type=NotEmpty("role"))
@click.argument("namespaces", nargs=-1, required=True, metavar="NAMESPACE...")
@url("--store", _OWNER)
def _dismiss(*, url: str, role: str, namespaces: Sequence[str]) -> int:
    """Undo `admit`: the role may not use these namespaces any more."""
    names = [_namespace(each) for each in namespaces]

    async def work(connection: owner.Connection) -> int:
        from sessiond.postgres import owner

        await owner.dismiss(connection, role, names)
        return 0

    return _as_owner(url, work)


@standalone("list")
@url("--store", _OWNER)
@flag("--json", "as_json", text="Print everything as JSON.")
def _list(*, url: str, as_json: bool) -> int:
    """List the namespaces: their sessions, their size, and which roles may use them."""

    async def work(connection: owner.Connection) -> int:
        from sessiond.postgres import owner

        rows = await owner.listed(connection)
        if as_json:
            click.echo(json.dumps({"namespaces": [asdict(each) for each in rows]}))
        else:
            Screen().table(_COLUMNS, map(_row, rows))
        return 0 if rows else FOUND_PROBLEMS

    return _as_owner(url, work)


_COLUMNS = [
    Column("NAMESPACE", least=12, cut="middle"),
    Column("SESSIONS", right=True),
    Column("DELETED", right=True),
    Column("SIZE", right=True),
    Column("CHANGED"),
    Column("READ"),
    Column("WRITE"),
]


def _row(each: owner.Namespace) -> list[str]:
    counts = [str(each.sessions), str(each.deleted), size(each.bytes), _time(each.changed)]
    return [each.namespace, *counts, ", ".join(each.readers), ", ".join(each.writers)]


def _time(at: float | None) -> str:
    return "" if at is None else f"{datetime.fromtimestamp(at).astimezone():%Y-%m-%d %H:%M}"


@standalone("status")
@url("--store", _OWNER)
@flag("--json", "as_json", text="Print everything as JSON.")
def _status(*, url: str, as_json: bool) -> int:
    """Show what the store has, its size on the disk, and which mirrors run."""

    async def work(connection: owner.Connection) -> int:
        from sessiond.postgres import owner

        status = await owner.status(connection)
        if as_json:
            click.echo(json.dumps(asdict(status)))
            return 0
        disk = size(sum(status.disk.values()))
        click.echo(f"Schema {status.version} in PostgreSQL {status.server}; {disk} on the disk:")
        click.echo(", ".join(f"{name} {size(count)}" for name, count in status.disk.items()))
        changed = f"; the last change was {_time(status.changed)}" if status.changed else ""
        click.echo(f"{status.sessions} sessions, {status.deleted} of them in the trash{changed}")
        if status.mirrors:
            Screen().table(_MIRRORS, map(_mirror, status.mirrors))
        return 0

    return _as_owner(url, work)


_MIRRORS = [
    Column("NAMESPACE", least=12, cut="middle"),
    Column("DIRECTORY", least=20, cut="middle"),
    Column("SESSIONS", right=True),
    Column("SIZE", right=True),
    Column("MIRROR"),
]


def _mirror(each: owner.Mirrored) -> list[str]:
    ended = "stopped" if each.until is None else f"silent since {_time(each.until)}"
    return [
        each.namespace,
        each.directory,
        str(each.sessions),
        size(each.bytes),
        f"runs ({each.holder}){_progress(each)}" if each.running else ended,
    ]


def _progress(each: owner.Mirrored) -> str:
    line = ""
    if each.waiting:
        files = "1 file waits" if each.waiting == 1 else f"{each.waiting} files wait"
        line += f", {files}, since {each.behind or 0:.0f} s"
    if each.failing:
        line += f", {each.failing} cannot be copied: {each.error}"
    return line


@standalone("purge")
@flag("--deleted", text="Sessions in the trash.")
@click.option("--older-than", type=Span(), metavar="SPAN", help="Not changed for SPAN.")
@click.option("--namespace", metavar="NAME", help="Sessions of a namespace.")
@click.option("--session", metavar="NAME", help="The session sessiond-store:NAMESPACE/KEY.")
@flag("-n", "--dry-run", text="Only name them.")
@flag("-y", "--yes", text="Do not ask.")
@url("--store", _OWNER)
def _purge(
    *,
    url: str,
    deleted: bool,
    older_than: int | None,
    namespace: str | None,
    session: str | None,
    dry_run: bool,
    yes: bool,
) -> int:
    """Remove sessions from the store for good: those that all given options choose.

    A session that a running mirror would store again stays.
    """
    since = None if older_than is None else earlier(now(), older_than).timestamp()
    place = None if namespace is None else _namespace(namespace)
    name = None if session is None else _name(session)
    if not (deleted or since or place or name):
        raise click.UsageError("choose sessions: --deleted, --older-than, --namespace, --session")
    if not (dry_run or yes or sys.stdin.isatty()):
        raise click.UsageError("sessions would be removed for good; confirm with --yes")

    async def work(connection: owner.Connection) -> int:
        from sessiond.postgres import owner

        doom = owner.Doom(deleted, since, place, name)
        doomed = await owner.doomed(connection, doom)
        gone = [each for each in doomed if not each.is_mirrored]
        for each in doomed:
            why = "  stays: a mirror would store it again" if each.is_mirrored else ""
            click.echo(f"{each.name}  {size(each.bytes)}{why}")
        amount = f"{len(gone)} sessions, {size(sum(each.bytes for each in gone))}"
        if dry_run or not gone:
            click.echo(f"sessiond: would be removed: {amount}", err=True)
            return 0 if gone else FOUND_PROBLEMS
        if not yes:
            # Nobody else waits for a row while a person decides.
            await connection.rollback()
            click.confirm(f"Remove {amount} for good?", abort=True, err=True)
            still = {
                each.name for each in await owner.doomed(connection, doom) if not each.is_mirrored
            }
            gone = [each for each in gone if each.name in still]
        await owner.remove(connection, gone)
        click.echo(f"sessiond: removed for good: {amount}", err=True)
        return 0

    return _as_owner(url, work)


def _name(text: str) -> StoreName:
    """The name of a session in the store, with its prefix or without. Raises UsageError."""
    from sessiond.postgres.names import PREFIX, parse_name

    name = parse_name(PREFIX + text.removeprefix(PREFIX))
    if name is None:
        raise click.UsageError(f"{text!r} is not the name of a session in the store")
    return name


main = Group(
    "store",
    "Look after a store of sessions in PostgreSQL.",
    _migrate,
    _list,
    _status,
    _admit,
    _dismiss,
    _purge,
)
