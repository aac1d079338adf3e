"""A digest of the first bytes of a file, which is continued as the file grows."""

from __future__ import annotations

from xxhash import xxh3_128

from sessiond.files import journal
from sessiond.jsontext.spans import Buffer


class RunningDigest:
    """Digest (xxh3, 128 bits) of the bytes from the start of a file to the end of a line.

    Proves later that these bytes are still the same, without keeping them. If the index of a file
    is trusted by the file's identity, only the digest of the bytes that it covers is known: `size`
    bytes with the digest `known`.
    """

    __slots__ = ("_known", "_later", "_size")

    def __init__(self, size: int = 0, known: bytes = b"") -> None:
        self._size = size
        self._known = known
        self._later = xxh3_128()

    def update(self, data: Buffer) -> None:
        """Add the next bytes of the file."""
        self._later.update(data)

    def copy(self) -> RunningDigest:
        copy = RunningDigest(self._size, self._known)
        copy._later = self._later.copy()
        return copy

    def whole(self) -> bytes:
        """The digest of all bytes; only if it was made of all of them."""
        assert not self._size, "made of all bytes"  # noqa: S101
        return self._later.digest()

    def matches(self, descriptor: int, end: int) -> bool:
        """Whether the file's bytes before `end` are those that were added. Raises OSError."""
        if self._size and _digest(descriptor, 0, self._size) != self._known:
            return False
        return _digest(descriptor, self._size, end) == self._later.digest()


def _digest(descriptor: int, start: int, end: int) -> bytes:
    hasher = xxh3_128()
    for chunk in journal.chunks(descriptor, start, end):
        hasher.update(chunk)
    return hasher.digest()
