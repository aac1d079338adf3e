"""Move a file to the trash in the user's home, by the Trash specification of freedesktop.org.

With `--root` the file is renamed relative to an open directory, so that replacing a directory above
it by a link has no effect. Blocking.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
import sys
import time
from collections.abc import Iterator
from urllib.parse import quote_from_bytes

from sessiond.errors import PathNotAllowed, SessionNotFound, Unsupported, WriteFailed
from sessiond.files import disk, journal
from sessiond.files.identity import OPEN_FLAGS

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | OPEN_FLAGS


@contextlib.contextmanager
def alone(directory: str) -> Iterator[None]:
    """Hold the lock that lets only one sessiond process use the trash at a time.

    Send2Trash chooses a free name in the trash and then renames to it, which would replace a file
    that another deletion put there in between.
    """
    descriptor = -1
    with contextlib.suppress(OSError):
        os.makedirs(directory, mode=0o700, exist_ok=True)
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield
    finally:
        if descriptor >= 0:
            os.close(descriptor)


def can_rename(path: str, data_home: str) -> bool:
    """Whether the trash below `data_home` is on the file system of the file.

    The specification wants a file of another file system in a trash there. False on macOS.
    """
    if sys.platform == "darwin":
        return False
    trash = f"{data_home}/Trash"
    while not os.path.exists(trash) and trash != os.path.dirname(trash):
        trash = os.path.dirname(trash)
    try:
        return os.stat(trash).st_dev == disk.lstat(path).st_dev
    except OSError:
        return False


def move(path: str, data_home: str) -> None:
    """Move a file to `<data_home>/Trash` and record its path; a link itself is moved.

    Raises PathNotAllowed, SessionNotFound and WriteFailed, leaving the file in place, and
    Unsupported on macOS, where only the Finder manages the trash.
    """
    if sys.platform == "darwin":
        raise Unsupported("With --root, sessions cannot be moved to the trash on macOS")
    trash = f"{data_home}/Trash"
    try:
        with alone(trash), disk.entry(path) as (directory, name):
            os.stat(name, dir_fd=directory, follow_symlinks=False)
            for part in ("info", "files"):
                os.makedirs(f"{trash}/{part}", mode=0o700, exist_ok=True)
            info, file = _record(trash, path)
            try:
                _move(directory, name, file)
            except BaseException:
                with contextlib.suppress(OSError):
                    os.unlink(info)
                raise
    except FileNotFoundError:
        raise SessionNotFound(path) from None
    except PathNotAllowed:
        raise
    except OSError as error:
        raise WriteFailed(path, error) from None


def _record(trash: str, path: str) -> tuple[str, str]:
    """Record the path of the file; returns the paths of the record and of the file in the trash."""
    text = (
        f"[Trash Info]\nPath={quote_from_bytes(os.fsencode(path))}\n"
        f"DeletionDate={time.strftime('%Y-%m-%dT%H:%M:%S')}\n"
    )
    stem, suffix = os.path.splitext(os.path.basename(path))
    number = 1
    while True:
        name = f"{stem}{suffix}" if number == 1 else f"{stem} {number}{suffix}"
        info, file = f"{trash}/info/{name}.trashinfo", f"{trash}/files/{name}"
        number += 1
        if os.path.lexists(file):
            continue
        try:
            descriptor = os.open(info, _NEW, 0o600)
        except FileExistsError:
            continue
        with os.fdopen(descriptor, "wb") as out:
            out.write(text.encode())
        return info, file


def _move(directory: int | None, name: str, file: str) -> None:
    try:
        os.rename(name, file, src_dir_fd=directory)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        _copy(directory, name, file)
        os.unlink(name, dir_fd=directory)


def _copy(directory: int | None, name: str, file: str) -> None:
    """Copy the file to another file system, completely or not at all."""
    seen = os.stat(name, dir_fd=directory, follow_symlinks=False)
    if stat.S_ISLNK(seen.st_mode):
        os.symlink(os.readlink(name, dir_fd=directory), file)
        return
    source = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | OPEN_FLAGS, dir_fd=directory)
    try:
        mode = stat.S_IMODE(os.fstat(source).st_mode)
        with disk.unconfined():
            journal.create(file, journal.chunks(source, 0), mode=mode, directories=False)
        os.utime(file, ns=(seen.st_atime_ns, seen.st_mtime_ns))
    finally:
        os.close(source)
