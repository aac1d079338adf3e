"""Use a connection for several readings while a thread reads many transcripts.

To open one takes longer than to read a short transcript. In between no transaction is open, and
after at most a second another connection is opened, so that a program that needs the database for
itself does not wait long.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager

_LONGEST_SECONDS = 1.0


class _OfThread(threading.local):
    """The blocks of a thread that are in progress, and what is kept for them: a pure cache."""

    depth = 0

    def __init__(self) -> None:
        self.kept: dict[Hashable, tuple[object, Callable[[], None], float]] = {}


_of_thread = _OfThread()


@contextmanager
def many_readings() -> Iterator[None]:
    """In this block, connections of this thread may be used for several readings."""
    _of_thread.depth += 1
    try:
        yield
    finally:
        _of_thread.depth -= 1
        if not _of_thread.depth:
            for key in list(_of_thread.kept):
                drop(key)


def take(key: Hashable) -> object | None:
    """What was kept under this key in the block; the block still closes it."""
    kept = _of_thread.kept.get(key)
    if kept is None:
        return None
    if time.monotonic() > kept[2]:
        drop(key)
        return None
    return kept[0]


def keep(key: Hashable, value: object, close: Callable[[], None]) -> None:
    """Keep something that was just opened until the block ends; without a block, close it."""
    if not _of_thread.depth or key in _of_thread.kept:
        close()
    else:
        _of_thread.kept[key] = value, close, time.monotonic() + _LONGEST_SECONDS


def drop(key: Hashable) -> None:
    """Close what is kept under this key, if there is anything."""
    kept = _of_thread.kept.pop(key, None)
    if kept is not None:
        kept[1]()
