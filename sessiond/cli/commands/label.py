"""`sessiond label`."""

from __future__ import annotations

import click

from sessiond.cli.command import ENTRY, command, counting, session
from sessiond.cli.entry_names import entry_id
from sessiond.cli.running import Run


@command("label")
@session()
@click.argument("entry", type=ENTRY)
@click.argument("label")
@counting()
async def main(
    run: Run, *, session: str, entry: str, label: str, project: bool, everything: bool
) -> None:
    """Label an entry of a session; an empty LABEL removes it.

    ENTRY is an id or its beginning, a label, or N for the end of turn N.
    """
    path = await run.path_to_change(session, everywhere=everything, project=project)
    target = await entry_id(run, (await run.open_path(path))["session"], entry)
    await run.answer("catalog/label", path=path, entryId=target, label=label, change=run.change)
