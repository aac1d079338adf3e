"""The columns of tables."""

from __future__ import annotations

from typing import Literal

import attrs


@attrs.frozen
class Column:
    """A column of a table on a terminal."""

    name: str
    least: int = 0
    """Cells it needs to be of use; 0: it is never shortened."""
    rank: int = 0
    """Where it is tight, the column with the highest rank goes first; 0: it always stays."""
    right: bool = False
    """Whether it is aligned to the right, as numbers are."""
    cut: Literal["end", "middle", "start"] = "end"
    """What of a cell is left out where it is too long."""
