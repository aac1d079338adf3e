"""Poll directories for changes, for systems and file systems that cannot report them.

Not done by watchfiles, because it compares modification times in whole seconds: it never notices a
second append within the same second.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from sessiond.files import disk
from sessiond.files.watch.plan import Event, WatchPlan

_SHARE = 20
"""Polling uses at most this fraction (1/n) of the time, so on slow disks it is less frequent."""

_Facts = tuple[int, ...]
_Seen = dict[str, _Facts]


def changes(plan: WatchPlan, wait: Callable[[float], bool], delay: float) -> Iterator[set[Event]]:
    """Yield the differences between scans, one every `delay` seconds, until `wait` returns True.

    The first item is empty and follows the first scan. Blocking.
    """
    directories = sorted(plan.names)
    before = _look(plan, directories)
    took = 0.0
    yield set()
    while not wait(max(delay, took * _SHARE)):
        started = time.monotonic()
        now = _look(plan, directories)
        took = time.monotonic() - started
        changed = {path for path, _ in before.items() ^ now.items()}
        yield {(path not in now, path) for path in changed}
        before = now


def _look(plan: WatchPlan, directories: list[str]) -> _Seen:
    seen: _Seen = {}
    for directory in directories:
        try:
            with disk.scandir(directory) as items:
                for item in items:
                    _see(item, seen, plan, nested=directory in plan.parents)
        except OSError:
            # The directory was removed or is unreadable, and so is everything in it.
            continue
    return seen


def _see(item: disk.DirectoryEntry, seen: _Seen, plan: WatchPlan, *, nested: bool) -> None:
    try:
        if item.name.endswith(plan.suffixes):
            facts = item.stat()
            seen[item.path] = (
                facts.st_ino,
                facts.st_size,
                facts.st_mtime_ns,
                facts.st_ctime_ns,
            )
        elif nested and item.is_dir():
            seen[item.path] = (item.inode(),)
    except OSError:
        # A broken link, or deleted since it was listed.
        return
