"""Moving a file to the trash of the user's home, by the Trash specification of freedesktop.org.

For a daemon that is confined (`--root`): the file is moved out of a directory that is held open, so
that a link put in the place of a directory above it changes nothing. Blocking.
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
    """One deletion at a time, in all our processes.

    Send2Trash looks for a free name in the trash and then renames to it, over whatever another
    deletion has put there in between.
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


def move(path: str, data_home: str) -> None:
    """Move a file to `<data_home>/Trash`, its place recorded; of a link it is the link that goes.

    Raises PathNotAllowed, SessionNotFound, WriteFailed, the file being where it was, and
    Unsupported on macOS, where the Finder alone knows the trash.
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
                os.unlink(info)
                raise
    except FileNotFoundError:
        raise SessionNotFound(path) from None
    except PathNotAllowed:
        raise
    except OSError as error:
        raise WriteFailed(path, error) from None


def _record(trash: str, path: str) -> tuple[str, str]:
    """Write down where the file was; the record and the free name it belongs to."""
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
    """The same file on another file system, complete or not at all."""
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
