"""Print tables, colours and pages on a terminal, and plain lines into a pipe.

rich is imported for a terminal only: with a pipe it would take a sixth of the time of `list`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from sessiond.cli.astext import Column, clean, one_line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text


class Screen:
    """Standard output; characters that its encoding does not have are replaced."""

    def __init__(self) -> None:
        self.file: TextIO = sys.stdout
        if hasattr(self.file, "reconfigure"):
            self.file.reconfigure(errors="replace")
        self.is_terminal = self.file.isatty() or bool(os.environ.get("FORCE_COLOR"))
        self._console: Console | None = None

    @property
    def console(self) -> Console:
        """The console of rich; for a pipe it prints without colours."""
        if self._console is None:
            from sessiond.cli.terminal import Terminal

            self._console = Terminal(self.file)
        return self._console

    @property
    def width(self) -> int:
        """Width of the terminal in cells."""
        return self.console.width

    def line(self, line: str | Text) -> None:
        """Print one line; it must be clean."""
        if not self.is_terminal:
            self.file.write(f"{line}\n")
        else:
            self.console.print(line, soft_wrap=True)

    def raw(self, content: bytes, end: bytes = b"\n") -> None:
        """Print bytes: unchanged into a pipe, clean on a terminal, as they come from files."""
        self.file.flush()
        if self.file.isatty():
            content = clean(content.decode(errors="replace")).encode()
        buffer = getattr(self.file, "buffer", None)
        if buffer is None:
            self.file.write((content + end).decode(errors="replace"))
        else:
            buffer.write(content + end)
            buffer.flush()

    @contextmanager
    def paged(self, *, from_end: bool = False) -> Iterator[None]:
        """Send the output of the block through the user's pager, if there is a terminal.

        `PAGER` names it; the default is `less`. If it is `cat` or empty, no pager is used.
        `from_end`: the newest lines are the last, so `less` begins with the last screen.
        """
        if not self.file.isatty() or not sys.stdin.isatty():
            yield
            return
        from sessiond.cli.terminal import pager

        with pager(self.console, from_end=from_end):
            yield

    def table(self, columns: Sequence[Column], rows: Iterable[Sequence[str | Text]]) -> None:
        """Print a table that fits the terminal; for a pipe one line per row, with tabs.

        Cells that are Text keep their colours, and must be clean.
        """
        if not self.is_terminal:
            for row in rows:
                self.file.write("\t".join(one_line(str(cell)) for cell in row) + "\n")
            return
        from sessiond.cli.terminal import draw

        draw(self.console, columns, rows)
