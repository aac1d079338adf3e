"""Where commands print: tables, colours and a pager on a terminal, plain lines in a pipe.

rich is imported for a terminal only: in a pipe it would be a sixth of the time of `list`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from sessiond.cli.astext import one_line
from sessiond.cli.column import Column

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text


class Screen:
    """Standard output; what its encoding cannot show is replaced."""

    def __init__(self) -> None:
        self.file: TextIO = sys.stdout
        if hasattr(self.file, "reconfigure"):
            self.file.reconfigure(errors="replace")
        self.is_terminal = self.file.isatty() or bool(os.environ.get("FORCE_COLOR"))
        self._console: Console | None = None

    @property
    def console(self) -> Console:
        """For a terminal; in a pipe it prints without colours."""
        if self._console is None:
            from sessiond.cli.terminal import Terminal  # noqa: PLC0415

            self._console = Terminal(self.file)
        return self._console

    @property
    def width(self) -> int:
        """Cells of a line of the terminal."""
        return self.console.width

    def line(self, line: str | Text) -> None:
        """Print one line; it must be clean."""
        if not self.is_terminal:
            self.file.write(f"{line}\n")
        else:
            self.console.print(line, soft_wrap=True)

    def raw(self, content: bytes, end: bytes = b"\n") -> None:
        """Print bytes as they are."""
        self.file.flush()
        buffer = getattr(self.file, "buffer", None)
        if buffer is None:
            self.file.write((content + end).decode(errors="replace"))
        else:
            buffer.write(content + end)
            buffer.flush()

    @contextmanager
    def paged(self) -> Iterator[None]:
        """What is printed meanwhile goes through the pager of the person, if there is a terminal.

        `PAGER` names it, and `less` is the default; with `cat` or an empty one there is none.
        """
        if not self.file.isatty() or not sys.stdin.isatty():
            yield
            return
        from sessiond.cli.terminal import pager  # noqa: PLC0415

        with pager(self.console):
            yield

    def table(self, columns: Sequence[Column], rows: Iterable[Sequence[str | Text]]) -> None:
        """A table that fits the terminal; in a pipe one line per row, cells separated by tabs.

        Cells that are Text keep their colours, and must be clean.
        """
        if not self.is_terminal:
            for row in rows:
                self.file.write("\t".join(one_line(str(cell)) for cell in row) + "\n")
            return
        from sessiond.cli.terminal import draw  # noqa: PLC0415

        draw(self.console, columns, rows)
