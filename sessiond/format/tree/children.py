"""Children by parent, in the form that costs least among very many entries."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cmp_to_key
from typing import TypeVar

from sessiond.format.entries import Entry
from sessiond.jsontext.dates import parse_js_date

K = TypeVar("K")


def put_child(children: dict[K, Sequence[int]], parent: K, index: int) -> None:
    """One more child.

    A tuple holds an only child, as nearly all are, because the garbage collector does not look at
    tuples of numbers: at hundreds of thousands of lists it would keep every thread waiting.
    """
    known = children.get(parent)
    if known is None:
        children[parent] = (index,)
    elif isinstance(known, list):
        known.append(index)
    else:
        children[parent] = [*known, index]


def sort_by_time(siblings: list[int], entries: Sequence[Entry]) -> None:
    """Sort indices of entries by timestamp; those that are no date stay put."""
    times = {index: parse_js_date(entries[index].timestamp) for index in siblings}
    if None not in times.values():
        siblings.sort(key=times.__getitem__)  # type: ignore[arg-type]
        return

    def compare(one: int, other: int) -> int:
        left, right = times[one], times[other]
        return 0 if left is None or right is None else int(left - right)

    siblings.sort(key=cmp_to_key(compare))
