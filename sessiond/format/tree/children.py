"""Children by parent, stored cheaply for hundreds of thousands of entries."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cmp_to_key
from typing import TypeVar

from sessiond.format.entries import Entry
from sessiond.jsontext.dates import parse_js_date

K = TypeVar("K")


def put_child(children: dict[K, Sequence[int]], parent: K, index: int) -> None:
    """Add a child to its parent.

    A single child, the usual case, is stored in a tuple. The garbage collector does not traverse
    tuples of numbers; hundreds of thousands of lists would make it block every thread.
    """
    known = children.get(parent)
    if known is None:
        children[parent] = (index,)
    elif isinstance(known, list):
        known.append(index)
    else:
        children[parent] = [*known, index]


def sort_by_time(siblings: list[int], entries: Sequence[Entry]) -> None:
    """Sort indices of entries by timestamp; an invalid timestamp compares as equal to any other."""
    times = {index: parse_js_date(entries[index].timestamp) for index in siblings}
    if None not in times.values():
        siblings.sort(key=times.__getitem__)  # type: ignore[arg-type]
        return

    def compare(one: int, other: int) -> int:
        left, right = times[one], times[other]
        return 0 if left is None or right is None else int(left - right)

    siblings.sort(key=cmp_to_key(compare))
