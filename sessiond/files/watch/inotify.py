"""Watch directories with Linux's inotify, which waits without polling.

The kernel queues events on a descriptor. They are read a short pause after the first one: the
kernel does not queue an event that equals the last unread one, so a thousand appends to one file
are one event and wake the thread once.
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
from contextlib import contextmanager, suppress
from typing import Self

from sessiond.files import disk
from sessiond.files.watch.plan import Event, WatchPlan

try:
    import ctypes

    _libc = ctypes.CDLL(None, use_errno=True)
    _init, _add_watch = _libc.inotify_init1, _libc.inotify_add_watch
    _rm_watch = _libc.inotify_rm_watch
except (ImportError, OSError, AttributeError):
    AVAILABLE = False
else:
    AVAILABLE = sys.platform == "linux"
    _init.argtypes = (ctypes.c_int,)
    _add_watch.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_uint32)
    _rm_watch.argtypes = (ctypes.c_int, ctypes.c_int)

# As in <sys/inotify.h>. IN_OPEN, IN_ACCESS and IN_CLOSE_* are not requested: with them, each of our
# own reads and writes would be an event, and two appends in a row would not be equal events.
_MODIFY = 0x2  # written to or truncated
_ATTRIB = 0x4  # among others a mode or an owner that permits or forbids us to read
_MOVED_FROM = 0x40
_MOVED_TO = 0x80
_CREATE = 0x100
_DELETE = 0x200
_DELETE_SELF = 0x400  # SELF: the watched directory; its watch is useless from then on
_MOVE_SELF = 0x800
_UNMOUNT = 0x2000  # this and the next two are sent without request
_Q_OVERFLOW = 0x4000
_IGNORED = 0x8000  # the last event of a watch that has ended for any reason
_ONLYDIR = 0x1000000  # fails if a directory has been replaced by a file since the plan was made
_EXCL_UNLINK = 0x4000000  # no events for writes to a deleted file that a process still has open
_MASK_ADD = 0x20000000  # a directory that is mounted twice may be watched under two paths

_ITSELF = _ATTRIB | _DELETE_SELF | _MOVE_SELF | _ONLYDIR | _EXCL_UNLINK | _MASK_ADD
_ARRIVALS = _ITSELF | _CREATE | _MOVED_TO
_EVERYTHING = _ARRIVALS | _MODIFY | _MOVED_FROM | _DELETE
_GONE = _MOVED_FROM | _DELETE | _DELETE_SELF | _MOVE_SELF | _UNMOUNT | _IGNORED

_HEAD = struct.Struct("iIII")
"""Watch, mask, cookie, and the size of the name that follows, padded with NUL."""
_READ_BYTES = 1 << 18
_LONGER = 8
"""While changes keep coming, the pause grows to at most this multiple of its first length."""


class Inotify:
    """The watches of some directories, for use by one thread, except for `nudge` and `wake`.

    Raises OSError, with EMFILE or ENOSPC if the system's limits are reached.
    """

    def __init__(self, pause: float) -> None:
        """`pause` is the time in seconds from the first event to the reading of all events."""
        self._shortest = self._pause = pause
        self._directories: dict[int, list[str]] = {}
        self._watches: dict[str, int] = {}
        self._lock = threading.Lock()
        self._queue = _checked(_init(os.O_CLOEXEC))
        try:
            self._woken, self._wakes = os.pipe()
            os.set_blocking(self._wakes, False)
        except BaseException:
            os.close(self._queue)
            raise
        self._poll = select.poll()
        self._poll.register(self._queue, select.POLLIN)
        self._poll.register(self._woken, select.POLLIN)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.wake()
        os.close(self._woken)
        os.close(self._queue)

    def watch(self, plan: WatchPlan) -> None:
        """Begin to watch the directories of a plan. Blocking.

        A directory that is watched only because a missing one may appear in it is watched for new
        entries alone, because it may change often, such as a home directory or /tmp.
        """
        for directory in plan.directories:
            self._add(directory, _EVERYTHING if directory in plan.names else _ARRIVALS)

    def _add(self, directory: str, mask: int) -> None:
        with _named(directory) as name:
            watch = _checked(_add_watch(self._queue, os.fsencode(name), mask), directory)
        self._watches[directory] = watch
        under = self._directories.setdefault(watch, [])
        if directory not in under:
            under.append(directory)

    def forget(self, directory: str) -> None:
        """Stop watching a directory. Changes that were not read are lost."""
        watch = self._watches.pop(directory)
        under = self._directories[watch]
        under.remove(directory)
        if not under:
            del self._directories[watch]
            # Fails if the watch has ended because the directory was removed.
            _rm_watch(self._queue, watch)

    def changes(self, patience: float) -> set[Event]:
        """Wait for events, at most `patience` seconds or until `nudge` or `wake`; return them."""
        began = time.monotonic()
        ready = dict(self._poll.poll(max(patience, 0) * 1000))
        if ready.get(self._woken, 0) & select.POLLIN:
            os.read(self._woken, _READ_BYTES)
        if self._queue not in ready:
            return set()
        busy = time.monotonic() - began < self._shortest
        self._pause = min(self._pause * 2, self._shortest * _LONGER) if busy else self._shortest
        time.sleep(self._pause)
        return self._interpret(os.read(self._queue, _READ_BYTES))

    def nudge(self) -> None:
        """End the waiting of `changes` once. May be called by any thread."""
        with self._lock, suppress(BlockingIOError):
            if self._wakes >= 0:
                os.write(self._wakes, b"x")

    def wake(self) -> None:
        """End the waiting of `changes`, now and from now on. May be called by any thread."""
        with self._lock:
            if self._wakes >= 0:
                os.close(self._wakes)
                self._wakes = -1

    def _interpret(self, data: bytes) -> set[Event]:
        events: set[Event] = set()
        at = 0
        while at < len(data):
            watch, mask, _, size = _HEAD.unpack_from(data, at)
            at += _HEAD.size + size
            if mask & _Q_OVERFLOW:
                # Any event may be lost. Report all directories as removed: the next round then
                # watches them again, and begins with a report of every directory.
                return {(True, path) for paths in self._directories.values() for path in paths}
            name = os.fsdecode(data[at - size : at].rstrip(b"\0"))
            for directory in self._directories.get(watch, ()):
                path = os.path.join(directory, name) if name else directory
                events.add((bool(mask & _GONE), path))
        return events


@contextmanager
def _named(directory: str) -> Iterator[str]:
    """Yield a name for a directory that cannot lead outside the roots."""
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
    # "No space left on device" would make users check their disks.
    text = "limit of inotify watches reached" if code == errno.ENOSPC else os.strerror(code)
    raise OSError(code, text, path)
