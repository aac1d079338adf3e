"""The lock files of CoderClaw and OpenClaw: `<file>.lock`, beside their transcripts and stores.

The rules are those of CoderClaw 2026.3.21, so that its gateway and sessiond keep out of each
other's way, with three departures: an empty lock file is given five seconds before it counts as
left behind (its owner is between creating and writing it), a process that may not be signalled is
alive, and a lock is only taken away if it is still the one that was looked at.
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

from sessiond.errors import Busy, PathNotAllowed, WriteFailed
from sessiond.files import disk
from sessiond.files.identity import OPEN_FLAGS
from sessiond.processes import is_alive

STALE_SECONDS = 30 * 60
"""A transcript's lock older than this was forgotten, whoever holds it."""

EMPTY_SECONDS = 5.0
_STEP = 0.002
_LONGEST_PAUSE = 0.05
# A gateway looks after 50 ms, then after 100, 150 and so on up to a second. Looking costs some 20
# microseconds, so that we can look more often; who leaves gaps for whom is for the holder to say.
_own: set[str] = set()
"""Lock files this process holds."""
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | OPEN_FLAGS
_UNNAMED = os.O_WRONLY | os.O_TMPFILE | OPEN_FLAGS if hasattr(os, "O_TMPFILE") else None
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def is_transcript(path: str) -> bool:
    """Whether a session file lies where gateways keep theirs: `…/agents/<id>/sessions/`."""
    folders = os.path.dirname(disk.realname(path)).split("/")
    return len(folders) >= 3 and folders[-1] == "sessions" and folders[-3] == "agents"


def lock_path(path: str) -> str:
    directory = disk.realpath(os.path.dirname(path))
    return os.path.join(directory, os.path.basename(path) + ".lock")


def holder(path: str) -> int | None:
    """The living process that has the lock of a transcript; only looks. None: nobody has."""
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


class Held:
    """A lock file of ours, or the lack of one where there is no directory to have it in."""

    def __init__(self, lock: str, descriptor: int | None, *, waited: bool) -> None:
        self.waited = waited
        """Whether somebody else had it first."""
        self._lock = lock
        self._descriptor = descriptor

    @property
    def exists(self) -> bool:
        return self._descriptor is not None

    def still(self) -> bool:
        """Whether nobody has taken the lock away from us."""
        return self._descriptor is None or _is_still(self._lock, self._descriptor)

    def release(self) -> None:
        if self._descriptor is not None:
            _own.discard(self._lock)
            _remove(self._lock, self._descriptor)
            os.close(self._descriptor)


@asynccontextmanager
async def lock_file(
    path: str, patience: float, stale: float = STALE_SECONDS
) -> AsyncIterator[Held]:
    """Hold the lock file of `path`; raises Busy after `patience` seconds, naming the owner.

    A lock older than `stale` seconds counts as left behind. Raises WriteFailed if it cannot be
    created. A directory that is missing has no lock.
    """
    lock = lock_path(path)
    held = await _acquire(path, lock, patience, stale)
    try:
        yield held
    finally:
        held.release()


async def _acquire(path: str, lock: str, patience: float, stale: float) -> Held:
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
            return Held(lock, None, waited=False)
        except OSError as error:
            raise WriteFailed(lock, error) from None
        else:
            _own.add(lock)
            return Held(lock, descriptor, waited=attempt > 0)
        left = deadline - loop.time()
        if left <= 0:
            raise Busy(path, owner)
        attempt += 1
        await asyncio.sleep(min(_LONGEST_PAUSE, _STEP * attempt, left))


def _create(lock: str) -> int:
    """A new lock file of ours, open. Raises OSError; then none was made."""
    if disk.lexists(lock):
        raise FileExistsError
    descriptor = _create_at_once(lock)
    if descriptor is not None:
        return descriptor
    descriptor = disk.open(lock, _NEW, 0o644)
    try:
        _sign(descriptor)
    except OSError:
        # Half of it would be taken for one left behind.
        _remove(lock, descriptor)
        os.close(descriptor)
        raise
    return descriptor


def _create_at_once(lock: str) -> int | None:
    """The same with what it says in it from the first moment on; None where that cannot be done.

    Gateways do not wait for the owner of an empty one: they take it away.
    """
    if _UNNAMED is None:
        return None
    try:
        descriptor = disk.open(os.path.dirname(lock), _UNNAMED, 0o644)
    except OSError as error:
        if error.errno in {errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL}:
            # Not on this file system.
            return None
        raise
    named = False
    try:
        _sign(descriptor)
        disk.link_descriptor(descriptor, lock)
        named = True
    except FileExistsError:
        raise
    except OSError as error:
        if error.errno in _FULL:
            raise
        return None
    finally:
        if not named:
            os.close(descriptor)
    return descriptor


def _sign(descriptor: int) -> None:
    content = _content()
    if os.write(descriptor, content) < len(content):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _content() -> bytes:
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return orjson.dumps({"pid": os.getpid(), "createdAt": now}, option=orjson.OPT_INDENT_2)


def _owner(lock: str, stale: float) -> str | None:
    """Who holds the lock; None if nobody does (any more), a lock left behind being removed."""
    try:
        descriptor = disk.open(lock, os.O_RDONLY | OPEN_FLAGS)
    except OSError:
        return _owner_of_unreadable(lock, stale)
    try:
        return _judge(lock, descriptor, stale)
    finally:
        # Not before: as long as it is open no new lock file can have its inode.
        os.close(descriptor)


def _owner_of_unreadable(lock: str, stale: float) -> str | None:
    try:
        seen = disk.lstat(lock)
    except OSError:
        return None
    if not _is_young(seen, stale):
        with suppress(OSError):
            disk.unlink(lock)
            return None
    return "another process"


def _judge(lock: str, descriptor: int, stale: float) -> str | None:
    seen = os.fstat(descriptor)
    if not stat.S_ISREG(seen.st_mode):
        return "something that is no file"
    content = os.read(descriptor, 4096)
    if not content and _is_young(seen, EMPTY_SECONDS):
        return "a process that is just taking it"
    pid = _living_owner(lock, content, stale)
    if pid is not None:
        return f"process {pid}"
    _remove(lock, descriptor)
    return "a process that is gone, but it is not removed" if _is_still(lock, descriptor) else None


def _is_young(seen: os.stat_result, limit: float) -> bool:
    # One from the future is from before the clock was set, and as old as it looks.
    return abs(time.time() - seen.st_mtime) < limit


def _living_owner(lock: str, content: bytes, stale: float) -> int | None:
    """The process that wrote this, if it is alive and has not forgotten its lock."""
    try:
        value = orjson.loads(content)
        pid = value["pid"]
        created = datetime.fromisoformat(value["createdAt"])
        age = time.time() - created.timestamp()
    except (ValueError, TypeError, KeyError, OverflowError):
        return None
    if type(pid) is not int or pid <= 0 or age > stale:
        return None
    # One of our own number that we do not hold is from a process before us.
    if pid == os.getpid() and lock not in _own:
        return None
    return pid if is_alive(pid) else None


def _remove(lock: str, descriptor: int) -> None:
    """Take the lock file away if it is the one that is open."""
    try:
        # One process at a time: between looking and deleting another one of ours could put its own
        # in the place of one left behind, which would then be what is deleted.
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
    seen = os.fstat(descriptor)
    return (now.st_dev, now.st_ino) == (seen.st_dev, seen.st_ino)
