"""Draw tables and text on a terminal with rich."""

from __future__ import annotations

import io
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import IO, TextIO

from rich.cells import set_cell_size
from rich.console import Console
from rich.text import Text

from sessiond.cli.astext import Column, clean, one_line

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


def drawn_markdown(console: Console, source: str, indent: int) -> Iterator[Text]:
    """Draw Markdown as lines after `indent` spaces. The source must be short: see `transcript`."""
    from rich.markdown import Markdown

    width = max(20, console.width - indent)
    options = console.options.update(width=width, max_width=width)
    # Links show their addresses, and colours are those of the terminal.
    content = Markdown(source, code_theme="ansi_dark", hyperlinks=False)
    for segments in console.render_lines(content, options, pad=False):
        # References such as `&#x202e;` become characters here.
        line = Text.assemble(*((clean(each.text), each.style or "") for each in segments))
        line.rstrip()
        yield Text(" " * indent) + line


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
    at_end = ["+G"] if from_end and os.path.basename(program) == "less" else []
    file, stream = console.file, _Stream([program, *command[1:], *at_end], console.height)
    console.file = stream
    try:
        yield
    except (BrokenPipeError, KeyboardInterrupt):
        # The user has left the pager, which needs no more.
        if stream.process is None:
            raise
    finally:
        console.file = file
        stream.close(file)


class _Stream(io.StringIO):
    """Keeps the first screen, and passes everything to a pager as soon as there is more."""

    def __init__(self, command: Sequence[str], height: int) -> None:
        super().__init__()
        self.process: subprocess.Popen[bytes] | None = None
        self._command = command
        self._height = height
        self._lines = 0

    def write(self, text: str) -> int:
        self._lines += text.count("\n")
        if self.process is None and self._lines < self._height:
            return super().write(text)
        if self.process is None:
            # -R shows colours; with -F and -X a text that fits on one screen is just printed.
            environment = {"LESS": "FRX", **os.environ}
            self.process = subprocess.Popen(  # noqa: S603
                self._command, stdin=subprocess.PIPE, env=environment
            )
            self._pass(self.getvalue())
        self._pass(text)
        return len(text)

    def flush(self) -> None:
        """Pass on nothing: the pager gets what its pipe takes."""

    def _pass(self, text: str) -> None:
        assert self.process is not None  # noqa: S101
        assert self.process.stdin is not None  # noqa: S101
        self.process.stdin.write(text.encode(errors="replace"))

    def close(self, file: IO[str] | None = None) -> None:
        """Wait for the end of the pager; without one write what there is to `file`."""
        if self.process is not None:
            with suppress(BrokenPipeError, KeyboardInterrupt):
                self.process.communicate()
            while self.process.poll() is None:
                with suppress(KeyboardInterrupt):
                    self.process.wait()
        elif file is not None:
            file.write(self.getvalue())
        super().close()
