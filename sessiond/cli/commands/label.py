"""`sessiond label`."""

from __future__ import annotations

import click

from sessiond.cli import undoing
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
    handle = (await run.open_to_write(path))["session"]
    target = await entry_id(run, handle, entry)
    before = await undoing.label_of(run, handle, target)
    done = await run.daemon.call_raw(
        "session/appendLabelChange", session=handle, targetId=target, label=label
    )
    undoing.remember(run, undoing.labelled(path, target, before, label))
    if run.json:
        run.screen.raw(done)
