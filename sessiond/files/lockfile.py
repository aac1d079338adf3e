"""The lock files of CoderClaw and OpenClaw: `<file>.lock`, honoured for transcripts of theirs.

The rules are those of CoderClaw 2026.3.21, so that its gateway and sessiond keep out of each
other's way, with three departures: an empty lock file is given five seconds before it counts as
left behind (its owner is between creating and writing it), a process that may not be signalled is
alive, and a lock is only taken away if it is still the one that was looked at.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime

import orjson

from sessiond.errors import Busy, WriteFailed
from sessiond.files.identity import OPEN_FLAGS
from sessiond.processes import is_alive

STALE_SECONDS = 30 * 60
"""A transcript's lock older than this was forgotten, whoever holds it."""

EMPTY_SECONDS = 5.0
_STEP = 0.05
_LONGEST_PAUSE = 1.0
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | OPEN_FLAGS


def is_transcript(path: str) -> bool:
    """Whether a session file lies where gateways keep theirs: `…/agents/<id>/sessions/`."""
    folders = os.path.dirname(os.path.realpath(path)).split("/")
    return len(folders) >= 3 and folders[-1] == "sessions" and folders[-3] == "agents"


def lock_path(path: str) -> str:
    directory = os.path.realpath(os.path.dirname(path))
    return os.path.join(directory, os.path.basename(path) + ".lock")


@asynccontextmanager
async def lock_file(path: str, patience: float) -> AsyncIterator[None]:
    """Hold the lock file of `path`; raises Busy after `patience` seconds, naming the owner.

    Raises WriteFailed if it cannot be created. A directory that is missing has no lock.
    """
    lock = lock_path(path)
    descriptor = await _acquire(path, lock, patience)
    if descriptor is None:
        yield
        return
    try:
        yield
    finally:
        _release(lock, descriptor)


async def _acquire(path: str, lock: str, patience: float) -> int | None:
    loop = asyncio.get_running_loop()
    deadline = loop.time() + patience
    attempt = 0
    while True:
        try:
            descriptor = os.open(lock, _NEW, 0o644)
        except FileExistsError:
            owner = _owner(lock)
            if owner is None:
                continue
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise WriteFailed(lock, error) from None
        else:
            os.write(descriptor, _content())
            return descriptor
        left = deadline - loop.time()
        if left <= 0:
            raise Busy(path, owner)
        attempt += 1
        await asyncio.sleep(min(_LONGEST_PAUSE, _STEP * attempt, left))


def _content() -> bytes:
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return orjson.dumps({"pid": os.getpid(), "createdAt": now}, option=orjson.OPT_INDENT_2)


def _owner(lock: str) -> str | None:
    """Who holds the lock; None if nobody does (any more), a lock left behind being removed."""
    try:
        descriptor = os.open(lock, os.O_RDONLY | OPEN_FLAGS)
    except OSError:
        return None if not os.path.lexists(lock) else "another process"
    try:
        seen = os.fstat(descriptor)
        content = os.read(descriptor, 4096)
    finally:
        os.close(descriptor)
    if not content and time.time() - seen.st_mtime < EMPTY_SECONDS:
        return "a process that is just taking it"
    pid = _living_owner(content)
    if pid is not None:
        return f"process {pid}"
    _remove(lock, seen)
    return "a process that is gone, and it cannot be removed" if _is_still(lock, seen) else None


def _living_owner(content: bytes) -> int | None:
    """The process that wrote this, if it is alive and has not forgotten its lock."""
    try:
        value = orjson.loads(content)
        pid = value["pid"]
        created = datetime.fromisoformat(value["createdAt"])
        age = time.time() - created.timestamp()
    except (ValueError, TypeError, KeyError, OverflowError):
        return None
    if not isinstance(pid, int) or pid <= 0 or age > STALE_SECONDS:
        return None
    # Documents take turns in this process, so one of our own number is from a process before us.
    if pid == os.getpid():
        return None
    return pid if is_alive(pid) else None


def _release(lock: str, descriptor: int) -> None:
    _remove(lock, os.fstat(descriptor))
    os.close(descriptor)


def _remove(lock: str, seen: os.stat_result) -> None:
    if _is_still(lock, seen):
        with suppress(OSError):
            os.unlink(lock)


def _is_still(lock: str, seen: os.stat_result) -> bool:
    try:
        now = os.lstat(lock)
    except OSError:
        return False
    return (now.st_dev, now.st_ino) == (seen.st_dev, seen.st_ino)
