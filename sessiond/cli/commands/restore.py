"""`sessiond restore`."""

from __future__ import annotations

import json
from collections.abc import Sequence

import click

from sessiond.cli.astext import one_line
from sessiond.cli.command import command
from sessiond.cli.commands.trash import Row, trashed
from sessiond.cli.running import Run
from sessiond.cli.values import NotEmpty


@command("restore")
@click.argument("whats", type=NotEmpty("what"), nargs=-1, required=True)
async def main(run: Run, whats: Sequence[str]) -> None:
    """Restore sessions from the trash to their former paths.

    WHATS are former paths, ids or their beginnings, or `last`.
    """
    paths = [each if "/" in each or each.endswith(".jsonl") else "" for each in whats]
    if not all(paths):
        rows = await trashed(run)
        paths = [path or _named(rows, what) for path, what in zip(paths, whats, strict=True)]
    for path in paths:
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
