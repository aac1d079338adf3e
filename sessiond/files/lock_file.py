"""The lock files of CoderClaw and OpenClaw: `<file>.lock`, beside their transcripts and stores.

The rules are those of CoderClaw 2026.3.21, so that its gateway and sessiond exclude each other,
with three differences: an empty lock file counts as abandoned only after five seconds (its owner
may be about to write it), a process that we may not signal counts as alive, and a lock file is
removed only if it is still the one that was examined.
"""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import stat
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime

import orjson

from sessiond.files import disk, journal
from sessiond.files.identity import OPEN_FLAGS
from sessiond.files.temporary import temporary
from sessiond.runtime.errors import Busy, PathNotAllowed, WriteFailed
from sessiond.runtime.processes import is_alive

STALE_SECONDS = 30 * 60
"""A transcript's lock older than this counts as abandoned, even if its owner is alive."""

EMPTY_SECONDS = 5.0
_STEP = 0.002
_LONGEST_PAUSE = 0.05
# A gateway tries after 50 ms, then after 100, 150 and so on up to a second. A try costs about 20
# microseconds, so we can try more often.
_own: set[str] = set()
"""Lock files that this process holds."""


def is_transcript(path: str) -> bool:
    """Whether a session file is in a gateway's directory: `…/agents/<id>/sessions/`."""
    folders = os.path.dirname(disk.realname(path)).split("/")
    return len(folders) >= 3 and folders[-1] == "sessions" and folders[-3] == "agents"


def lock_path(path: str) -> str:
    directory = disk.realpath(os.path.dirname(path))
    return os.path.join(directory, os.path.basename(path) + ".lock")


def holder(path: str) -> int | None:
    """The living process that holds the lock of a transcript, or None. Changes nothing."""
    try:
        lock = lock_path(path)
        descriptor = disk.open(lock, os.O_RDONLY | OPEN_FLAGS)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        return _living_owner(lock, os.read(descriptor, 4096), STALE_SECONDS)
    except OSError:
        return None
    finally:
        os.close(descriptor)


class HeldLock:
    """A lock file of ours; without a file if its directory does not exist."""

    def __init__(self, lock: str, descriptor: int | None) -> None:
        self._lock = lock
        self._descriptor = descriptor

    @property
    def exists(self) -> bool:
        return self._descriptor is not None

    def still(self) -> bool:
        """Whether the lock is still ours: another process may have removed its file."""
        return self._descriptor is None or _is_still(self._lock, self._descriptor)

    def release(self) -> None:
        if self._descriptor is not None:
            _own.discard(self._lock)
            _remove(self._lock, self._descriptor)
            os.close(self._descriptor)


@asynccontextmanager
async def lock_file(
    path: str, patience: float, stale: float = STALE_SECONDS
) -> AsyncIterator[HeldLock]:
    """Hold the lock file of `path`; raises Busy, which names the owner, after `patience` seconds.

    A lock older than `stale` seconds counts as abandoned. Raises WriteFailed if the lock file
    cannot be created. If the directory is missing, no lock file is needed.
    """
    lock = lock_path(path)
    held = await _acquire(path, lock, patience, stale)
    try:
        yield held
    finally:
        held.release()


@asynccontextmanager
async def transcript_lock(path: str, patience: float) -> AsyncIterator[None]:
    """Hold the lock of a gateway's transcript; other sessions have none.

    Whatever writes, moves or removes a session file does it in this block, so that a gateway may
    rely on its lock. Raises as `lock_file` does.
    """
    if is_transcript(path):
        async with lock_file(path, patience):
            yield
    else:
        yield


