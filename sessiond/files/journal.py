"""Blocking functions that write session files.

They run on the event loop for small data and in a worker thread for large data, and know nothing
of documents. Three rules hold throughout:

- a line is appended with one `write`; if it is written only in part, that part becomes blank;
- a new file appears under its name complete or not at all, and never in place of another one;
- after a file is replaced, what is appended to the old one is copied for a moment longer, because
  the agents append without locks.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import logging
import os
import stat
import time
from collections.abc import Callable, Iterable, Sequence

from sessiond.files import disk
from sessiond.files.durable import settle, sync_directory
from sessiond.files.identity import OPEN_FLAGS, FileState, chunks
from sessiond.files.own_writes import OWN_WRITES
from sessiond.files.temporary import temporary
from sessiond.runtime.errors import AlreadyExists, PathNotAllowed, ReadFailed, WriteFailed
from sessiond.runtime.processes import processes_writing
from sessiond.text.spans import Buffer

FILE_MODE = 0o600
DIRECTORY_MODE = 0o700

Render = Callable[[Sequence[Buffer]], list[Buffer]]
"""Computes the parts of a new file from the pieces of an old one."""

_CHUNK = 1024 * 1024
_NEW = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL | OPEN_FLAGS
_LATE_WRITERS = 0.1
"""Seconds after a file was replaced until the last bytes are copied from the old one."""
_LATEST_WRITERS = 2.0
"""The same while another program still has the old file open for writing."""
_CATCHING_UP = 0.5
_NO_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EACCES}
_NO_RENAME = {errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP}

logger = logging.getLogger(__name__)


class Replaced(Exception):
    """The path no longer names the file that was to be rewritten; nothing was done."""


def append(path: str, descriptor: int, data: bytes) -> os.stat_result:
    """Append whole lines to the file with one write, and return its `stat` afterwards.

    Raises WriteFailed if there is no space for all of them; at most a blank line is left then.
    """
    try:
        written = os.write(descriptor, data)
    except OSError as error:
        raise WriteFailed(path, error) from None
    if written < len(data):
        # Disk full or file size limit: the system raises an error only if not one byte fits.
        blank(descriptor, _before(descriptor, written))
        reason = f"only {written} of {len(data)} bytes could be written"
        raise WriteFailed(path, OSError(errno.ENOSPC, f"{reason}; free space and try again"))
    return os.fstat(descriptor)


def fill(path: str, descriptor: int, parts: Iterable[Buffer]) -> os.stat_result:
    """Write the whole content into an empty file, keeping its name and inode.

    Raises WriteFailed; the file is then empty again, or has what another program has appended
    meanwhile and blank lines before it.
    """
    places: list[slice] = []
    try:
        left = memoryview(b"".join(parts))
        while left:
            written = os.write(descriptor, left)
            left = left[written:]
            # Others may append between two of them.
            places.append(_before(descriptor, written))
    except OSError as error:
        with contextlib.suppress(OSError):
            if os.fstat(descriptor).st_size == sum(place.stop - place.start for place in places):
                os.ftruncate(descriptor, 0)
        for place in places:
            blank(descriptor, place)
        raise WriteFailed(path, error) from None
    return os.fstat(descriptor)


def create(
    path: str,
    parts: Iterable[Buffer],
    *,
    mode: int = FILE_MODE,
    directories: bool = True,
    times: os.stat_result | None = None,
    settled: bool = False,
) -> os.stat_result:
    """Create a file with its whole content, and missing directories (mode 0700).

    `times`: those of the file that it is a copy of. `settled`: return when it is on disk, because
    what it is a copy of may be removed then. Raises AlreadyExists if the file exists, WriteFailed
    if it cannot be written; nothing is created then.
    """
    try:
        # A broken symbolic link is a name for the file it points to.
        target = disk.realpath(path)
        directory = os.path.dirname(target)
        if directories:
            disk.makedirs(directory, DIRECTORY_MODE)
        if disk.lexists(target):
            raise AlreadyExists(path)
        with temporary(directory, mode) as (descriptor, hidden):
            _write(descriptor, parts)
            if times is not None:
                os.utime(descriptor, ns=(times.st_atime_ns, times.st_mtime_ns))  # noqa: TID251 - open
            if settled:
                os.fsync(descriptor)
            # Readers must never see half of it, and the agent writes a header into an empty file.
            publish(hidden, target)
            if settled:
                sync_directory(directory)
            status = os.fstat(descriptor)
            OWN_WRITES.note(None, status)
            return status
    except FileExistsError:
        raise AlreadyExists(path) from None
    except PathNotAllowed:
        raise
    except OSError as error:
        raise WriteFailed(path, error) from None


def replace(path: str, parts: Iterable[Buffer], mode: int) -> None:
    """Replace the file at `path` atomically. Raises WriteFailed; the old file is then kept."""
    try:
        target = disk.realpath(path)
        with temporary(os.path.dirname(target), mode) as (descriptor, hidden):
            _write(descriptor, parts)
            settle(hidden, descriptor)
            disk.rename(hidden, target)
            _sync_names(target)
    except OSError as error:
        raise WriteFailed(path, error) from None


def rewrite(path: str, descriptor: int, render: Render, target: str | None = None) -> str | None:
    """Replace the locked file `descriptor` at `path` atomically by the result of `render`.

    With `target`, that file gets this name, which must be free, on any file system, and the old
    file is removed then. Bytes that other programs append to the old file meanwhile are rendered
    and copied as well; if `render` of the longer file does not begin with `render` of the shorter
    one, they are copied unchanged. Mode and owner are kept. Returns a warning of programs that keep
    writing to the old file, which is also logged. Raises AlreadyExists, ReadFailed and
    WriteFailed, leaving the file unchanged and in its place, and Replaced if `path` names another
    file. Slow: must run in a worker.
    """
    try:
        source = disk.realpath(path)
        place = source if target is None else target
        if target is not None:
            disk.makedirs(os.path.dirname(target), DIRECTORY_MODE)
        old = os.fstat(descriptor)
        with temporary(os.path.dirname(place), stat.S_IMODE(old.st_mode)) as (new, hidden):
            # Other processes that lock must wait for the new file as for the old one.
            fcntl.flock(new, fcntl.LOCK_EX)
            with contextlib.suppress(PermissionError):
                os.fchown(new, old.st_uid, old.st_gid)
            carried = _Carried(path, descriptor, new, render)
            carried.all()
            settle(hidden, new)
            # Once more, so that little is missing from the new file if this process dies now.
            carried.all()
            _check_named(source, old)
            if target is None:
                disk.rename(hidden, source)
            else:
                _move(hidden, new, source, old, target)
            _sync_names(source)
            _sync_names(place)
            warning = _carry_late(carried, new, path, place)
            OWN_WRITES.note(FileState.of(old), os.fstat(new))
    except FileExistsError:
        raise AlreadyExists(target or path) from None
    except PathNotAllowed:
        raise
    except OSError as error:
        raise WriteFailed(target or path, error) from None
    if warning is not None:
        logger.warning("%s", warning)
    return warning


def _check_named(source: str, old: os.stat_result) -> None:
    if FileState.of(disk.stat(source)).key != FileState.of(old).key:
        raise Replaced


def _move(hidden: str, new: int, source: str, old: os.stat_result, target: str) -> None:
    """Publish the new file and remove the old one, or do neither."""
    publish(hidden, target)
    try:
        settle(target, new)
        _check_named(source, old)
        disk.unlink(source)
    except BaseException:
        with contextlib.suppress(OSError, PathNotAllowed):
            disk.unlink(target)
        raise


def _carry_late(carried: _Carried, new: int, path: str, place: str) -> str | None:
    """Copy what programs append to the old file that opened it before it was replaced.

    Ends when none has it open for writing, or after some seconds; returns a warning then.
    """
    deadline = time.monotonic() + _LATEST_WRITERS
    time.sleep(_LATE_WRITERS)
    while True:
        grew = carried.all()
        if grew:
            os.fsync(new)
        left = processes_writing(carried.state.key)
        if not (left or grew) or time.monotonic() > deadline:
            break
        time.sleep(_LATE_WRITERS)
    if left:
        programs = " and ".join(f"process {pid}" for pid in sorted(left))
        return (
            f"{programs} still has the old file of {path} open: what it writes there from now on"
            f" is not in {place}"
        )
    if place != disk.realname(path) and disk.lexists(path):
        return f"A program has written to {path} again since it became {place}"
    return None


class _Carried:
    """Copies an old file to a new one, including what is appended meanwhile."""

    def __init__(self, path: str, old: int, new: int, render: Render) -> None:
        self._path = path
        self._old = old
        self._new = new
        self._render = render
        # Kept in pieces: joining many megabytes is a single step of the interpreter, for which
        # the event loop would have to wait although this is a worker thread.
        self._pieces: list[Buffer] = []
        self._size = 0
        self._parts: list[Buffer] = []
        self.state = FileState.of(os.fstat(old))

    def all(self) -> bool:
        """Copy until nothing is new; returns whether anything was.

        Ends after some time even if a program never stops writing: the next call copies the rest.
        """
        any_new = False
        deadline = time.monotonic() + _CATCHING_UP
        while os.fstat(self._old).st_size > self._size:
            self._some()
            any_new = True
            if time.monotonic() > deadline:
                break
        return any_new

    def _some(self) -> None:
        try:
            added: list[Buffer] = list(chunks(self._old, self._size))
        except OSError as error:
            raise ReadFailed(self._path, error) from None
        first = not self._pieces
        self._pieces += added
        self._size += sum(map(len, added))
        parts = self._render(self._pieces)
        if not first:
            before, after = b"".join(self._parts), b"".join(parts)
            if after.startswith(before):
                _write(self._new, [after[len(before) :]])
            else:
                _write(self._new, added)
                parts = [*self._parts, *added]
        else:
            _write(self._new, parts)
        self._parts = parts


def blank(descriptor: int, place: slice) -> None:
    """Make a part of a line that was written a blank line, where the file still has it.

    It is not cut off, because another program may append at any moment, which then would be cut
    off with it.
    """
    flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
    with contextlib.suppress(OSError):
        # Otherwise the system appends, whatever the place.
        fcntl.fcntl(descriptor, fcntl.F_SETFL, flags & ~os.O_APPEND)
        try:
            end = min(place.stop, os.fstat(descriptor).st_size)
            for start in range(place.start, end, _CHUNK):
                stop = min(start + _CHUNK, end)
                space = b" " * (stop - start - (stop == end)) + b"\n" * (stop == end)
                os.pwrite(descriptor, space, start)
        finally:
            fcntl.fcntl(descriptor, fcntl.F_SETFL, flags)


def _before(descriptor: int, count: int) -> slice:
    """The place of the last bytes that were written through a descriptor."""
    end = os.lseek(descriptor, 0, os.SEEK_CUR)
    return slice(end - count, end)


def _write(descriptor: int, parts: Iterable[Buffer]) -> None:
    with os.fdopen(descriptor, "wb", buffering=_CHUNK, closefd=False) as file:
        file.writelines(parts)


def publish(hidden: str, target: str) -> None:
    """Give a file its name, which must be free, and no longer the old one.

    `rename` would replace a file that appears there meanwhile. Raises FileExistsError and OSError;
    then the name is as it was.
    """
    try:
        disk.link(hidden, target)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        _publish_without_links(hidden, target)
    else:
        # The file has its name; `temporary` tries again.
        with contextlib.suppress(OSError):
            disk.unlink(hidden)


def move(source: str, target: str) -> None:
    """Rename a file to a name that is free. Raises FileExistsError and OSError."""
    try:
        disk.rename_exclusively(source, target)
    except OSError as error:
        if error.errno not in _NO_RENAME:
            raise
        publish(source, target)


def _publish_without_links(hidden: str, target: str) -> None:
    """Publish a file on FAT and some network file systems."""
    try:
        disk.rename_exclusively(hidden, target)
    except OSError as error:
        if error.errno not in _NO_RENAME:
            raise
        _copy_exclusively(hidden, target)


def _copy_exclusively(hidden: str, target: str) -> None:
    source = disk.open(hidden, os.O_RDONLY | OPEN_FLAGS)
    try:
        descriptor = disk.open(target, _NEW, stat.S_IMODE(os.fstat(source).st_mode))
        try:
            _write(descriptor, chunks(source, 0))
            settle(target, descriptor)
            disk.unlink(hidden)
        except BaseException:
            with contextlib.suppress(OSError):
                disk.unlink(target)
            raise
        finally:
            os.close(descriptor)
    finally:
        os.close(source)


def _sync_names(path: str) -> None:
    # The file has its name already, so a file system that cannot sync directories is no error.
    with contextlib.suppress(OSError):
        sync_directory(os.path.dirname(path))
