"""Small records of a tree."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from sessiond.format.tree.problems import ProblemNotes


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


@attrs.frozen
class TreeNotes:
    """What a tree has derived from the lines of its entries."""

    labels: dict[str, Label]
    name: str | None
    has_conversation: bool
    problems: ProblemNotes
