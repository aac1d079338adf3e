"""Kept indexes of session files: one file for each in the user's cache directory.

They make opening a large session fast, and are never trusted without a check: an index is used only
for a file with the identity, size and times it was made from, or with the same bytes. A checksum
covers the whole index, and every line is compared with its digest when it is read. Any index may be
deleted or damaged at any time.
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
import msgspec
from xxhash import xxh3_128_digest

from sessiond.files.identity import OPEN_FLAGS, FileState
from sessiond.format.kept_index import FORMAT

_log = logging.getLogger(__name__)

_MAGIC = f"sessiond index {FORMAT}\n".encode()
_CHECKSUM_BYTES = 16
_TOTAL_BYTES = 512 * 1024 * 1024
"""Limit of all indexes together; about 15 GB of sessions."""

_LARGEST_BYTES = 256 * 1024 * 1024
_UNUSED_SECONDS = 60 * 24 * 60 * 60
_USED_SECONDS = 24 * 60 * 60
"""Resolution of the time of the last use."""

_SUFFIX, _UNFINISHED = ".index", ".tmp"
_FLAGS = OPEN_FLAGS | os.O_NOFOLLOW


class KeptIndex(msgspec.Struct, array_like=True, frozen=True):
    """The index of a session file, and the state of the file when the index was made."""

    device: int
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int
    sure: bool
    """Whether every later change of the file alters these."""
    covered: int
    """Length of the file up to its last whole line then; the index describes these bytes."""
    digest: bytes
    """Digest (xxh3, 128 bits) of these bytes."""
    index: bytes
    """See `format/kept_index.py`."""

    @property
    def state(self) -> FileState:
        return FileState(self.device, self.inode, self.size, self.mtime_ns, self.ctime_ns)


_decode = msgspec.msgpack.Decoder(KeptIndex).decode


@attrs.frozen
class IndexFiles:
    """The indexes in a directory, which is made with the first one. Blocking; never raises."""

    directory: str

    def load(self, file: FileState) -> KeptIndex | None:
        """Return the index of the file with this device and inode, if there is a good one."""
        path = self._path(file)
        try:
            descriptor = os.open(path, os.O_RDONLY | _FLAGS)
            try:
                data = self._read(descriptor)
            finally:
                os.close(descriptor)
        except OSError:
            return None
        body = memoryview(data)[len(_MAGIC) + _CHECKSUM_BYTES :]
        checksum = data[len(_MAGIC) : len(_MAGIC) + _CHECKSUM_BYTES]
        if not data.startswith(_MAGIC) or xxh3_128_digest(body) != checksum:
            self.remove(file)
            return None
        try:
            kept = _decode(body)
        except msgspec.MsgspecError:
            return None
        return kept if kept.state.key == file.key else None

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

    def save(self, kept: KeptIndex) -> None:
        """Keep an index in place of an older one of the same file, and remove what is too old."""
        body = msgspec.msgpack.encode(kept)
        path = self._path(kept.state)
        unfinished = f"{self.directory}/{secrets.token_hex(8)}{_UNFINISHED}"
        try:
            self._prepare_directory()
            descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FLAGS, 0o600)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.writelines((_MAGIC, xxh3_128_digest(body), body))
                os.rename(unfinished, path)
            except BaseException:
                os.unlink(unfinished)
                raise
            self._sweep()
        except OSError as error:
            _log.info("The index of a session is not kept: %s", error)

    def remove(self, file: FileState) -> None:
        """Remove the index of a file, if there is one."""
        with contextlib.suppress(OSError):
            os.unlink(self._path(file))

    def _path(self, file: FileState) -> str:
        return f"{self.directory}/{file.device:x}-{file.inode:x}{_SUFFIX}"

    def _prepare_directory(self) -> None:
        os.makedirs(os.path.dirname(self.directory), mode=0o700, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            os.mkdir(self.directory, 0o700)
        seen = os.lstat(self.directory)
        if not stat.S_ISDIR(seen.st_mode) or seen.st_uid != os.geteuid():
            raise PermissionError(f"{self.directory} is not a directory of this user")
        if seen.st_mode & 0o077:
            os.chmod(self.directory, 0o700)

    def _sweep(self) -> None:
        """Remove old indexes, and the least recently used ones above the limit."""
        now = time.time()
        total = 0
        for path, seen in sorted(self._all(), key=lambda one: -one[1].st_mtime):
            total += seen.st_size
            limit = _UNUSED_SECONDS if path.endswith(_SUFFIX) else _USED_SECONDS
            if total > _TOTAL_BYTES or now - seen.st_mtime > limit:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(path)

    def _all(self) -> Iterator[tuple[str, os.stat_result]]:
        with os.scandir(self.directory) as found:
            for entry in found:
                if entry.name.endswith((_SUFFIX, _UNFINISHED)):
                    with contextlib.suppress(FileNotFoundError):
                        yield entry.path, entry.stat(follow_symlinks=False)
