"""Notices of changes by watchfiles, for systems other than Linux: looks every few milliseconds."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Protocol

import watchfiles

from sessiond.files.watch.plan import Event, WatchPlan

# It tells of every change at level INFO: with a log in a watched directory that would never end.
logging.getLogger("watchfiles").setLevel(logging.WARNING)


class Stop(Protocol):
    def is_set(self) -> bool:
        """Whether to end: asked in every step, once everything is being watched."""
        ...


def changes(plan: WatchPlan, stop: Stop, step: float, debounce: float) -> Iterator[set[Event]]:
    """What happens in the directories of a plan. Blocks: for threads. Times are in seconds.

    All of them are watched one by one, those below a recursive one, too: asked to recurse,
    watchfiles gives up at the first directory it may not read, and without a word if told to
    ignore that. Its environment variables have no influence here.
    """
    raw = watchfiles.watch(
        *plan.directories,
        watch_filter=None,
        debounce=round(debounce * 1000),
        step=round(step * 1000),
        stop_event=stop,
        rust_timeout=0,  # at a timeout it may throw away what comes in at that moment
        debug=False,
        force_polling=False,
        recursive=False,
        ignore_permission_denied=False,  # it would ignore the system's limits as well
    )
    for found in raw:
        yield {(change == watchfiles.Change.deleted, path) for change, path in found}
