"""A session file that stays open, so that its lines need not be kept in memory."""

from __future__ import annotations

import errno
import mmap
import os
import resource
import weakref
from typing import Self

from sessiond.errors import FileChanged, ReadFailed

_AHEAD_BYTES = 128 * 1024
"""Bytes per read while lines are read in order."""

_GAP_BYTES = 8 * 1024
"""Maximum distance between lines that count as read in order."""

LOST = (
    "another program emptied or overwrote this file, and no copy of its lines exists because it is"
    " large; restore the file from a backup, or close the session"
)
"""Why lines of a session cannot be written again."""

_NO_WINDOW = (0, b"")

_MAPPED_BYTES = 768 * 1024
"""Larger parts get a mapping of their own; the memory of smaller ones is there much sooner."""

# Linux provides the pages in one step then, and not with one fault for each.
_OWN_MEMORY = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_POPULATE", 0)


class HeldFile:
    """Reads parts of one open file, which is closed when this object is no longer referenced.

    A deleted or replaced file stays readable. If another program changed it in place, the reader
    that notices this marks it as `stale`, and the document reads the file again. Any thread may use
    it.
    """

    def __init__(self, path: str, descriptor: int) -> None:
        self.path = path
        self.stale = False
        self._descriptor = os.dup(descriptor)
        self._window: tuple[int, bytes] = _NO_WINDOW
        weakref.finalize(self, os.close, self._descriptor)

    @classmethod
    def of(cls, path: str, descriptor: int) -> Self | None:
        """Keep a file open; None if this process has too many open files already."""
        limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if limit != resource.RLIM_INFINITY and descriptor >= limit // 2:
            return None
        return cls(path, descriptor)

    def read(self, start: int, end: int) -> bytes:
        """Return the bytes from `start` to `end`, or fewer; raises ReadFailed.

        Lines are mostly read in order, so a read that begins near the end of the previous one also
        reads the following bytes ahead.
        """
        at, window = self._window
        after = at + len(window)
        if at <= start and end <= after:
            return window[start - at : end - at]
        size = end - start
        if size >= _AHEAD_BYTES:
            return bytes(self.copy(start, end))
        wanted = _AHEAD_BYTES if at <= start <= after + _GAP_BYTES else size
        try:
            data = os.pread(self._descriptor, wanted, start)
        except OSError as error:
            raise ReadFailed(self.path, error) from None
        self._window = start, data
        return data[:size]

    def copy(self, start: int, end: int) -> memoryview:
        """Return the same bytes in memory that belongs to the caller.

        A large part is a separate mapping, so that the memory is freed as soon as a long answer was
        sent. Raises ReadFailed and MemoryError.
        """
        size = end - start
        if size > _MAPPED_BYTES:
            # A damaged index may name any position; the file may have become shorter.
            length = os.fstat(self._descriptor).st_size
            size = min(end, length) - start if 0 <= start < length else 0
        view = memoryview(_mapped(size) if size > _MAPPED_BYTES else bytearray(size))
        done = 0
        try:
            while done < size:
                count = os.preadv(self._descriptor, [view[done:]], start + done)
                if not count:
                    break
                done += count
        except OSError as error:
            raise ReadFailed(self.path, error) from None
        return view[:done]

    def put(self, start: int, data: bytes) -> None:
        """Remember bytes that were just written, because they are likely to be read next."""
        self._window = start, data

    def changed(self) -> FileChanged:
        """Record that a line has changed, and return the exception to raise."""
        self.stale = True
        if os.fstat(self._descriptor).st_size == 0:
            return FileChanged(self.path, OSError(errno.ENODATA, LOST))
        reason = "another program changed it at the same moment; try again"
        return FileChanged(self.path, OSError(errno.ESTALE, reason))


def _mapped(size: int) -> mmap.mmap:
    """Memory that is given back to the system as soon as it is not used. Raises MemoryError."""
    try:
        return mmap.mmap(-1, size, flags=_OWN_MEMORY)
    except OSError:
        raise MemoryError from None
