"""`sessiond trash` and `restore`."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

import click

from sessiond.catalog.trash import remove
from sessiond.cli.astext import Column, homely, moment, now, one_line, title
from sessiond.cli.running import FOUND_PROBLEMS, Run
from sessiond.clock import earlier

Row = dict[str, Any]
"""A `TrashedSession`, as decoded JSON."""


async def _trashed(run: Run) -> list[Row]:
    """Return the sessions in the trash, the latest first."""
    answer = await run.daemon.call("catalog/listTrash")
    run.tell_problems(answer)
    rows: list[Row] = answer["sessions"]
    return rows


async def restore(run: Run, whats: Sequence[str]) -> None:
    """Restore sessions to their former paths: the last one, or by id or path."""
    paths = [each if "/" in each or each.endswith(".jsonl") else "" for each in whats]
    if not all(paths):
        rows = await _trashed(run)
        paths = [path or _named(rows, what) for path, what in zip(paths, whats, strict=True)]
    for path in paths:
        await restore_path(run, path)


async def restore_path(run: Run, path: str) -> None:
    info = await run.daemon.call("catalog/restore", path=path)
    if run.json:
        run.screen.raw(json.dumps(info).encode())
    run.tell(f"restored: {info['path']}")


def _named(rows: Sequence[Row], what: str) -> str:
    """Return the former path of the session with this id, or of `last`. Raises ClickException."""
    if what == "last" and rows:
        return str(rows[0]["path"])
    ids = {row["path"]: row["info"]["id"] for row in rows if row["info"]["id"].startswith(what)}
    whole = [path for path, name in ids.items() if name == what]
    candidates = whole or list(ids)
    if not candidates:
        raise click.ClickException(
            f"no session in the trash has the id {what}; `sessiond trash list` shows all"
        )
    if len(candidates) > 1:
        lines = "".join(f"\n  {one_line(ids[each])}  {one_line(each)}" for each in candidates)
        raise click.ClickException(
            f"{len(candidates)} sessions in the trash have ids that begin with {what}:{lines}"
        )
    return str(candidates[0])


async def list_trash(run: Run) -> int:
    rows = await _trashed(run)
    if run.json:
        shown = [
            {**row, "id": row["info"]["id"], "deleted": _local(row, "%Y-%m-%dT%H:%M:%S")}
            for row in rows
        ]
        run.screen.raw(json.dumps({"sessions": shown}).encode())
    else:
        columns = [
            Column("DELETED"),
            Column("ID", least=13, cut="middle"),
            Column("PATH", least=14, cut="start", rank=1),
            Column("TITLE", least=16),
        ]
        run.screen.table(
            columns,
            (
                [
                    _local(row, "%Y-%m-%d %H:%M:%S"),
                    row["info"]["id"],
                    homely(row["path"]),
                    title(row["info"]),
                ]
                for row in rows
            ),
        )
    if not rows:
        _tell_empty(run)
    return 0 if rows else FOUND_PROBLEMS


def _tell_empty(run: Run) -> None:
    whose = "" if "all_agents" in run.settings else f" of {run.profile}"
    run.tell(f"sessiond: no session{whose} is in the trash")


def _local(row: Row, form: str) -> str:
    at = moment(row.get("deleted", ""))
    return "" if at is None else at.astimezone().strftime(form)


async def empty_trash(run: Run, older_than: int | None, yes: bool) -> int:
    """Delete the sessions in the trash permanently."""
    run.here.expect_writable()
    rows = await _trashed(run)
    if older_than is not None:
        latest = earlier(now(), older_than)
        rows = [row for row in rows if (at := moment(row.get("deleted", ""))) and at < latest]
    if not rows:
        _tell_empty(run)
        return FOUND_PROBLEMS
    if not yes:
        if not sys.stdin.isatty():
            raise click.UsageError(f"{len(rows)} sessions would be deleted; confirm with --yes")
        click.confirm(f"Delete {len(rows)} sessions permanently?", abort=True, err=True)
    for row in rows:
        remove(row["file"])
    run.tell(f"deleted permanently: {len(rows)}")
    return 0
