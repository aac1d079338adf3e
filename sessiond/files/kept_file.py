"""Keep session files open between appends, so that the next append need not open and check them.

An open file is not locked. `KeptFile.try_lock` locks it and then compares the path with the file,
as `locks/flock.py` explains.
"""

from __future__ import annotations

import asyncio
import fcntl
import os

from sessiond.errors import PathNotAllowed, ReadFailed
from sessiond.files.identity import FileState, Key, stat_regular
from sessiond.files.locks.flock import lock_and_stat

_MOST = 32
"""Files that are kept open at the same time, at most."""

_SECONDS = 1.0
"""A file is closed when it was not used for this long, or a little longer."""


class OpenFiles:
    """The kept files of a cache of documents: few, and each only for a short time."""

    def __init__(self) -> None:
        self._files: dict[KeptFile, bool] = {}
        """The least recently used first, and whether each was used since the last sweep."""
        self._sweeping: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return len(self._files)

    def add(self, file: KeptFile) -> None:
        """Keep this file, and close another one if there are too many."""
        if len(self._files) >= _MOST:
            next(iter(self._files)).close()
        self._files[file] = True
        if self._sweeping is None:
            self._sweeping = asyncio.get_running_loop().call_later(_SECONDS, self._sweep)

    def remove(self, file: KeptFile) -> None:
        """Do not close this file: it is used, or closed already."""
        self._files.pop(file, None)

    def _sweep(self) -> None:
        self._sweeping = None
        for file, was_used in tuple(self._files.items()):
            if was_used:
                self._files[file] = False
            else:
                file.close()
        if self._files:
            self._sweeping = asyncio.get_running_loop().call_later(_SECONDS, self._sweep)


class KeptFile:
    """The file of one document: closed, open, or open and locked by the owner of this object."""

    _descriptor: int | None = None
    """The open file. It has a value in the class for `__del__`, which runs after a failed start."""

    def __init__(self, files: OpenFiles | None = None) -> None:
        self.key: Key | None = None
        """The identity of the file that was locked last."""
        self.seen: os.stat_result | None = None
        """The `stat` of the path right after it was locked last."""
        self._files = OpenFiles() if files is None else files

    @property
    def is_open(self) -> bool:
        return self._descriptor is not None

    def try_lock(self, path: str, known: FileState | None) -> int | None:
        """Lock the open file and return its descriptor; None if that is not possible at once.

        It is not if the file is not open, another process holds the lock, or the file at `path` is
        not in the `known` state: after any change, its owner or mode may no longer allow to write.
        """
        descriptor = self._descriptor
        if descriptor is None or known is None:
            return None
        self._files.remove(self)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            seen = stat_regular(path)
        except (OSError, ReadFailed, PathNotAllowed):
            seen = None
        if seen is None or known.key != self.key or not known.matches(seen):
            self.close()
            return None
        self.seen = seen
        return descriptor

    async def lock(self, path: str, patience: float, known: FileState | None) -> int:
        """Return the descriptor of the locked file: of the open one, or as `flock.lock` does."""
        descriptor = self.try_lock(path, known)
        if descriptor is None:
            self.close()
            descriptor, self.seen = await lock_and_stat(path, patience)
            self._descriptor = descriptor
            self.key = self.seen.st_dev, self.seen.st_ino
        return descriptor

    def unlock(self) -> None:
        """Release the lock, and keep the file open for the next append."""
        assert self._descriptor is not None, "not open"  # noqa: S101
        fcntl.flock(self._descriptor, fcntl.LOCK_UN)
        self._files.add(self)

    def close(self) -> None:
        """Close the file if it is open, which also releases its lock."""
        descriptor, self._descriptor = self._descriptor, None
        self._files.remove(self)
        if descriptor is not None:
            os.close(descriptor)

    def __del__(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
