"""`sessiond tail`: the last entries of a session, and new ones as they are written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from rich.text import Text

from sessiond.cli.command import command, flag, how_shown, number, session
from sessiond.cli.running import Run
from sessiond.cli.telling import detail_of, put, told
from sessiond.cli.transcript import Teller
from sessiond.runtime.errors import EntryNotFound


@command("tail", shares=True, alone_with=("follow",))
@session()
@number("-n", "--last", "count", least=0, default=10, text="Entries to begin with.")
@flag("-f", "--follow", text="Continue with new entries until interrupted.")
@how_shown()
async def main(
    run: Run,
    *,
    session: str,
    count: int,
    follow: bool,
    **how: bool,
) -> None:
    """Print the last entries of a session, and new ones."""
    state = await run.open(session)
    handle = {"session": state["session"]}
    detail = detail_of(run, **how)
    if run.json:
        teller = Teller(detail)
        entries = (await run.daemon.call("session/getEntries", **handle, last=count))["entries"]
    else:
        entries, teller = await told(run, detail, count, **handle)
    for each in entries:
        _put(run, each)
    run.screen.file.flush()
    while follow:
        method, change = await run.here.notifications.get()
        if method != "session/didChange":
            continue
        if change["kind"] != "appended":
            run.screen.line(Text(f"· the file was {change['kind']}", style="dim"))
        for new in change.get("entries", ()):
            await _put_new(run, teller, handle, new["id"])
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
