"""Watch directories with watchfiles, on systems other than Linux: it polls every few ms."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator

import attrs
import watchfiles

from sessiond.files.watch.plan import Event, WatchPlan

# It logs every change at level INFO; with a log file in a watched directory that would never end.
logging.getLogger("watchfiles").setLevel(logging.WARNING)


@attrs.frozen
class _StopEvent:
    """The form in which watchfiles takes a function that says whether to stop."""

    is_set: Callable[[], bool]


def changes(
    plan: WatchPlan, is_stopped: Callable[[], bool], step: float, debounce: float
) -> Iterator[set[Event]]:
    """Yield the changes in the directories of a plan until `is_stopped`. Blocking.

    `is_stopped` is called in every step, once everything is being watched. Times are in seconds.
    Each directory is watched separately, also those below a recursive one: when asked to recurse,
    watchfiles fails at the first directory that it may not read, or silently skips the rest if
    set to ignore that. Its environment variables have no effect here.
    """
    raw = watchfiles.watch(
        *plan.directories,
        watch_filter=None,
        debounce=round(debounce * 1000),
        step=round(step * 1000),
        stop_event=_StopEvent(is_stopped),
        rust_timeout=0,  # at a timeout it may lose changes that arrive at that moment
        debug=False,
        force_polling=False,
        recursive=False,
        ignore_permission_denied=False,  # it would also ignore the system's limits
    )
    for batch in raw:
        yield {(change == watchfiles.Change.deleted, path) for change, path in batch}
