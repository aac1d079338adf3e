"""A file: its identity and state, which tell it and its content from others, and its bytes."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from typing import Protocol

import msgspec

from sessiond.files import disk
from sessiond.runtime.errors import PathNotAllowed, ReadFailed, SessionNotFound
from sessiond.runtime.isolation import go_on

OPEN_FLAGS = os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
"""For every open: a FIFO or a terminal under a session's name must not block us."""

_TICK_NS = 50_000_000
"""Longer than one tick of the clocks that file systems take time stamps from."""

_COARSE_TICK_NS = 2_100_000_000
"""The same for file systems with time stamps of one or two seconds' resolution."""

_CHUNK = 1024 * 1024

_KINDS = {
    stat.S_IFIFO: "Is a FIFO",
    stat.S_IFSOCK: "Is a socket",
    stat.S_IFCHR: "Is a character device",
    stat.S_IFBLK: "Is a block device",
}


Key = tuple[int, int]
"""The identity of a file, independent of its name: device and inode."""


class Home(msgspec.Struct, frozen=True):
    """The host and file in which a session is written that is only a copy here."""

    host: str
    path: str

    @classmethod
    def parse(cls, text: str) -> Home:
        """The home with this text: `host:/path`."""
        host, _, path = text.partition(":/")
        return cls(host, f"/{path}")

    def __str__(self) -> str:
        return f"{self.host}:{self.path}"


class FileState(msgspec.Struct, frozen=True, gc=False):
    """The members of `stat` that tell one content of a file from another.

    A msgspec struct, because a list makes one for each of thousands of files.
    `size` is in bytes, the times in nanoseconds since the epoch.
    """

    device: int
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int

    @classmethod
    def of(cls, status: os.stat_result) -> FileState:
        return cls(
            status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
        )

    @property
    def key(self) -> Key:
        return self.device, self.inode

    def is_of(self, status: os.stat_result) -> bool:
        """Whether it is the same file, whatever it contains."""
        return self.inode == status.st_ino and self.device == status.st_dev

    def matches(self, status: os.stat_result) -> bool:
        """Whether the file has not changed in any way."""
        return (
            self.size == status.st_size
            and self.ctime_ns == status.st_ctime_ns
            and self.inode == status.st_ino
            and self.device == status.st_dev
            and self.mtime_ns == status.st_mtime_ns
        )

    def is_content_of(self, status: os.stat_result) -> bool:
        """Whether it is the same file and was not written to; it may have been renamed."""
        return (
            self.size == status.st_size
            and self.inode == status.st_ino
            and self.device == status.st_dev
            and self.mtime_ns == status.st_mtime_ns
        )

    def would_show(self, looked_at: int) -> bool:
        """Whether any change after `looked_at` (nanoseconds since the epoch) alters this state.

        Two contents written within one tick of the file system's clock can have the same state.
        """
        tick = _TICK_NS if self.ctime_ns % 1_000_000_000 else _COARSE_TICK_NS
        return looked_at - self.ctime_ns > tick


def key_of(state: FileState | None) -> Key | None:
    """The identity of the file in this state; None if there is no file."""
    return None if state is None else state.key


def resolve_path(path: str, base: str) -> str:
    """Make a path absolute, remove `.` and `..`, and expand `~` and `~/` to the home directory.

    Symbolic links are not resolved, as in Node's `path.resolve`.
    """
    if path == "~" or path.startswith("~/"):
        path = os.path.expanduser(path)
    return os.path.normpath(os.path.join(base, path))


def stat_regular(path: str) -> os.stat_result | None:
    """`stat` of a regular file, or None if there is no file.

    Raises ReadFailed for anything else: a directory, FIFO, socket, device, a loop of symbolic
    links, a file in place of a directory; and PathNotAllowed for paths outside the roots.
    """
    try:
        status = disk.stat(path)
    except FileNotFoundError:
        return None
    except PathNotAllowed:
        raise
    except OSError as error:
        raise ReadFailed(path, error) from None
    _refuse_special(path, status)
    return status


def open_regular(path: str, flags: int = os.O_RDONLY) -> int:
    """Open a regular file; never blocks.

    Raises SessionNotFound if there is none, and as `stat_regular` does. Calls `stat` before
    `open`, because opening a device can already have an effect.
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


class Reached(Protocol):
    """How far a session was read."""

    state: FileState
    offset: int
    """Length of the whole lines that were read, in bytes."""
    unended: bool
    """Whether a last line without newline was read too, which may still grow."""
    tail: bytes
    """Their checksum; the session has only grown if it is still the same."""


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


def read_from(descriptor: int, start: int, end: int | None = None) -> bytes:
    """The bytes from `start` to `end`, by default to the present end of the file."""
    return b"".join(chunks(descriptor, start, end))


def read_file(path: str) -> bytes:
    """All bytes of a regular file; raises as `OpenedFile` does."""
    with OpenedFile(path) as (descriptor, _):
        return read_from(descriptor, 0)


def chunks(descriptor: int, start: int, end: int | None = None) -> Iterator[bytes]:
    """The bytes that `read_from` joins, in pieces of at most 1 MiB.

    Raises Abandoned between them as `go_on` does.
    """
    while end is None or start < end:
        go_on()
        size = _CHUNK if end is None else min(_CHUNK, end - start)
        chunk = os.pread(descriptor, size, start)
        if not chunk:
            return
        start += len(chunk)
        yield chunk


def _refuse_special(path: str, status: os.stat_result) -> None:
    kind = stat.S_IFMT(status.st_mode)
    if kind == stat.S_IFREG:
        return
    if kind == stat.S_IFDIR:
        raise ReadFailed(path, OSError(errno.EISDIR, os.strerror(errno.EISDIR)))
    raise ReadFailed(path, OSError(errno.EINVAL, _KINDS.get(kind, "Not a regular file")))
