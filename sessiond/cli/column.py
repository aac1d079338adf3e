"""The columns of tables."""

from __future__ import annotations

from typing import Literal, NamedTuple


# Importing attrs would take a fifth of the time of a list that a shared daemon answers.
class Column(NamedTuple):
    """A column of a table on a terminal."""

    name: str
    least: int = 0
    """Minimum width in cells; 0: it is never shortened."""
    rank: int = 0
    """On a narrow terminal the column with the highest rank is omitted first; 0: never."""
    right: bool = False
    """Whether it is aligned to the right, for numbers."""
    cut: Literal["end", "middle", "start"] = "end"
    """Which part of a cell that is too long is omitted."""
