"""`sessiond diff`: two branches of a session, what they have in common once."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Sequence

import click
from rich.text import Text

from sessiond.cli.command import ENTRY, command, flag, session
from sessiond.cli.entry_names import entry_id
from sessiond.cli.running import FOUND_PROBLEMS, Run
from sessiond.cli.terminal import hanging
from sessiond.cli.transcript import Detail, Item, Teller, TranscriptLine

_MOST_COMPARED = 2000
"""Lines of a branch that are compared one by one; the time grows with their square."""
_AROUND = 3
"""Equal lines that are shown around a difference."""
_SHOWN_BEFORE = 2
"""Common entries that are shown, unless all are wanted."""
_STYLES = {"-": "red", "+": "green", " ": ""}


@command("diff", shares=True)
@session()
@click.argument("first", type=ENTRY)
@click.argument("second", type=ENTRY, required=False)
@flag("--no-tools", text="Without tool calls and their results.")
@flag("--full", text="Shorten nothing, and show everything that is the same.")
async def main(
    run: Run, session: str, first: str, second: str | None, *, no_tools: bool, full: bool
) -> int:
    """Compare two branches of a session.

    FIRST and SECOND are the last entries of the branches: ids or their beginnings, labels, or N for
    the end of turn N. Without SECOND, the current branch is compared.
    """
    state = await run.open(session)
    handle = state["session"]
    ends = [await entry_id(run, handle, first), await entry_id(run, handle, second)]
    branches: list[list[Item]] = []
    for end in ends:
        # The leaf's branch if no end is given.
        leaf = {} if end is None else {"leafId": end}
        view = await run.daemon.call("session/getView", session=handle, **leaf)
        branches.append(view["items"])
    ids = [[item["entryId"] for item in items] for items in branches]
    count = _common(*ids)
    if run.json:
        ids_by_part = {"common": ids[0][:count], "first": ids[0][count:], "second": ids[1][count:]}
        run.screen.raw(json.dumps(ids_by_part).encode())
        return FOUND_PROBLEMS if ids[0] == ids[1] else 0
    detail = Detail(tools=not no_tools, full=full)
    common, own_first = _lines(branches[0], count, detail)
    _, own_second = _lines(branches[1], count, detail)
    with run.screen.paged():
        begin = 0 if full else max(0, count - _SHOWN_BEFORE)
        if begin:
            what = "entry is" if begin == 1 else "entries are"
            run.screen.line(Text(f"· {begin:,} earlier {what} the same (--full)", style="dim"))
        for lines in common[begin:]:
            _print(run, " ", lines)
        for sign, differing in _compared(own_first, own_second):
            _print(run, sign, differing)
    if ids[0] == ids[1]:
        run.tell("sessiond: both name the same branch")
        return FOUND_PROBLEMS
    return 0


def _common(first: Sequence[str], second: Sequence[str]) -> int:
    pairs = enumerate(zip(first, second, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(first), len(second)))


def _lines(
    items: Sequence[Item], count: int, detail: Detail
) -> tuple[list[list[TranscriptLine]], list[TranscriptLine]]:
    """Return the lines of the first `count` entries, by entry, and those of the others."""
    teller = Teller(detail)
    told = [list(teller.lines(item)) for item in items]
    return told[:count], [line for lines in told[count:] for line in lines]


def _compared(
    first: Sequence[TranscriptLine], second: Sequence[TranscriptLine]
) -> Iterator[tuple[str, Sequence[TranscriptLine]]]:
    """Yield runs of lines with `-`: only in the first, `+`: only in the second, or ` `: in both."""
    one, other = (
        [f"{line.indent}{line.text.plain}" for line in lines] for lines in (first, second)
    )
    if max(len(one), len(other)) > _MOST_COMPARED:
        yield "-", first
        yield "+", second
        return
    for number, group in enumerate(
        difflib.SequenceMatcher(None, one, other, autojunk=False).get_grouped_opcodes(_AROUND)
    ):
        if number:
            yield " ", [TranscriptLine(Text("…", style="dim"))]
        for tag, start, end, other_start, other_end in group:
            if tag == "equal":
                yield " ", first[start:end]
            else:
                yield "-", first[start:end]
                yield "+", second[other_start:other_end]


def _print(run: Run, sign: str, lines: Sequence[TranscriptLine]) -> None:
    style = _STYLES[sign]
    for line in lines:
        if not run.screen.is_terminal:
            run.screen.line(f"{sign} {' ' * line.indent}{line.text.plain}")
            continue
        for piece in hanging(run.screen.console, line.text, line.indent + 2):
            mark = Text(sign, style=f"bold {style}".strip())
            run.screen.line(
                mark + piece[1:] if sign == " " else mark + Text(piece.plain[1:], style)
            )
