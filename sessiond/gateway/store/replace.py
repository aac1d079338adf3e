"""Replace the file of a store atomically, and keep backups of what it held."""

from __future__ import annotations

import errno
import os
import re
import stat
import time
from collections.abc import Callable
from contextlib import suppress

import attrs

from sessiond.errors import AlreadyExists, Busy, GatewayRejected, StoreChanged, WriteFailed
from sessiond.files import disk, journal
from sessiond.files.identity import OPEN_FLAGS, FileState, OpenedFile, stat_regular
from sessiond.files.locks.lock_file import HeldLock
from sessiond.files.temporary import temporary

_MODE = 0o600
_BACKUPS = 3


@attrs.frozen
class Guard:
    """Checks right before the rename that the store may be replaced."""

    path: str
    state: FileState | None
    """State of the file that was read; None if there was none."""
    lock: HeldLock
    check: Callable[[], None]

    def __call__(self) -> None:
        """Raise Busy if the lock is lost, StoreChanged if the file has changed since it was read.

        OpenClaw writes without the lock from 2026.5.2 on. A write between this check and the rename
        is still lost. A store that has vanished is written again in full.
        """
        if not self.lock.still():
            # The file may now hold changes that the new text lacks.
            raise Busy(self.path, "another process, which replaced our lock")
        self.check()
        seen = stat_regular(self.path)
        if seen is not None and (self.state is None or not self.state.is_content_of(seen)):
            raise StoreChanged(self.path)


def make_directory(path: str) -> None:
    """Create the directory of a store, with access for the user alone. Raises WriteFailed."""
    try:
        disk.makedirs(os.path.dirname(path), journal.DIRECTORY_MODE)
    except FileExistsError:
        raise WriteFailed(path, OSError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))) from None
    except OSError as error:
        raise WriteFailed(path, error) from None


def check_writable(path: str) -> None:
    """Raise WriteFailed for a read-only file."""
    try:
        # A rename would replace it without this check.
        mode = disk.stat(path).st_mode
    except OSError:
        return
    if not mode & 0o222:
        raise WriteFailed(path, PermissionError(errno.EACCES, "The file is read-only"))


def check_is_store(path: str) -> None:
    """Raise GatewayRejected for a damaged file that is not called `*.json`.

    A file that is neither a store nor `*.json` is never overwritten: the path may be a mistake, or
    a link that leads elsewhere.
    """
    target = disk.realpath(path)
    if not target.endswith(".json"):
        where = path if target == path else f"{path} (that is, {target})"
        message = f"{where} is not a store; it is not overwritten"
        raise GatewayRejected(message, "storePath")


def replace(path: str, text: bytes, guard: Callable[[], None]) -> int | None:
    """Replace the file atomically, with mode 0600. A symbolic link remains.

    Returns a descriptor of the old file, if there was one, to be closed later: closing frees its
    pages, which may take longer than the rest. Raises WriteFailed, and whatever `guard` raises,
    which is called when the new file is complete.
    """
    target = disk.realpath(path)
    old = _opened(target)
    try:
        _replace(target, text, guard)
    except BaseException as error:
        if old is not None:
            os.close(old)
        if isinstance(error, OSError):
            raise WriteFailed(path, error) from None
        raise
    return old


def _opened(target: str) -> int | None:
    try:
        return disk.open(target, os.O_RDONLY | OPEN_FLAGS)
    except OSError:
        return None


def _replace(target: str, text: bytes, guard: Callable[[], None]) -> None:
    with temporary(os.path.dirname(target), _MODE) as (descriptor, path):
        left = memoryview(text)
        while left:
            left = left[os.write(descriptor, left) :]
        # Without it the file may be empty after a power cut, and the old one is gone.
        os.fsync(descriptor)
        guard()
        disk.rename(path, target)


def keep_damaged(path: str, text: bytes) -> str:
    """Save a damaged store as a copy before it is overwritten. Raises WriteFailed."""
    ms = time.time_ns() // 1_000_000
    while True:
        copy = f"{path}.corrupt.{ms}"
        try:
            journal.create(copy, [text])
        except AlreadyExists:
            ms += 1
        else:
            return copy


def rotate(path: str) -> str | None:
    """Back the file up, and delete all but the newest backups.

    Returns None if that fails, which does not prevent writing.
    """
    target = disk.realpath(path)
    ms = time.time_ns() // 1_000_000
    while disk.lexists(backup := f"{target}.bak.{ms}"):
        ms += 1
    try:
        try:
            # A hard link and not a rename, so that readers always see the store.
            disk.link(target, backup)
        except OSError:
            # The file system has no hard links.
            _copy(target, backup)
        _prune(target)
    except OSError:
        return None
    return backup


def _copy(source: str, target: str) -> None:
    with OpenedFile(source) as (descriptor, state):
        seen = os.fstat(descriptor)
        parts = journal.chunks(descriptor, 0, state.size)
        journal.create(target, parts, mode=stat.S_IMODE(seen.st_mode), directories=False)


def _prune(target: str) -> None:
    directory = os.path.dirname(target)
    # Other files with similar names are not our backups.
    ours = re.compile(re.escape(os.path.basename(target)) + r"\.bak\.(\d+)", re.ASCII)
    backups = [match for name in disk.listdir(directory) if (match := ours.fullmatch(name))]
    backups.sort(key=lambda match: int(match[1]))
    for match in backups[:-_BACKUPS]:
        with suppress(OSError):
            disk.unlink(os.path.join(directory, match[0]))
