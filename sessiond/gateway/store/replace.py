"""Putting a new text in the place of a store's file, and keeping what was there where asked to."""

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
from sessiond.files.locks.lock_file import Held
from sessiond.files.temporary import temporary

_MODE = 0o600
_BACKUPS = 3


@attrs.frozen
class Guard:
    """Asked right before a new file takes the store's place; raises if it must not."""

    path: str
    state: FileState | None
    """Of the file that was read; None: there was none."""
    lock: Held
    check: Callable[[], None]

    def __call__(self) -> None:
        """Raise Busy if the lock is lost, StoreChanged if the file is not the one that was read.

        OpenClaw writes without the lock from 2026.5.2 on. What it writes between this look and the
        rename is still lost; a store that has vanished is written with all that was in it.
        """
        if not self.lock.still():
            # What is there now may hold what the new text does not.
            raise Busy(self.path, "another process, which took the lock over")
        self.check()
        seen = stat_regular(self.path)
        if seen is not None and (self.state is None or not self.state.is_content_of(seen)):
            raise StoreChanged(self.path)


def make_directory(path: str) -> None:
    """The directory a store is to lie in, for the user alone. Raises WriteFailed."""
    try:
        disk.makedirs(os.path.dirname(path), journal.DIRECTORY_MODE)
    except FileExistsError:
        raise WriteFailed(path, OSError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))) from None
    except OSError as error:
        raise WriteFailed(path, error) from None
    except ValueError:
        # A NUL or half a character: no file system has such a name.
        raise WriteFailed(path, OSError(errno.EINVAL, os.strerror(errno.EINVAL))) from None


def check_writable(path: str) -> None:
    """Raises WriteFailed for a file that is marked as one not to be written."""
    try:
        # Renaming another file over it would not ask.
        mode = disk.stat(path).st_mode
    except OSError:
        return
    if not mode & 0o222:
        raise WriteFailed(path, PermissionError(errno.EACCES, "The file is read-only"))


def check_ours(path: str) -> None:
    """Raises GatewayRejected for a file that cannot have been a store, by its name.

    Asked of one that holds something else: a path mistaken for a store's, or a link that leads
    elsewhere, must not cost anybody a file.
    """
    target = disk.realpath(path)
    if not target.endswith(".json"):
        where = path if target == path else f"{path} (that is, {target})"
        message = f"{where} holds something else than a store; it is left as it is"
        raise GatewayRejected(message, "storePath")


def replace(path: str, text: bytes, guard: Callable[[], None]) -> int | None:
    """Replace the file at once and as a whole; mode 0600. A symbolic link stays one.

    Returns a descriptor of the old file, if there was one, to be closed when there is time: the
    system frees its pages then, which may take longer than everything here. Raises WriteFailed,
    and what `guard` raises: it is asked when the new file is ready.
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
        guard()
        disk.rename(path, target)


def put_aside(path: str, text: bytes) -> str:
    """Keep what cannot be understood, before it is written over. Raises WriteFailed."""
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
    """Keep the file as it is as a backup, with the newest of those there are.

    None if that cannot be done, which keeps nobody from writing.
    """
    target = disk.realpath(path)
    ms = time.time_ns() // 1_000_000
    while disk.lexists(backup := f"{target}.bak.{ms}"):
        ms += 1
    try:
        try:
            # A second name and not a new one, so that readers see the store at every moment.
            disk.link(target, backup)
        except OSError:
            # No hard links here.
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
    # Others by similar names are somebody else's.
    ours = re.compile(re.escape(os.path.basename(target)) + r"\.bak\.(\d+)", re.ASCII)
    found = [match for name in disk.listdir(directory) if (match := ours.fullmatch(name))]
    found.sort(key=lambda match: int(match[1]))
    for match in found[:-_BACKUPS]:
        with suppress(OSError):
            disk.unlink(os.path.join(directory, match[0]))
