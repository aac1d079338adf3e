"""Files under a name of ours until they are complete, and what is left of those of dead processes.

A process holds the `flock` of its temporary file for as long as that has its name. The system gives
the lock back however a process ends, also to processes that cannot see its number; so a temporary
file that can be locked belongs to nobody, and the next process that works in its directory removes
it.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import logging
import os
import re
import secrets
import stat
import time
from collections.abc import Iterator

from sessiond.errors import PathNotAllowed
from sessiond.files import disk
from sessiond.files.identity import OPEN_FLAGS

_NEW = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL | OPEN_FLAGS
_TRIES = 5

_LOCKED = re.compile(r"\.sessiond-l[0-9a-f]{16}\.tmp")
_UNLOCKED = re.compile(r"\.sessiond-[0-9a-f]{16}\.tmp")
"""Those of sessiond before 0.2, which did not lock them."""

_FORGOTTEN_SECONDS = 24 * 60 * 60
"""Time without a change after which one without lock belongs to nobody."""

_log = logging.getLogger(__name__)


@contextlib.contextmanager
def temporary(directory: str, mode: int) -> Iterator[tuple[int, str]]:
    """A new file in `directory`: its descriptor and path. Removed at the end if it is still there.

    The name has no `.jsonl`, so that nobody takes it for a session. Raises OSError. Blocking.
    """
    sweep_once(directory)
    descriptor, path = _create(directory, mode)
    try:
        os.fchmod(descriptor, mode)
        yield descriptor, path
    finally:
        with contextlib.suppress(FileNotFoundError, PathNotAllowed):
            disk.unlink(path)
        os.close(descriptor)


def _create(directory: str, mode: int) -> tuple[int, str]:
    for _ in range(_TRIES):
        path = os.path.join(directory, f".sessiond-l{secrets.token_hex(8)}.tmp")
        descriptor = disk.open(path, _NEW, mode)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            # Another process took it for one that is left behind, and removes it.
            os.close(descriptor)
            continue
        except OSError as error:
            _log.debug("no lock on %s: %s", path, error)
        if os.fstat(descriptor).st_nlink:
            return descriptor, path
        os.close(descriptor)
    raise FileNotFoundError(2, "The new file vanishes again and again", directory)


@functools.lru_cache(maxsize=4096)
def sweep_once(directory: str) -> None:
    """As `sweep`, once in the life of this process. Blocking."""
    sweep(directory)


def sweep_all(directory: str, *, below: bool) -> None:
    """`sweep_once` for a directory, or for the directories in it. Blocking; raises nothing."""
    if not below:
        sweep_once(directory)
        return
    with contextlib.suppress(OSError, ValueError, PathNotAllowed), disk.scandir(directory) as found:
        for entry in found:
            # Not through links, which may lead anywhere.
            if entry.is_dir() and not disk.islink(entry.path):
                sweep_once(entry.path)


def sweep(directory: str) -> None:
    """Remove temporary files of sessiond that no living process has. Blocking; raises nothing."""
    try:
        names = disk.listdir(directory)
    except (OSError, ValueError, PathNotAllowed):
        return
    for name in names:
        if name.startswith(".sessiond-"):
            path = os.path.join(directory, name)
            try:
                _remove_if_left(path, name)
            except (OSError, PathNotAllowed) as error:
                _log.debug("cannot remove %s: %s", path, error)


def _remove_if_left(path: str, name: str) -> None:
    is_locked = _LOCKED.fullmatch(name) is not None
    if not is_locked and not _UNLOCKED.fullmatch(name):
        return
    descriptor = disk.open(path, os.O_RDONLY | os.O_NOFOLLOW | OPEN_FLAGS)
    try:
        seen = os.fstat(descriptor)
        if not stat.S_ISREG(seen.st_mode) or seen.st_uid != os.geteuid():
            return
        if not is_locked and abs(time.time() - seen.st_mtime) < _FORGOTTEN_SECONDS:
            return
        # Raises if a living process has it, and where there are no locks.
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        named = disk.lstat(path)
        if (named.st_dev, named.st_ino) == (seen.st_dev, seen.st_ino):
            disk.unlink(path)
            _log.info("Removed %s, which a process that is gone left behind", path)
    finally:
        os.close(descriptor)
