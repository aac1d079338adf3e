"""Exclusive advisory locks (`flock`) on session files, without blocking the event loop.

Processes of sessiond exclude one another with them; the agents lock nothing. A lock belongs to an
inode, not to a name: while a process waits, the owner may rename a new file over the path, and the
lock then acquired protects a file that is no longer in use. So after locking, the locked file is
compared with the file that the path names now; if they differ, locking starts again. The other
trap is that the agents append without a lock while a file is rewritten; see `journal.rewrite`.
"""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from sessiond.files import disk, journal, workers
from sessiond.files.identity import OPEN_FLAGS, stat_regular
from sessiond.files.lock_file import transcript_lock
from sessiond.runtime.errors import Busy, PathNotAllowed, WriteFailed

_T = TypeVar("_T")

_FLAGS = os.O_RDWR | os.O_APPEND | OPEN_FLAGS
_FIRST_PAUSE = 0.001
_LONGEST_PAUSE = 0.05
_LOCKS = "/proc/locks"


async def lock(path: str, patience: float) -> tuple[int, os.stat_result]:
    """Open the file at `path` for reading and appending, and lock it.

    Returns its descriptor, and the `stat` of the path after it was locked. Closing the descriptor
    releases the lock. Does not suspend if the lock is free, else waits up to `patience` seconds;
    then raises Busy, which names the owner. Raises FileNotFoundError if there is no file,
    ReadFailed if it is not a regular file, WriteFailed if it may not be written or locked.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + patience
    pause = _FIRST_PAUSE
    while True:
        locked = _try_lock(path)
        if locked is not None:
            return locked
        left = deadline - loop.time()
        if left <= 0:
            raise Busy(path, owner(path))
        await asyncio.sleep(min(pause, left))
        pause = min(pause * 2, _LONGEST_PAUSE)


def _try_lock(path: str) -> tuple[int, os.stat_result] | None:
    """Lock the file as `lock` does; None while another process holds the lock."""
    while True:
        if stat_regular(path) is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        try:
            descriptor = disk.open(path, _FLAGS)
        except (FileNotFoundError, PathNotAllowed):
            raise
        except OSError as error:
            raise WriteFailed(path, error) from None
        named = None
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return None
            except OSError as error:
                raise WriteFailed(path, error) from None
            named = _stat_if_at(descriptor, path)
            if named is not None:
                return descriptor, named
        finally:
            if named is None:
                os.close(descriptor)


async def rewriting(path: str, patience: float, work: Callable[[int], _T]) -> _T:
    """Lock the file and call `work` with the descriptor in a worker thread; returns its result.

    A gateway's transcript is locked as its gateway locks it, too.

    `work` raises journal.Replaced if `path` now names another file; then that file is locked and
    `work` is called again. Raises as `lock` and `work` do.
    """
    async with transcript_lock(path, patience):
        while True:
            descriptor, _ = await lock(path, patience)
            try:
                return await workers.undisturbed(work, descriptor)
            except journal.Replaced:
                continue
            finally:
                os.close(descriptor)


@asynccontextmanager
async def beside(path: str, patience: float) -> AsyncIterator[None]:
    """Hold the lock of a file of sessiond's own, which need not exist; its directory does then.

    The locked file is `<path>.lock`, because a change gives the name to a new file. Raises Busy and
    WriteFailed.
    """
    own = f"{path}.lock"
    try:
        disk.makedirs(os.path.dirname(path), journal.DIRECTORY_MODE)
        os.close(disk.open(own, os.O_RDWR | os.O_CREAT | OPEN_FLAGS, journal.FILE_MODE))
    except OSError as error:
        raise WriteFailed(own, error) from None
    descriptor, _ = await lock(own, patience)
    try:
        yield
    finally:
        os.close(descriptor)


def owner(path: str) -> str:
    """The process that holds the lock on `path`, such as `process 4711`, if the system tells."""
    try:
        status = disk.stat(path)
        with open(_LOCKS, encoding="ascii") as table:
            lines = table.readlines()
    except OSError:
        return "another process"
    place = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    for line in lines:
        # 1: FLOCK  ADVISORY  WRITE 4711 fd:01:131074 0 EOF; a waiting process has an arrow after 1:
        fields = line.split()
        if fields[1] == "FLOCK" and fields[5] == place and fields[4].isdigit():
            return f"process {fields[4]}"
    return "another process"


def _stat_if_at(descriptor: int, path: str) -> os.stat_result | None:
    """The `stat` of the path, if it names the open file."""
    held = os.fstat(descriptor)
    try:
        named = disk.stat(path)
    except OSError:
        return None
    return named if (held.st_dev, held.st_ino) == (named.st_dev, named.st_ino) else None
