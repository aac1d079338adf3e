"""What is done to the bytes of session files, as blocking functions on values.

Small work is done on the event loop, big work in a worker thread; either way nothing here knows a
document. Three rules hold throughout:

- a line goes out in one `write` on a descriptor that appends, and if it cannot go out whole the
  part that did is taken back;
- a whole file appears under its name complete or not at all;
- whoever replaces a file keeps hold of the old one until nothing more arrives there: the agents
  append without locks.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import signal
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from sessiond.errors import AlreadyExists, PathNotAllowed, ReadFailed, WriteFailed
from sessiond.files import disk
from sessiond.files.identity import OPEN_FLAGS, FileState
from sessiond.files.temporary import temporary
from sessiond.jsontext.spans import Buffer

FILE_MODE = 0o600
DIRECTORY_MODE = 0o700

Render = Callable[[Sequence[Buffer]], list[Buffer]]
"""Makes the parts of a new file out of the pieces of an old one."""

_CHUNK = 1024 * 1024
_NEW = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL | OPEN_FLAGS
_LATE_WRITERS = 0.1
_CATCHING_UP = 0.5
_NO_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EACCES}


class Replaced(Exception):
    """The path names another file than the one that was to be rewritten; nothing was done."""


def append(path: str, descriptor: int, data: bytes, size: int) -> os.stat_result:
    """Append `data` to the file of `size` bytes in one write; what `stat` says afterwards.

    Raises WriteFailed, the file being as it was, unless somebody else added to it meanwhile.
    """
    try:
        written = os.write(descriptor, data)
    except OSError as error:
        raise WriteFailed(path, error) from None
    if written < len(data):
        # Disk full or a limit on file size: the system says so only if nothing at all fits.
        _take_back(descriptor, size, written)
        reason = f"only {written} of {len(data)} bytes could be written; free space and try again"
        raise WriteFailed(path, OSError(errno.ENOSPC, reason))
    return os.fstat(descriptor)


def let_finish(path: str, descriptor: int) -> None:
    """Wait for a write of somebody else that is under way.

    Readers may see the first part of a line that is still being written. Writes to one file wait
    for one another, even one of no bytes, which changes nothing. Raises WriteFailed.
    """
    try:
        os.write(descriptor, b"")
    except OSError as error:
        raise WriteFailed(path, error) from None


def fill(path: str, descriptor: int, parts: Iterable[Buffer]) -> os.stat_result:
    """Write a whole file into an empty one, keeping its name and inode.

    Raises WriteFailed, the file being empty again.
    """
    try:
        _write(descriptor, parts)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.ftruncate(descriptor, 0)
        raise WriteFailed(path, error) from None
    return os.fstat(descriptor)


def create(
    path: str, parts: Iterable[Buffer], *, mode: int = FILE_MODE, directories: bool = True
) -> os.stat_result:
    """Create a whole file that must not exist yet, with missing directories (mode 0700).

    Raises AlreadyExists if there is one, WriteFailed if it cannot be written; then there is none.
    """
    try:
        # A symbolic link that leads nowhere yet is a name for the file it leads to.
        target = disk.realpath(path)
        directory = os.path.dirname(target)
        if directories:
            disk.makedirs(directory, DIRECTORY_MODE)
        if disk.lexists(target):
            raise AlreadyExists(path)
        with temporary(directory, mode) as (descriptor, hidden):
            _write(descriptor, parts)
            # Readers must never see half of it, and the agent takes an empty file for its own.
            _publish(hidden, target)
            return os.fstat(descriptor)
    except FileExistsError:
        raise AlreadyExists(path) from None
    except PathNotAllowed:
        raise
    except OSError as error:
        raise WriteFailed(path, error) from None
    except ValueError:
        # A NUL or half a character: no file system has such a name.
        raise WriteFailed(path, OSError(errno.EINVAL, os.strerror(errno.EINVAL))) from None


def replace(path: str, parts: Iterable[Buffer], mode: int) -> None:
    """Put a whole file in the place of the one at `path`. Raises WriteFailed; that one is kept."""
    try:
        target = disk.realpath(path)
        with temporary(os.path.dirname(target), mode) as (descriptor, hidden):
            _write(descriptor, parts)
            disk.rename(hidden, target)
    except OSError as error:
        raise WriteFailed(path, error) from None


def rewrite(path: str, descriptor: int, render: Render) -> None:
    """Replace the locked file `descriptor` at `path` atomically by what `render` makes of it.

    Bytes that somebody appends to the old file while this goes on are rendered and carried over;
    for that `render` of a longer file must begin with `render` of the shorter one, else they are
    carried over as they are. Mode and owner are kept. Raises ReadFailed and WriteFailed, the
    file being as it was, and Replaced if `path` names another file. May take a while: not for the
    loop.
    """
    try:
        target = disk.realpath(path)
        old = os.fstat(descriptor)
        with temporary(os.path.dirname(target), stat.S_IMODE(old.st_mode)) as (new, hidden):
            # Others that lock must wait for the new file as they do for the old one.
            fcntl.flock(new, fcntl.LOCK_EX)
            with contextlib.suppress(PermissionError):
                os.fchown(new, old.st_uid, old.st_gid)
            carried = _Carried(path, descriptor, new, render)
            carried.all()
            os.fsync(new)
            # Once more, so that little can be missing from the new file if we die on the way.
            carried.all()
            if FileState.of(disk.stat(target)).key != FileState.of(old).key:
                raise Replaced
            disk.rename(hidden, target)
            _sync_directory(os.path.dirname(target))
            _wait_until_alone(descriptor)
            if carried.all():
                os.fsync(new)
    except PathNotAllowed:
        raise
    except OSError as error:
        raise WriteFailed(path, error) from None


class _Carried:
    """How much of an old file has arrived in the new one."""

    def __init__(self, path: str, old: int, new: int, render: Render) -> None:
        self._path = path
        self._old = old
        self._new = new
        self._render = render
        # In pieces as they were read: joining many megabytes is one step of the interpreter, and
        # the event loop would wait for it although this is a worker.
        self._pieces: list[Buffer] = []
        self._size = 0
        self._parts: list[Buffer] = []

    def all(self) -> bool:
        """Carry over until nothing is new; whether anything was.

        Somebody who never stops writing is not followed for ever: what they add before the file
        loses its name comes with the next call.
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


