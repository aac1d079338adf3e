"""Small records of a tree."""

from __future__ import annotations

from collections.abc import Sequence

import attrs


@attrs.frozen
class Label:
    """The label of an entry and when it was set."""

    text: str
    timestamp: str


@attrs.frozen
class Forest:
    """The whole tree: indices of the roots, and the children of each entry that has some."""

    roots: list[int]
    children: dict[int, Sequence[int]]
