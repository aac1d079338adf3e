"""Back up a file before it is replaced."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator

from sessiond.files import disk, journal
from sessiond.files.durable import settle
from sessiond.files.identity import chunks
from sessiond.runtime.errors import AlreadyExists, PathNotAllowed, WriteFailed


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
        parts = chunks(descriptor, 0)
        journal.create(backup, parts, mode=mode, directories=False, settled=True)
        return
    with removed_on_failure(backup):
        try:
            kept = disk.stat(backup)
            settle(backup, descriptor)
        except PathNotAllowed:
            raise
        except OSError as error:
            raise WriteFailed(path, error) from None
        if (kept.st_dev, kept.st_ino) != (held.st_dev, held.st_ino):
            raise journal.Replaced


@contextlib.contextmanager
def removed_on_failure(backup: str) -> Iterator[None]:
    """Remove the backup if the body fails, because the file is then unchanged. Blocking."""
    try:
        yield
    except BaseException:
        # The directory may be gone, and the backup with it: the failure of the body is reported.
        with contextlib.suppress(OSError, PathNotAllowed):
            disk.unlink(backup)
        raise