def _wait_until_alone(descriptor: int) -> None:
    """Give those who opened a file before it lost its name the time to write what they have.

    The system grants a lease for writing only on a file that nobody else has open; none is kept.
    Whoever keeps the file open for longer is most likely a reader, and not waited for.
    """
    if not hasattr(fcntl, "F_SETLEASE"):
        return
    deadline = time.monotonic() + _LATE_WRITERS
    with contextlib.suppress(OSError):
        # Should somebody find a way to open it just now, the signal must be a harmless one.
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        while time.monotonic() < deadline:
            try:
                fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_WRLCK)
            except BlockingIOError:
                time.sleep(0.001)
                continue
            fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
            return


def read_from(descriptor: int, start: int, end: int | None = None) -> bytes:
    """The bytes from `start` to `end` (or to where the file ends by now)."""
    return b"".join(chunks(descriptor, start, end))


def chunks(descriptor: int, start: int, end: int | None = None) -> Iterator[bytes]:
    """The same in pieces of at most 1 MiB."""
    while end is None or start < end:
        wanted = _CHUNK if end is None else min(_CHUNK, end - start)
        chunk = os.pread(descriptor, wanted, start)
        if not chunk:
            return
        start += len(chunk)
        yield chunk


def _take_back(descriptor: int, size: int, written: int) -> None:
    """Cut off a part of a line that was written, unless somebody wrote after it."""
    with contextlib.suppress(OSError):
        if os.fstat(descriptor).st_size == size + written:
            os.ftruncate(descriptor, size)


def _write(descriptor: int, parts: Iterable[Buffer]) -> None:
    with os.fdopen(descriptor, "wb", buffering=_CHUNK, closefd=False) as file:
        file.writelines(parts)


def _publish(hidden: str, target: str) -> None:
    """Give a file its name, which must be free: `rename` would replace what has it."""
    try:
        disk.link(hidden, target)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        # No hard links here (FAT, some network file systems): the name is taken first, then the
        # file put in its place.
        os.close(disk.open(target, _NEW, FILE_MODE))
        disk.rename(hidden, target)
        return
    disk.unlink(hidden)


def _sync_directory(directory: str) -> None:
    # The rename has happened; a file system that cannot sync directories takes nothing back.
    with contextlib.suppress(OSError):
        descriptor = disk.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
