"""Linux's own notices of changes: waits without a step, where watchfiles looks every few ms.

The kernel queues events behind a descriptor. They are read a moment after the first, not at once:
an event equal to the last one unread is not queued again, so that a thousand appends to one file
are one event and one awakening.
"""

from __future__ import annotations

import errno
import os
import select
import struct
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

from sessiond.files import disk
from sessiond.files.watch.plan import Event, WatchPlan

try:
    import ctypes

    _libc = ctypes.CDLL(None, use_errno=True)
    _init, _add_watch = _libc.inotify_init1, _libc.inotify_add_watch
except (ImportError, OSError, AttributeError):
    AVAILABLE = False
else:
    AVAILABLE = sys.platform == "linux"
    _init.argtypes = (ctypes.c_int,)
    _add_watch.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_uint32)

# As in <sys/inotify.h>. Not asked for: IN_OPEN, IN_ACCESS and IN_CLOSE_*, with which each of our
# own reads and writes would be an event, and no two appends in a row would be equal ones.
_MODIFY = 0x2  # written to or truncated
_ATTRIB = 0x4  # among others a mode or an owner that lets us read from now on, or no more
_MOVED_FROM = 0x40
_MOVED_TO = 0x80
_CREATE = 0x100
_DELETE = 0x200
_DELETE_SELF = 0x400  # SELF: the watched directory, whose watch is of no further use
_MOVE_SELF = 0x800
_UNMOUNT = 0x2000  # this and the next two come unasked
_Q_OVERFLOW = 0x4000
_IGNORED = 0x8000  # the last event of a watch, whatever has ended it
_ONLYDIR = 0x1000000  # in case a directory has become something else since the plan was made
_EXCL_UNLINK = 0x4000000  # not what is written to a deleted file that somebody still holds open
_MASK_ADD = 0x20000000  # a directory may be watched under two paths, where it is mounted twice

_ITSELF = _ATTRIB | _DELETE_SELF | _MOVE_SELF | _ONLYDIR | _EXCL_UNLINK | _MASK_ADD
_ARRIVALS = _ITSELF | _CREATE | _MOVED_TO
_EVERYTHING = _ARRIVALS | _MODIFY | _MOVED_FROM | _DELETE
_GONE = _MOVED_FROM | _DELETE | _DELETE_SELF | _MOVE_SELF | _UNMOUNT | _IGNORED

_HEAD = struct.Struct("iIII")
"""Watch, mask, cookie, and the size of the name that follows, filled up with NUL."""
_READ_BYTES = 1 << 18
_LONGER = 8
"""A pause grows to so many times its length while changes keep coming."""


class Inotify:
    """The watches of one set of directories; for one thread, but for `wake`.

    Raises OSError: with EMFILE or ENOSPC where the system's limits are reached.
    """

    def __init__(self, pause: float) -> None:
        """`pause` is in seconds: between the first of some events and reading them."""
        self._shortest = self._pause = pause
        self._directories: dict[int, list[str]] = {}
        self._lock = threading.Lock()
        self._queue = _checked(_init(os.O_CLOEXEC))
        try:
            self._woken, self._wakes = os.pipe()
        except BaseException:
            os.close(self._queue)
            raise
        self._poll = select.poll()
        self._poll.register(self._queue, select.POLLIN)
        self._poll.register(self._woken, 0)  # that the other end is closed is told in any case

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.wake()
        os.close(self._woken)
        os.close(self._queue)

    def watch(self, plan: WatchPlan) -> None:
        """Begin to watch; blocks for as long as the disk does.

        Of a directory that matters only for what appears in it nothing more is asked for: it may
        well be somebody's home, or /tmp.
        """
        for directory in plan.directories:
            mask = _EVERYTHING if directory in plan.names else _ARRIVALS
            with _named(directory) as name:
                watch = _checked(_add_watch(self._queue, os.fsencode(name), mask), directory)
            self._directories.setdefault(watch, []).append(directory)

    def changes(self, patience: float) -> set[Event]:
        """What has happened; waits for that for so many seconds at most, or until `wake`."""
        began = time.monotonic()
        ready = self._poll.poll(max(patience, 0) * 1000)
        if not any(descriptor == self._queue for descriptor, _ in ready):
            return set()
        busy = time.monotonic() - began < self._shortest
        self._pause = min(self._pause * 2, self._shortest * _LONGER) if busy else self._shortest
        time.sleep(self._pause)
        return self._interpret(os.read(self._queue, _READ_BYTES))

    def wake(self) -> None:
        """Have `changes` wait no more, now and ever after; from any thread, at any time."""
        with self._lock:
            if self._wakes >= 0:
                os.close(self._wakes)
                self._wakes = -1

    def _interpret(self, data: bytes) -> set[Event]:
        found: set[Event] = set()
        at = 0
        while at < len(data):
            watch, mask, _, size = _HEAD.unpack_from(data, at)
            at += _HEAD.size + size
            if mask & _Q_OVERFLOW:
                # Anything may be lost. What is reported as gone is watched anew, which begins
                # with a report of every directory as a whole.
                return {(True, path) for paths in self._directories.values() for path in paths}
            name = os.fsdecode(data[at - size : at].rstrip(b"\0"))
            for directory in self._directories.get(watch, ()):
                path = os.path.join(directory, name) if name else directory
                found.add((bool(mask & _GONE), path))
        return found


@contextmanager
def _named(directory: str) -> Iterator[str]:
    """A name for a directory that leads nowhere outside the roots."""
    if not disk.is_confined():
        yield directory
        return
    descriptor = disk.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{descriptor}"
    finally:
        os.close(descriptor)


def _checked(result: int, path: str | None = None) -> int:
    if result >= 0:
        return result
    code = ctypes.get_errno()
    # "No space left on device" would send people looking at their disks.
    text = "limit of inotify watches reached" if code == errno.ENOSPC else os.strerror(code)
    raise OSError(code, text, path)
