"""`sessiond trash`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import click

from sessiond.catalog.trash import remove
from sessiond.cli.astext import Column, homely, moment, now, one_line, title
from sessiond.cli.command import Group, command, flag
from sessiond.cli.running import FOUND_PROBLEMS, Run
from sessiond.cli.values import Span
from sessiond.format.ids import short_ids
from sessiond.runtime.clock import earlier

Row = dict[str, Any]
"""A `TrashedSession`, as decoded JSON."""


async def trashed(run: Run) -> list[Row]:
    """Return the sessions in the trash, the latest first."""
    answer = await run.daemon.call("catalog/listTrash")
    run.tell_problems(answer)
    rows: list[Row] = answer["sessions"]
    return rows


@command("list")
async def list_trash(run: Run) -> int:
    """List sessions in the trash, the latest first."""
    rows = await trashed(run)
    if run.json:
        content = [
            {**row, "id": row["info"]["id"], "deleted": _local(row, "%Y-%m-%dT%H:%M:%S")}
            for row in rows
        ]
        run.screen.raw(json.dumps({"sessions": content}).encode())
    elif rows and run.screen.is_terminal:
        short = short_ids([row["info"]["id"] for row in rows])
        columns = [
            Column("DELETED"),
            Column("ID", least=13, cut="middle"),
            Column("TITLE", least=16),
            Column("DIRECTORY", least=14, cut="start", rank=1),
        ]
        with run.screen.paged():
            run.screen.table(columns, (_told(row, short) for row in rows))
    else:
        # Programs get complete values.
        run.screen.table([], (_complete(row) for row in rows))
    if not rows:
        _tell_empty(run)
    return 0 if rows else FOUND_PROBLEMS


def _told(row: Row, short: Mapping[str, str]) -> list[str]:
    info = row["info"]
    when = _local(row, "%Y-%m-%d %H:%M")
    return [when, short[info["id"]], title(info), homely(one_line(info["cwd"]))]


def _complete(row: Row) -> list[str]:
    info = row["info"]
    return [_local(row, "%Y-%m-%d %H:%M:%S"), info["id"], homely(row["path"]), title(info)]


def _tell_empty(run: Run) -> None:
    whose = "" if "all_agents" in run.settings else f" of {run.profile}"
    run.tell(f"sessiond: no session{whose} is in the trash")


def _local(row: Row, form: str) -> str:
    at = moment(row.get("deleted", ""))
    return "" if at is None else at.astimezone().strftime(form)


@command("empty", as_json=False)
@click.option(
    "--older-than", type=Span(), metavar="SPAN", help="Only those deleted SPAN ago or earlier."
)
@flag("-y", "--yes", text="Do not ask.")
async def empty_trash(run: Run, older_than: int | None, yes: bool) -> int:
    """Delete the sessions in the trash permanently; other files stay."""
    run.here.expect_writable()
    if "store" in run.settings:
        raise click.ClickException("a store is emptied by `sessiond store purge --deleted`")
    rows = await trashed(run)
    if older_than is not None:
        latest = earlier(now(), older_than)
        rows = [row for row in rows if (at := moment(row.get("deleted", ""))) and at < latest]
    if not rows:
        _tell_empty(run)
        return FOUND_PROBLEMS
    if not yes:
        run.confirm(
            f"Delete {len(rows)} sessions permanently?", f"{len(rows)} sessions would be deleted"
        )
    for row in rows:
        remove(row["file"])
    run.tell(f"deleted permanently: {len(rows)}")
    return 0


main = Group(
    "trash", "List the sessions in the trash, and empty the trash.", list_trash, empty_trash
)
