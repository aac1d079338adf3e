"""The lines of a conversation, read and printed; and its heading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sessiond.cli.astext import one_line
from sessiond.cli.running import Run
from sessiond.cli.terminal import hanging
from sessiond.cli.transcript import Detail, Teller, TranscriptLine

_ENTRIES_AT_FIRST = 16
_AROUND = 20
_TITLE = 80
"""Characters of a heading that is made of a message."""


async def heading(run: Run, state: Mapping[str, Any]) -> str:
    """Return the session's name, else its first message, on one line."""
    if state.get("name"):
        return one_line(state["name"])
    params = {"session": state["session"], "limit": _ENTRIES_AT_FIRST, "maxChars": _TITLE}
    for item in (await run.daemon.call("session/getView", **params))["items"]:
        if item["role"] != "user":
            continue
        texts = (block.get("text", "") for block in item.get("blocks", ()))
        said = next(filter(None, map(one_line, texts)), "")
        if said:
            return said if len(said) < _TITLE else f"{said[: _TITLE - 1]}…"
    return "(no messages)"


async def told(
    run: Run, detail: Detail, last: int | None, **branch: str | None
) -> tuple[list[list[TranscriptLine]], Teller]:
    """Return the lines of the last entries of a branch that have any, and what has told them.

    Only as many entries are read as have to be: most have lines.
    """
    window = None if last is None else 2 * last + _ENTRIES_AT_FIRST
    while True:
        view = await run.daemon.call("session/getView", **branch, last=window)
        items, teller = _lines_of(view, detail)
        if last is None or window is None:
            return items, teller
        if len(items) >= last or window >= view["total"]:
            return items[max(0, len(items) - last) :], teller
        window *= 4


async def told_around(
    run: Run, detail: Detail, entry_id: str | None, count: int | None, *, session: str
) -> list[list[TranscriptLine]]:
    """Return the lines of some entries before and after one of them, by default of 20."""
    count = _AROUND if count is None else count
    view = await run.daemon.call("session/getView", session=session, around=entry_id, limit=count)
    return _lines_of(view, detail)[0]


def _lines_of(view: Mapping[str, Any], detail: Detail) -> tuple[list[list[TranscriptLine]], Teller]:
    """Return the lines of the entries that have any, and what has told them."""
    teller = Teller(detail)
    return [lines for item in view["items"] if (lines := list(teller.lines(item)))], teller


def put(run: Run, lines: Sequence[TranscriptLine]) -> None:
    for line in lines:
        if run.screen.is_terminal:
            for piece in hanging(run.screen.console, line.text, line.indent):
                run.screen.line(piece)
        else:
            run.screen.line(f"{' ' * line.indent}{line.text.plain}")
