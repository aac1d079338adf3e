"""Files in a directory of the user's cache, each with a checksum of all its bytes.

Any of them may be deleted or damaged at any time. A file is replaced in one step, so several
processes may write the same one. What has not been used for a long time is removed.
"""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import stat
import time
from collections.abc import Iterator

import attrs
from xxhash import xxh3_128_digest

from sessiond.files.identity import OPEN_FLAGS
from sessiond.files.kept.private_directory import prepare_private

_log = logging.getLogger(__name__)

CHECKSUM_BYTES = 16
_LARGEST_BYTES = 256 * 1024 * 1024
_UNUSED_SECONDS = 60 * 24 * 60 * 60
_USED_SECONDS = 24 * 60 * 60
"""Resolution of the time of the last use."""

_UNFINISHED = ".tmp"
_FLAGS = OPEN_FLAGS | os.O_NOFOLLOW


@attrs.frozen
class CheckedFiles:
    """The files of one kind in a directory, which is made with the first one.

    Blocking; never raises OSError.
    """

    directory: str
    suffix: str
    """Of the names of the files."""
    magic: bytes
    """With which each file begins; it names the version of the content."""
    total_bytes: int
    """Limit of all files together; above it, the least recently used are removed."""

    def load(self, name: str) -> memoryview | None:
        """Return the content of a file; None if there is none, or no good one."""
        try:
            descriptor = os.open(self._path(name), os.O_RDONLY | _FLAGS)
            try:
                data = self._read(descriptor)
            finally:
                os.close(descriptor)
        except OSError:
            return None
        start = len(self.magic) + CHECKSUM_BYTES
        body = memoryview(data)[start:]
        if not data.startswith(self.magic) or (
            xxh3_128_digest(body) != data[len(self.magic) : start]
        ):
            self.remove(name)
            return None
        return body

    def _read(self, descriptor: int) -> bytes:
        seen = os.fstat(descriptor)
        ours = stat.S_ISREG(seen.st_mode) and seen.st_uid == os.geteuid()
        if not ours or seen.st_size > _LARGEST_BYTES:
            return b""
        if time.time() - seen.st_mtime > _USED_SECONDS:
            with contextlib.suppress(OSError):
                os.utime(descriptor)
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read(_LARGEST_BYTES)

    def save(self, name: str, body: bytes) -> None:
        """Write a file, in place of an older one of that name, and remove what is too old."""
        unfinished = f"{self.directory}/{secrets.token_hex(8)}{_UNFINISHED}"
        try:
            prepare_private(self.directory)
            descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FLAGS, 0o600)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.writelines((self.magic, xxh3_128_digest(body), body))
                os.rename(unfinished, self._path(name))
            except BaseException:
                os.unlink(unfinished)
                raise
            self._sweep()
        except OSError as error:
            _log.info("%s is not written: %s", self._path(name), error)

    def remove(self, name: str) -> None:
        """Remove a file, if it exists."""
        with contextlib.suppress(OSError):
            os.unlink(self._path(name))

    def clear(self) -> None:
        """Remove all files."""
        with contextlib.suppress(OSError):
            for path, _ in self._all():
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(path)

    def _path(self, name: str) -> str:
        return f"{self.directory}/{name}{self.suffix}"

    def _sweep(self) -> None:
        """Remove old files, and the least recently used ones above the limit."""
        now = time.time()
        total = 0
        for path, seen in sorted(self._all(), key=lambda one: -one[1].st_mtime):
            total += seen.st_size
            limit = _UNUSED_SECONDS if path.endswith(self.suffix) else _USED_SECONDS
            if total > self.total_bytes or now - seen.st_mtime > limit:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(path)

    def _all(self) -> Iterator[tuple[str, os.stat_result]]:
        with os.scandir(self.directory) as found:
            for entry in found:
                if entry.name.endswith((self.suffix, _UNFINISHED)):
                    with contextlib.suppress(FileNotFoundError):
                        yield entry.path, entry.stat(follow_symlinks=False)
