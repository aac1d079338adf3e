"""`sessiond tail`: the last entries of a session, and new ones as they are written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import click
from rich.text import Text

from sessiond.cli.command import SESSION, command, flag, how_shown, number
from sessiond.cli.running import Run, listed_in
from sessiond.cli.telling import detail_of, heading, put, told
from sessiond.cli.transcript import Detail, Teller
from sessiond.runtime.errors import EntryNotFound


@command("tail", shares=True, alone_with=("follow",))
@click.argument("session", type=SESSION, required=False)
@number("-n", "--last", "count", least=0, default=10, text="Entries to begin with.")
@flag("-f", "--follow", text="Continue with new entries until interrupted.")
@how_shown()
async def main(
    run: Run,
    *,
    session: str | None,
    count: int,
    follow: bool,
    **how: bool,
) -> None:
    """Print the last entries of a session, and new ones.

    Without SESSION it is the latest of the project, and -f changes to another one that becomes the
    latest.
    """
    if session is None and follow:
        # Before the list is read, so that no later change is missed.
        await run.daemon.call("catalog/subscribe", limit=0)
    state = await run.open("last" if session is None else session)
    detail = detail_of(run, **how)
    teller = await _begin(run, detail, state, count)
    while follow:
        method, change = await run.here.notifications.get()
        if method == "session/didChange" and change["session"] == state["session"]:
            await _follow(run, teller, state, change)
        elif method == "catalog/didChange":
            path = (await run.list(listed_in(everything=False), limit=1))["sessions"]
            if path and path[0]["path"] != state["sessionFile"]:
                await run.daemon.call("session/close", session=state["session"])
                state = await run.open_path(path[0]["path"])
                if not run.json:
                    run.screen.line(Text(f"· {await heading(run, state)}", style="bold underline"))
                teller = await _begin(run, detail, state, count)


async def _begin(run: Run, detail: Detail, state: Mapping[str, Any], count: int) -> Teller:
    """Print the last entries of an open session; returns what goes on with new ones."""
    handle = {"session": state["session"]}
    if run.json:
        teller = Teller(detail)
        entries = (await run.daemon.call("session/getEntries", **handle, last=count))["entries"]
    else:
        entries, teller = await told(run, detail, count, **handle)
    for each in entries:
        _put(run, each)
    run.screen.file.flush()
    return teller


async def _follow(
    run: Run, teller: Teller, state: Mapping[str, Any], change: Mapping[str, Any]
) -> None:
    """Print a change of the session."""
    if change["kind"] != "appended":
        run.screen.line(Text(f"· the file was {change['kind']}", style="dim"))
    for new in change.get("entries", ()):
        await _put_new(run, teller, {"session": state["session"]}, new["id"])
    run.screen.file.flush()


async def _put_new(run: Run, teller: Teller, handle: Mapping[str, str], entry_id: str) -> None:
    """Print an entry that was appended, unless it is gone again."""
    if run.json:
        entry = (await run.daemon.call("session/getEntry", **handle, id=entry_id))["entry"]
        if entry is not None:
            _put(run, entry)
        return
    with suppress(EntryNotFound):
        view = await run.daemon.call("session/getView", **handle, leafId=entry_id, last=1)
        for item in view["items"]:
            _put(run, list(teller.lines(item)))


def _put(run: Run, each: Any) -> None:
    """Print an entry as JSON, or its lines."""
    if run.json:
        run.screen.file.write(json.dumps(each) + "\n")
    else:
        put(run, each)
