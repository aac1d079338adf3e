"""Temporary files for writing, and removal of those that dead processes left behind.

A process holds the `flock` of its temporary file for as long as the file has its temporary name.
The system releases the lock when the process ends in any way, and shows that also to processes in
other containers. So a temporary file that can be locked has no owner, and the next process that
writes in its directory removes it.
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
"""Names used by sessiond before 0.2, which did not lock them."""

_FORGOTTEN_SECONDS = 24 * 60 * 60
"""A file without a lock that was not changed for this long has no owner."""

_log = logging.getLogger(__name__)


@contextlib.contextmanager
def temporary(directory: str, mode: int) -> Iterator[tuple[int, str]]:
    """Create a file in `directory`, yield its descriptor and path; remove it if it is still there.

    The name does not end in `.jsonl`, so no program takes it for a session. Raises OSError.
    Blocking.
    """
    sweep_once(directory)
    descriptor, path = _create(directory, mode)
    try:
        os.fchmod(descriptor, mode)
        yield descriptor, path
    finally:
        # Renamed, or the directory is gone. `sweep_once` removes what is left otherwise.
        with contextlib.suppress(OSError, PathNotAllowed):
            disk.unlink(path)
        os.close(descriptor)


def _create(directory: str, mode: int) -> tuple[int, str]:
    for _ in range(_TRIES):
        path = os.path.join(directory, f".sessiond-l{secrets.token_hex(8)}.tmp")
        descriptor = disk.open(path, _NEW, mode)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            # Another process took it for a left-over file and is removing it.
            os.close(descriptor)
            continue
        except OSError as error:
            _log.debug("no lock on %s: %s", path, error)
        if os.fstat(descriptor).st_nlink:
            return descriptor, path
        os.close(descriptor)
    raise FileNotFoundError(2, "Another process keeps removing the temporary file", directory)


@functools.lru_cache(maxsize=4096)
def sweep_once(directory: str) -> None:
    """Call `sweep` at most once per process and directory. Blocking."""
    sweep(directory)


def sweep_all(directory: str, *, below: int) -> None:
    """Call `sweep_once` for a directory, or for the directories so far below. Blocking.

    Raises nothing.
    """
    if not below:
        sweep_once(directory)
        return
    with contextlib.suppress(OSError, PathNotAllowed):
        for path in disk.directories_in(directory):
            # Do not follow links, which may lead anywhere.
            if not disk.islink(path):
                sweep_all(path, below=below - 1)


def sweep(directory: str) -> None:
    """Remove temporary files of sessiond without a living owner. Blocking; raises nothing."""
    try:
        names = disk.listdir(directory)
    except (OSError, PathNotAllowed):
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
        # Raises if a living process holds it, and on file systems without locks.
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        named = disk.lstat(path)
        if (named.st_dev, named.st_ino) == (seen.st_dev, seen.st_ino):
            disk.unlink(path)
            _log.info("Removed %s, left behind by a process that has ended", path)
    finally:
        os.close(descriptor)
