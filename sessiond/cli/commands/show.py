"""`sessiond show`: a branch as a conversation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click
from rich.text import Text

from sessiond.cli.command import command, how_shown, leaf, number, session
from sessiond.cli.entry_names import entry_id
from sessiond.cli.running import Run, refuse_several
from sessiond.cli.telling import (
    detail_of,
    facts_of,
    heading,
    other_branches,
    put,
    streamed,
    told,
    told_around,
)
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
    detail = detail_of(run, **how)
    leaf_id = state["leafId"] if from_id is None else from_id
    if run.screen.is_terminal and around is None and last is None:
        await _streamed(run, detail, state, leaf_id)
        run.tell_damage(state, session)
        return
    if around is not None:
        entry = await entry_id(run, handle, around)
        shown = await told_around(run, detail, entry, last, session=handle)
    else:
        shown, _ = await told(run, detail, last, session=handle, leafId=leaf_id)
    title = await heading(run, state)
    with run.screen.paged():
        run.screen.line(Text(title, style="bold underline"))
        for lines in shown:
            put(run, lines)
    run.tell_damage(state, session)


async def _streamed(
    run: Run, detail: Detail, state: Mapping[str, Any], leaf_id: str | None
) -> None:
    """Print a whole branch on a terminal: the pager starts with its first entries."""
    title = await heading(run, state)
    facts = "" if detail.users_only else await facts_of(run, state)
    others = {} if detail.users_only else await other_branches(run, state, leaf_id)
    with run.screen.paged():
        run.screen.line(Text(title, style="bold underline"))
        if facts:
            run.screen.line(Text(facts, style="dim"))
        async for entry_id, lines in streamed(
            run, detail, session=state["session"], leafId=leaf_id
        ):
            put(run, lines)
            if entry_id in others:
                run.screen.line(Text(others[entry_id], style="dim"))
