"""Draw tables and text on a terminal with rich."""

from __future__ import annotations

import io
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

from rich.cells import set_cell_size
from rich.console import Console
from rich.text import Text

from sessiond.cli.astext import Column, one_line

_GAP = 2


class Terminal(Console):
    """A console that raises BrokenPipeError, so that the command handles it."""

    def __init__(self, file: TextIO) -> None:
        super().__init__(file=file, highlight=False, markup=False, emoji=False, soft_wrap=True)

    def on_broken_pipe(self) -> None:
        """Raise the error again; rich would exit with code 1."""
        raise BrokenPipeError


def draw(console: Console, columns: Sequence[Column], rows: Iterable[Sequence[str | Text]]) -> None:
    """Print a table in the width of the terminal."""
    cells = [[_cell(cell) for cell in row] for row in rows]
    natural = [
        max([Text(column.name).cell_len, *(row[at].cell_len for row in cells)])
        for at, column in enumerate(columns)
    ]
    widths = fitted(columns, natural, console.width)
    if any(column.name for column in columns):
        heads = [Text(column.name, style="bold") for column in columns]
        _print_row(console, columns, widths, heads)
    for row in cells:
        _print_row(console, columns, widths, row)


def fitted(columns: Sequence[Column], natural: Sequence[int], width: int) -> list[int]:
    """Return the width of each column in cells; 0: the column is omitted.

    Columns are omitted by rank until the others fit.
    """
    columns_left = set(range(len(columns)))
    while True:
        least = {
            at: min(natural[at], columns[at].least) if columns[at].least else natural[at]
            for at in columns_left
        }
        if sum(least.values()) + _GAP * (len(columns_left) - 1) <= width:
            break
        drop = max(columns_left, key=lambda at: columns[at].rank)
        if columns[drop].rank == 0:
            break
        columns_left.remove(drop)
    left = width - sum(least.values()) - _GAP * (len(columns_left) - 1)
    # The remaining cells are distributed one by one among the columns that need more.
    while left and (short := [at for at in sorted(columns_left) if least[at] < natural[at]]):
        for at in short[:left]:
            least[at] += 1
        left -= min(left, len(short))
    return [max(1, least[at]) if at in columns_left else 0 for at in range(len(columns))]


def _print_row(
    console: Console, columns: Sequence[Column], widths: Sequence[int], cells: Sequence[Text]
) -> None:
    line = Text(no_wrap=True)
    for column, width, cell in zip(columns, widths, cells, strict=True):
        if not width:
            continue
        if line:
            line.append(" " * _GAP)
        cut = _cut(cell, width, column.cut)
        padding = " " * (width - cut.cell_len)
        line.append_text(Text(padding) + cut if column.right else cut)
        if not column.right:
            line.append(padding)
    line.rstrip()
    console.print(line, soft_wrap=True)


def _cut(cell: Text, width: int, cut: str) -> Text:
    text = cell.copy()
    if cut == "end" or cell.cell_len <= width:
        text.truncate(width, overflow="ellipsis")
        return text
    # Cut the reversed text: its cells have the same width.
    head = 0 if cut == "start" else (width - 1) // 2
    tail = shortened(cell.plain[::-1], width - head)[::-1]
    return Text(set_cell_size(cell.plain, head) + tail, style=cell.style)


def _cell(cell: str | Text) -> Text:
    return cell if isinstance(cell, Text) else Text(one_line(cell))


def hanging(console: Console, line: Text, indent: int, width: int | None = None) -> Iterator[Text]:
    """Wrap the line into pieces that fit, each after `indent` spaces; `width`: if not all cells."""
    space = max(20, (console.width if width is None else width) - indent)
    for piece in line.wrap(console, space, tab_size=4):
        piece.rstrip()
        yield Text(" " * indent) + piece


def shortened(text: str, width: int) -> str:
    """Return the text in `width` cells, with an ellipsis if it is shortened."""
    line = Text(text)
    line.truncate(width, overflow="ellipsis")
    return line.plain


@contextmanager
def pager(console: Console, *, from_end: bool = False) -> Iterator[None]:
    """Collect the output, and show it in the user's pager if it does not fit the screen.

    `from_end`: the first screen is the last one, if the pager is `less`.
    """
    command = shlex.split(os.environ.get("PAGER", "less"))
    program = shutil.which(command[0]) if command else None
    if program is None or os.path.basename(program) == "cat":
        yield
        return
    collected = io.StringIO()
    file, console.file = console.file, collected
    try:
        yield
    finally:
        console.file = file
        text = collected.getvalue()
        if text.count("\n") < console.height:
            file.write(text)
        else:
            at_end = ["+G"] if from_end and os.path.basename(program) == "less" else []
            _page([program, *command[1:], *at_end], text)


def _page(command: Sequence[str], text: str) -> None:
    # -R shows colours; with -F and -X a text that fits on one screen is just printed.
    environment = {"LESS": "FRX", **os.environ}
    with subprocess.Popen(command, stdin=subprocess.PIPE, env=environment) as process:  # noqa: S603
        try:
            process.communicate(text.encode(errors="replace"))
        except KeyboardInterrupt:
            process.wait()