async def _acquire(path: str, lock: str, patience: float, stale: float) -> HeldLock:
    loop = asyncio.get_running_loop()
    deadline = loop.time() + patience
    attempt = 0
    while True:
        try:
            descriptor = _create(lock)
        except FileExistsError:
            owner = _owner(lock, stale)
            if owner is None:
                continue
        except PathNotAllowed:
            raise
        except (FileNotFoundError, NotADirectoryError):
            return HeldLock(lock, None)
        except OSError as error:
            raise WriteFailed(lock, error) from None
        else:
            _own.add(lock)
            return HeldLock(lock, descriptor)
        left = deadline - loop.time()
        if left <= 0:
            raise Busy(path, owner)
        attempt += 1
        await asyncio.sleep(min(_LONGEST_PAUSE, _STEP * attempt, left))


def _create(lock: str) -> int:
    """Create our lock file and return its descriptor. Raises OSError; then none was created.

    It appears together with its content, because gateways remove an empty lock file at once.
    """
    if disk.lexists(lock):
        raise FileExistsError
    with temporary(os.path.dirname(lock), 0o644) as (descriptor, hidden):
        content = _content()
        if os.write(descriptor, content) < len(content):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        kept = os.dup(descriptor)
        try:
            journal.publish(hidden, lock)
        except BaseException:
            os.close(kept)
            raise
        return kept


def _content() -> bytes:
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return orjson.dumps({"pid": os.getpid(), "createdAt": now}, option=orjson.OPT_INDENT_2)


def _owner(lock: str, stale: float) -> str | None:
    """The owner of the lock; None if it has none. An abandoned lock file is removed."""
    try:
        descriptor = disk.open(lock, os.O_RDONLY | OPEN_FLAGS)
    except OSError:
        return _owner_of_unreadable(lock, stale)
    try:
        return _judge(lock, descriptor, stale)
    finally:
        # Closed last: while it is open, no new lock file can have its inode.
        os.close(descriptor)


def _owner_of_unreadable(lock: str, stale: float) -> str | None:
    try:
        status = disk.lstat(lock)
    except OSError:
        return None
    if not _is_young(status, stale):
        with suppress(OSError):
            disk.unlink(lock)
            return None
    return "another process"


def _judge(lock: str, descriptor: int, stale: float) -> str | None:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        return "something that is not a file"
    content = os.read(descriptor, 4096)
    if not content and _is_young(status, EMPTY_SECONDS):
        return "a process that is just acquiring it"
    pid = _living_owner(lock, content, stale)
    if pid is not None:
        return f"process {pid}"
    _remove(lock, descriptor)
    if _is_still(lock, descriptor):
        return "a process that has ended, and its lock file cannot be removed"
    return None


def _is_young(status: os.stat_result, limit: float) -> bool:
    # A time in the future was written before the clock was set back: its distance counts.
    return abs(time.time() - status.st_mtime) < limit


def _living_owner(lock: str, content: bytes, stale: float) -> int | None:
    """The process that wrote this content, if it is alive and the lock is not too old."""
    try:
        value = orjson.loads(content)
        pid = value["pid"]
        created = datetime.fromisoformat(value["createdAt"])
        age = time.time() - created.timestamp()
    except (ValueError, TypeError, KeyError, OverflowError):
        return None
    if type(pid) is not int or pid <= 0 or age > stale:
        return None
    # A lock with our own process id that we do not hold was made by an earlier process.
    if pid == os.getpid() and lock not in _own:
        return None
    return pid if is_alive(pid) else None


def _remove(lock: str, descriptor: int) -> None:
    """Remove the lock file if it is the one that is open."""
    try:
        # One process at a time: between our comparison and our removal, another process of
        # sessiond could replace an abandoned lock file by its own, which we would then remove.
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return
    except OSError:
        # No such locks on this file system.
        pass
    if _is_still(lock, descriptor):
        with suppress(OSError):
            disk.unlink(lock)


def _is_still(lock: str, descriptor: int) -> bool:
    try:
        now = disk.lstat(lock)
    except OSError:
        return False
    status = os.fstat(descriptor)
    return (now.st_dev, now.st_ino) == (status.st_dev, status.st_ino)
