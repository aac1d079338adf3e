"""A temporary file with the lines of a large session that is not a file of this host."""

from __future__ import annotations

import os
import tempfile  # noqa: TID251 - the file has no name, so it cannot lead outside the roots
from typing import Self

from sessiond.files.kept.held_file import HeldFile

_DIRECTORY = "/var/tmp"  # noqa: S108 - likewise
"""On a disk, where `/tmp` may be in memory."""


class SpoolFile(HeldFile):
    """Has the bytes of the session at the same offsets, and ends with the last user.

    If it cannot be written, it is `stale`: the session must then be read again.
    """

    @classmethod
    def create(cls, path: str, size: int) -> Self | None:
        """A file for a session of `size` bytes; None if there is no space, or no descriptor."""
        directory = _DIRECTORY if os.access(_DIRECTORY, os.W_OK) else None
        try:
            with tempfile.TemporaryFile(dir=directory) as file:
                if hasattr(os, "posix_fallocate"):
                    os.posix_fallocate(file.fileno(), 0, size)
                return cls.of(path, file.fileno())
        except OSError:
            return None

    def write(self, start: int, data: bytes) -> None:
        """Write bytes of the session from the offset `start` on."""
        view = memoryview(data)
        try:
            while view:
                written = os.pwrite(self._descriptor, view, start)
                view, start = view[written:], start + written
        except OSError:
            self.stale = True
