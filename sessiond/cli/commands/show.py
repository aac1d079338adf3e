"""`sessiond show` and `sessiond tail`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import click
from rich.text import Text

from sessiond.cli.astext import one_line
from sessiond.cli.entries import Teller, TranscriptLine, Wanted
from sessiond.cli.running import Run
from sessiond.cli.terminal import hanging
from sessiond.errors import EntryNotFound

_MOST_CANDIDATES = 10


async def show(
    run: Run,
    *,
    session: str,
    leaf: str | None,
    last: int | None,
    user: bool,
    no_tools: bool,
    full: bool,
    details: bool,
) -> None:
    state = await run.open(session)
    handle = state["session"]
    from_id = await entry_id(run, handle, leaf)
    if run.json:
        raw = await run.daemon.call_raw("session/getBranch", session=handle, fromId=from_id)
        run.screen.raw(raw)
        return
    leaf_id = state["leafId"] if from_id is None else from_id
    items = (await run.daemon.call("session/getView", session=handle, leafId=leaf_id))["items"]
    teller = Teller(Wanted(users_only=user, tools=not no_tools, full=full, details=details))
    told = [lines for item in items if (lines := list(teller.lines(item)))]
    if last is not None:
        told = told[-last:]
    with run.screen.paged():
        heading = one_line(state.get("name") or state["sessionId"])
        run.screen.line(Text(heading, style="bold underline"))
        for lines in told:
            _print(run, lines)


async def entry_id(run: Run, handle: str, given: str | None) -> str | None:
    """Return the id of the entry whose id begins with `given`; `given` itself if there is none.

    Raises ClickException if several ids begin with it.
    """
    if given is None:
        return None
    outline = await run.daemon.call("session/getTree", session=handle, detail="outline")
    ids = [node["id"] for node in outline["nodes"]]
    if given in ids:
        return given
    matches = [each for each in ids if each.startswith(given)]
    if len(matches) > 1:
        candidates = ", ".join(one_line(each) for each in matches[:_MOST_CANDIDATES])
        raise click.ClickException(
            f"{len(matches)} entries have ids that begin with {given}: {candidates}"
        )
    return matches[0] if matches else given


async def tail(
    run: Run,
    *,
    session: str,
    count: int,
    follow: bool,
    user: bool,
    no_tools: bool,
    full: bool,
    details: bool,
) -> None:
    state = await run.open(session)
    handle = {"session": state["session"]}
    teller = Teller(Wanted(users_only=user, tools=not no_tools, full=full, details=details))
    if run.json:
        told = (await run.daemon.call("session/getEntries", **handle, last=count))["entries"]
    else:
        items = (await run.daemon.call("session/getView", **handle))["items"]
        told = [lines for item in items if (lines := list(teller.lines(item)))]
    for each in told[max(0, len(told) - count) :]:
        _put(run, each)
    run.screen.file.flush()
    while follow:
        method, change = await run.here.told.get()
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
        _print(run, each)


def _print(run: Run, lines: Sequence[TranscriptLine]) -> None:
    for line in lines:
        if run.screen.is_terminal:
            for piece in hanging(run.screen.console, line.text, line.indent):
                run.screen.line(piece)
        else:
            run.screen.line(f"{' ' * line.indent}{line.text.plain}")
