"""`sessiond show` and `sessiond tail`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import click
from rich.text import Text

from sessiond.cli.astext import one_line
from sessiond.cli.entries import Teller, TranscriptLine, Wanted
from sessiond.cli.running import Run
from sessiond.cli.terminal import hanging

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
    params = {"session": handle, "fromId": from_id}
    if run.json:
        run.screen.raw(await run.daemon.call_raw("session/getBranch", **params))
        return
    entries = (await run.daemon.call("session/getBranch", **params))["entries"]
    wanted = Wanted(users_only=user, tools=not no_tools, full=full, details=details)
    teller = Teller(wanted, entries)
    told = [lines for entry in entries if (lines := list(teller.lines(entry)))]
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
    entries = (await run.daemon.call("session/getEntries", **handle))["entries"]
    wanted = Wanted(users_only=user, tools=not no_tools, full=full, details=details)
    teller = Teller(wanted, entries)
    told = [(entry, list(teller.lines(entry))) for entry in entries]
    told = [(entry, lines) for entry, lines in told if lines or run.json]
    for entry, lines in told[max(0, len(told) - count) :] if count else []:
        _print_entry(run, entry, lines)
    run.screen.file.flush()
    while follow:
        method, change = await run.here.told.get()
        if method != "session/didChange":
            continue
        if change["kind"] != "appended":
            run.screen.line(Text(f"· the file was {change['kind']}", style="dim"))
        for new in change.get("entries", ()):
            answer = await run.daemon.call("session/getEntry", **handle, id=new["id"])
            if answer["entry"] is not None:
                _print_entry(run, answer["entry"], list(teller.lines(answer["entry"])))
        run.screen.file.flush()


def _print_entry(run: Run, entry: Mapping[str, Any], lines: Sequence[TranscriptLine]) -> None:
    if run.json:
        run.screen.file.write(json.dumps(entry) + "\n")
    else:
        _print(run, lines)


def _print(run: Run, lines: Sequence[TranscriptLine]) -> None:
    for line in lines:
        if run.screen.is_terminal:
            for piece in hanging(run.screen.console, line.text, line.indent):
                run.screen.line(piece)
        else:
            run.screen.line(f"{' ' * line.indent}{line.text.plain}")
