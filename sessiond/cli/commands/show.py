"""`sessiond show`: a branch as a conversation."""

from __future__ import annotations

import click
from rich.text import Text

from sessiond.cli.command import command, how_shown, leaf, number, session
from sessiond.cli.entry_names import entry_id
from sessiond.cli.running import Run, refuse_several
from sessiond.cli.telling import heading, put, told, told_around
from sessiond.cli.transcript import Detail


@command("show", shares=True)
@session()
@leaf()
@click.option("--around", metavar="ENTRY", help="Only what was said around ENTRY, as of a hit.")
@number("-n", "--last", text="Only the last N entries; with --around N of them.")
@how_shown()
async def main(
    run: Run,
    *,
    session: str,
    leaf: str | None,
    around: str | None,
    last: int | None,
    **how: bool,
) -> None:
    """Print a branch of a session, by default the current one."""
    refuse_several({"--leaf": leaf is not None, "--around": around is not None})
    state = await run.open(session)
    handle = state["session"]
    from_id = await entry_id(run, handle, leaf)
    if run.json:
        raw = await run.daemon.call_raw("session/getBranch", session=handle, fromId=from_id)
        run.screen.raw(raw)
        return
    detail = Detail.of(**how)
    if around is not None:
        entry = await entry_id(run, handle, around)
        shown = await told_around(run, detail, entry, last, session=handle)
    else:
        leaf_id = state["leafId"] if from_id is None else from_id
        shown, _ = await told(run, detail, last, session=handle, leafId=leaf_id)
    title = await heading(run, state)
    with run.screen.paged():
        run.screen.line(Text(title, style="bold underline"))
        for lines in shown:
            put(run, lines)
    run.tell_damage(state, session)
