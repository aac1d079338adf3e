"""`sessiond show`: a branch as a conversation."""

from __future__ import annotations

from rich.text import Text

from sessiond.cli.command import command, how_shown, leaf, number, session
from sessiond.cli.entry_names import entry_id
from sessiond.cli.running import Run
from sessiond.cli.telling import heading, put, told
from sessiond.cli.transcript import Detail


@command("show", shares=True)
@session()
@leaf()
@number("-n", "--last", text="Only the last N entries.")
@how_shown()
async def main(
    run: Run,
    *,
    session: str,
    leaf: str | None,
    last: int | None,
    **how: bool,
) -> None:
    """Print a branch of a session, by default the current one."""
    state = await run.open(session)
    handle = state["session"]
    from_id = await entry_id(run, handle, leaf)
    if run.json:
        raw = await run.daemon.call_raw("session/getBranch", session=handle, fromId=from_id)
        run.screen.raw(raw)
        return
    leaf_id = state["leafId"] if from_id is None else from_id
    detail = Detail.of(**how)
    shown, _ = await told(run, detail, last, session=handle, leafId=leaf_id)
    title = await heading(run, state)
    with run.screen.paged():
        run.screen.line(Text(title, style="bold underline"))
        for lines in shown:
            put(run, lines)
