"""Kept indexes of session files: one file for each in the user's cache directory.

They make opening a large session fast, and are never trusted without a check: an index is used only
for a file with the identity, size and times it was made from, or with the same bytes. A checksum
covers the whole index, and every line is compared with its digest when it is read. Any index may be
deleted or damaged at any time.
"""

from __future__ import annotations

import attrs
import msgspec

from sessiond.files.identity import FileState
from sessiond.files.kept.checked_files import CheckedFiles
from sessiond.format.kept_index import FORMAT

_MAGIC = f"sessiond index {FORMAT}\n".encode()
_TOTAL_BYTES = 512 * 1024 * 1024
"""Limit of all indexes together; about 15 GB of sessions."""


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

    @property
    def _files(self) -> CheckedFiles:
        return CheckedFiles(self.directory, ".index", _MAGIC, _TOTAL_BYTES)

    def load(self, file: FileState) -> KeptIndex | None:
        """Return the index of the file with this device and inode, if there is a good one."""
        body = self._files.load(_name(file))
        if body is None:
            return None
        try:
            kept = _decode(body)
        except msgspec.MsgspecError:
            return None
        return kept if kept.state.key == file.key else None

    def save(self, kept: KeptIndex) -> None:
        """Keep an index in place of an older one of the same file, and remove what is too old."""
        self._files.save(_name(kept.state), msgspec.msgpack.encode(kept))

    def remove(self, file: FileState) -> None:
        """Remove the index of a file, if there is one."""
        self._files.remove(_name(file))


def _name(file: FileState) -> str:
    return f"{file.device:x}-{file.inode:x}"
