"""Which file a path names, and what was last seen of it."""

from __future__ import annotations

import errno
import os
import stat

import attrs

from sessiond.errors import PathNotAllowed, ReadFailed, SessionNotFound
from sessiond.files import disk

OPEN_FLAGS = os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
"""In every open: a FIFO or a terminal under a session's name must never make us wait."""

_TICK_NS = 50_000_000
"""Longer than the clock by which systems stamp their files stands still."""

_COARSE_TICK_NS = 2_100_000_000
"""The same where files are only stamped with whole seconds, or every other one."""

_KINDS = {
    stat.S_IFIFO: "Is a FIFO",
    stat.S_IFSOCK: "Is a socket",
    stat.S_IFCHR: "Is a character device",
    stat.S_IFBLK: "Is a block device",
}


@attrs.define
class FileState:
    """What `stat` says of a file, as far as it tells one content from another.

    `size` is in bytes, the times in nanoseconds since the epoch.
    """

    device: int
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int

    @classmethod
    def of(cls, seen: os.stat_result) -> FileState:
        return cls(seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns)

    @property
    def key(self) -> tuple[int, int]:
        """The identity of the file, whatever it is called: device and inode."""
        return self.device, self.inode

    def matches(self, seen: os.stat_result) -> bool:
        """Whether nothing at all has happened to the file."""
        return (
            self.size == seen.st_size
            and self.ctime_ns == seen.st_ctime_ns
            and self.inode == seen.st_ino
            and self.device == seen.st_dev
            and self.mtime_ns == seen.st_mtime_ns
        )

    def is_content_of(self, seen: os.stat_result) -> bool:
        """Whether the file is the same and was not written to; it may have got another name."""
        return (
            self.size == seen.st_size
            and self.inode == seen.st_ino
            and self.device == seen.st_dev
            and self.mtime_ns == seen.st_mtime_ns
        )

    def would_show(self, looked_at: int) -> bool:
        """Whether any change since `looked_at` (nanoseconds since the epoch) makes a difference.

        Two contents within one tick of the system's clock can have the same state.
        """
        tick = _TICK_NS if self.ctime_ns % 1_000_000_000 else _COARSE_TICK_NS
        return looked_at - self.ctime_ns > tick


def resolve_path(path: str, base: str) -> str:
    """An absolute path without `.` and `..`, `~` and `~/` standing for the home directory.

    Symbolic links are left alone, as in Node's `path.resolve`.
    """
    if path == "~" or path.startswith("~/"):
        path = os.path.expanduser(path)
    return os.path.normpath(os.path.join(base, path))


def stat_regular(path: str) -> os.stat_result | None:
    """`stat` of a regular file, or None where there is no file.

    Raises ReadFailed for anything else: a directory, FIFO, socket, device, a loop of symbolic
    links, a file where a directory should be; and PathNotAllowed for what lies outside the roots.
    """
    try:
        seen = disk.stat(path)
    except FileNotFoundError:
        return None
    except PathNotAllowed:
        raise
    except (OSError, ValueError) as error:
        raise ReadFailed(path, _as_os_error(error)) from None
    _refuse_special(path, seen)
    return seen


def open_regular(path: str, flags: int = os.O_RDONLY) -> int:
    """A descriptor of a regular file; never blocks.

    Raises SessionNotFound if there is none, and as `stat_regular` does. Looks before it
    opens, because opening a device may already do something.
    """
    if stat_regular(path) is None:
        raise SessionNotFound(path)
    try:
        descriptor = disk.open(path, flags | OPEN_FLAGS)
    except FileNotFoundError:
        raise SessionNotFound(path) from None
    except PathNotAllowed:
        raise
    except OSError as error:
        raise ReadFailed(path, error) from None
    try:
        _refuse_special(path, os.fstat(descriptor))
    except ReadFailed:
        os.close(descriptor)
        raise
    return descriptor


class OpenedFile:
    """Opens a regular file for reading: `with OpenedFile(path) as (descriptor, state)`.

    Raises as `open_regular` does; an OSError in between is a failed read.
    """

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> tuple[int, FileState]:
        self._descriptor = open_regular(self._path)
        return self._descriptor, FileState.of(os.fstat(self._descriptor))

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        os.close(self._descriptor)
        if isinstance(error, OSError):
            raise ReadFailed(self._path, error) from None


def _refuse_special(path: str, seen: os.stat_result) -> None:
    kind = stat.S_IFMT(seen.st_mode)
    if kind == stat.S_IFREG:
        return
    if kind == stat.S_IFDIR:
        raise ReadFailed(path, OSError(errno.EISDIR, os.strerror(errno.EISDIR)))
    raise ReadFailed(path, OSError(errno.EINVAL, _KINDS.get(kind, "Not a regular file")))


def _as_os_error(error: OSError | ValueError) -> OSError:
    if isinstance(error, OSError):
        return error
    # A NUL in a path never reaches the system: Python refuses it with a ValueError.
    return OSError(errno.EINVAL, os.strerror(errno.EINVAL))
