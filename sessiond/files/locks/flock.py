"""Exclusive advisory locks (`flock`) on session files, without ever blocking the event loop.

Sessiond's own processes exclude one another with them; the agents lock nothing. A lock is on an
inode, not on a name, and that is the trap here: while one waits, the holder may rename a new file
over the path, and the lock then obtained guards a file nobody will ever read again. So whoever
gets a lock compares what it locked with what the path names now, and starts again if they differ.
"""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
from collections.abc import Callable
from typing import TypeVar

from sessiond.errors import Busy, PathNotAllowed, WriteFailed
from sessiond.files import disk, journal, workers
from sessiond.files.identity import OPEN_FLAGS, stat_regular

_T = TypeVar("_T")

_FLAGS = os.O_RDWR | os.O_APPEND | OPEN_FLAGS
_FIRST_PAUSE = 0.001
_LONGEST_PAUSE = 0.05
_LOCKS = "/proc/locks"


def try_lock(path: str) -> int | None:
    """A descriptor (reading, appending) of the file at `path` with its lock held.

    None while somebody else holds it. Closing the descriptor gives the lock back. Raises
    FileNotFoundError if there is no file, ReadFailed if it is no regular file, WriteFailed if it
    may not be written or locked.
    """
    while True:
        if stat_regular(path) is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        try:
            descriptor = disk.open(path, _FLAGS)
        except (FileNotFoundError, PathNotAllowed):
            raise
        except OSError as error:
            raise WriteFailed(path, error) from None
        keep = False
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return None
            except OSError as error:
                raise WriteFailed(path, error) from None
            keep = _is_at(descriptor, path)
            if keep:
                return descriptor
        finally:
            if not keep:
                os.close(descriptor)


async def lock(path: str, patience: float) -> int:
    """As `try_lock`, waiting up to `patience` seconds; then Busy, naming the owner.

    Does not suspend if the lock is free.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + patience
    pause = _FIRST_PAUSE
    while True:
        descriptor = try_lock(path)
        if descriptor is not None:
            return descriptor
        left = deadline - loop.time()
        if left <= 0:
            raise Busy(path, owner(path))
        await asyncio.sleep(min(pause, left))
        pause = min(pause * 2, _LONGEST_PAUSE)


async def rewriting(path: str, patience: float, work: Callable[[int], _T]) -> _T:
    """What `work` makes of the locked file, in a worker; again where another file takes its place.

    `work` gets the descriptor and raises journal.Replaced if `path` names another file by now: that
    one is meant then. Raises as `lock` and `work` do.
    """
    while True:
        descriptor = await lock(path, patience)
        try:
            return await workers.undisturbed(work, descriptor)
        except journal.Replaced:
            continue
        finally:
            os.close(descriptor)


class KeptLock:
    """A lock that is given back when the event loop turns, so that writes in a row share it."""

    def __init__(self) -> None:
        self._descriptor: int | None = None
        self._is_due = False

    def take(self) -> int | None:
        """The descriptor that was kept, its lock still held; None if there is none."""
        descriptor, self._descriptor = self._descriptor, None
        return descriptor

    def keep(self, descriptor: int) -> None:
        """Give it back soon, unless it is taken again before."""
        self._descriptor = descriptor
        if not self._is_due:
            self._is_due = True
            asyncio.get_running_loop().call_soon(self._give_back)

    def _give_back(self) -> None:
        self._is_due = False
        descriptor = self.take()
        if descriptor is not None:
            os.close(descriptor)


def owner(path: str) -> str:
    """Who holds the lock on `path`, as far as the system tells: `process 4711`."""
    try:
        seen = disk.stat(path)
        with open(_LOCKS, encoding="ascii") as table:
            lines = table.readlines()
    except OSError:
        return "another process"
    place = f"{os.major(seen.st_dev):02x}:{os.minor(seen.st_dev):02x}:{seen.st_ino}"
    for line in lines:
        # 1: FLOCK  ADVISORY  WRITE 4711 fd:01:131074 0 EOF; who waits has an arrow after the number
        fields = line.split()
        if fields[1] == "FLOCK" and fields[5] == place and fields[4].isdigit():
            return f"process {fields[4]}"
    return "another process"


def _is_at(descriptor: int, path: str) -> bool:
    held = os.fstat(descriptor)
    try:
        named = disk.stat(path)
    except OSError:
        return False
    return (held.st_dev, held.st_ino) == (named.st_dev, named.st_ino)
