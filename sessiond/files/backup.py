"""Keeping the file that is about to be replaced."""

from __future__ import annotations

import os
import stat

from sessiond.errors import AlreadyExists, PathNotAllowed
from sessiond.files import disk, journal


def keep(path: str, descriptor: int, backup: str) -> None:
    """Give the locked file `descriptor` at `path` the further name `backup`, which must be free.

    It is the old file itself, with what somebody without locks may still add to it; a copy where
    no file can have two names. Blocking. Raises AlreadyExists, WriteFailed, and journal.Replaced if
    `path` names another file by now; there is no backup then.
    """
    held = os.fstat(descriptor)
    try:
        disk.link(disk.realpath(path), backup)
    except FileExistsError:
        raise AlreadyExists(backup) from None
    except PathNotAllowed:
        raise
    except OSError:
        mode = stat.S_IMODE(held.st_mode)
        journal.create(backup, journal.chunks(descriptor, 0), mode=mode, directories=False)
        return
    kept = disk.stat(backup)
    if (kept.st_dev, kept.st_ino) != (held.st_dev, held.st_ino):
        disk.unlink(backup)
        raise journal.Replaced
