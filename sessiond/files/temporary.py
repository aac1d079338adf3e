"""Temporary files for writing, and removal of those that killed processes left behind."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import stat
import time
from collections.abc import Iterator

from sessiond.files import disk
from sessiond.files.identity import OPEN_FLAGS
from sessiond.runtime.errors import PathNotAllowed

_NEW = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL | OPEN_FLAGS
_NAME = re.compile(r"\.sessiond-[0-9a-f]{16}\.tmp")
_LEFT_SECONDS = 24 * 60 * 60
"""No process writes a temporary file for so long."""

_log = logging.getLogger(__name__)


@contextlib.contextmanager
def temporary(directory: str, mode: int) -> Iterator[tuple[int, str]]:
    """Create a file in `directory`, yield its descriptor and path; remove it if it is still there.

    The name does not end in `.jsonl`, so no program takes it for a session. Raises OSError.
    Blocking.
    """
    path = os.path.join(directory, f".sessiond-{os.urandom(8).hex()}.tmp")
    descriptor = disk.open(path, _NEW, mode)
    try:
        os.fchmod(descriptor, mode)
        yield descriptor, path
    finally:
        # Renamed, or the directory is gone. `sweep` removes what is left otherwise.
        with contextlib.suppress(OSError, PathNotAllowed):
            disk.unlink(path)
        os.close(descriptor)


def sweep(directory: str, *, below: int) -> None:
    """Remove old temporary files in a directory, or in the directories so far below.

    Blocking; raises nothing.
    """
    with contextlib.suppress(OSError, PathNotAllowed):
        if below:
            for path in disk.directories_in(directory):
                # Do not follow links, which may lead anywhere.
                if not disk.islink(path):
                    sweep(path, below=below - 1)
            return
        for name in filter(_NAME.fullmatch, disk.listdir(directory)):
            path = os.path.join(directory, name)
            status = disk.lstat(path)
            # Clocks may have been set back.
            is_old = abs(time.time() - status.st_mtime) > _LEFT_SECONDS
            if is_old and stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid():
                disk.unlink(path)
                _log.info("Removed %s, left behind by a process that has ended", path)
