"""Put files on disk before what they were made from is removed.

Without it, a power cut may keep the removal and lose the copy.
"""

from __future__ import annotations

import errno
import os

from sessiond.files import disk
from sessiond.files.identity import OPEN_FLAGS

_UNSYNCED = {errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.EBADF}
"""Errors of file systems that cannot sync a file or a directory."""
_CLOSED = {errno.EACCES, errno.EPERM}
"""A directory that may be written, but not opened."""


def settle(path: str, descriptor: int | None = None) -> None:
    """Put a file and the entry of its name on disk. Blocking.

    Everything that removes or replaces a file after it was copied, moved or recorded calls this
    first, for the copy and for the record. `descriptor` is the file if it is open. A link has no
    content but its entry. Raises OSError; then nothing may be removed.
    """
    if descriptor is not None:
        _sync(descriptor)
    elif disk.is_file(path):
        opened = disk.open(path, os.O_RDONLY | os.O_NOFOLLOW | OPEN_FLAGS)
        try:
            _sync(opened)
        finally:
            os.close(opened)
    sync_directory(os.path.dirname(path))


def sync_directory(directory: str) -> None:
    """Put the names in a directory on disk. Raises OSError. Blocking."""
    try:
        descriptor = disk.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in _CLOSED:
            return
        raise
    try:
        _sync(descriptor)
    finally:
        os.close(descriptor)


def _sync(descriptor: int) -> None:
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _UNSYNCED:
            raise
