"""Back up a file before it is replaced."""

from __future__ import annotations

import os
import stat

from sessiond.errors import AlreadyExists, PathNotAllowed
from sessiond.files import disk, journal


def keep(path: str, descriptor: int, backup: str) -> None:
    """Back up the locked file `descriptor` at `path` under the name `backup`, which must be free.

    The backup is a hard link, so it also gets what a writer without locks still appends to the old
    file. Where the file system has no hard links it is a copy. Blocking. Raises AlreadyExists,
    WriteFailed, and journal.Replaced if `path` now names another file; no backup is left then.
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
