"""Poll directories for changes, for systems and file systems that cannot report them.

Not done by watchfiles, because it compares modification times in whole seconds: it never notices a
second append within the same second.
"""

from __future__ import annotations

import stat
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress

from sessiond.files import disk

POLL_SECONDS = 0.3
_SHARE = 20
"""Polling uses at most this fraction (1/n) of the time, so on slow disks it is less frequent."""

Event = tuple[bool, str]
"""Whether something is known to be removed, and its path below a watched directory's real path."""

_Seen = dict[str, tuple[int, ...]]


def changes(
    directories: Collection[str], matters: Callable[[str], object], wait: Callable[[float], bool]
) -> Iterator[set[Event]]:
    """Yield the differences between scans, one every POLL_SECONDS, until `wait` returns True.

    `matters` tells of the name of a file whether it is compared; directories are always. The first
    item is empty and follows the first scan. Blocking.
    """
    before = _look(directories, matters)
    took = 0.0
    yield set()
    while not wait(max(POLL_SECONDS, took * _SHARE)):
        started = time.monotonic()
        now = _look(directories, matters)
        took = time.monotonic() - started
        changed = {path for path, _ in before.items() ^ now.items()}
        yield {(path not in now, path) for path in changed}
        before = now


def _look(directories: Collection[str], matters: Callable[[str], object]) -> _Seen:
    listing: _Seen = {}
    for directory in directories:
        try:
            names = disk.listdir(directory)
        except OSError:
            # The directory was removed or is unreadable, and so is everything in it.
            continue
        for name in names:
            path = f"{directory}/{name}"
            # A broken link, or deleted since it was listed.
            with suppress(OSError):
                facts = disk.stat(path)
                if matters(name):
                    listing[path] = (
                        facts.st_ino,
                        facts.st_size,
                        facts.st_mtime_ns,
                        facts.st_ctime_ns,
                    )
                elif stat.S_ISDIR(facts.st_mode):
                    listing[path] = (facts.st_ino,)
    return listing
