"""Unpack lines that OpenClaw has compressed with zstd."""

from __future__ import annotations

import errno
import functools
from collections.abc import Callable

from sessiond.errors import ReadFailed, Unsupported

MOST_BYTES = 4 * 1024 * 1024
"""OpenClaw compresses no longer lines."""


def unpack(path: str, packed: bytes, size: int) -> bytes:
    """The line of `size` bytes that was packed; `path` is that of its transcript.

    Raises Unsupported if the package for zstd is not installed, and ReadFailed if the bytes are
    damaged.
    """
    line = _decompressor(path)(packed) if size <= MOST_BYTES else None
    if line is None or len(line) != size:
        raise ReadFailed(path, OSError(errno.EIO, "A compressed line in the database is damaged"))
    return line


def _decompressor(path: str) -> Callable[[bytes], bytes | None]:
    try:
        return _imported()
    except ModuleNotFoundError as error:
        how = "install it with: pip install 'sessiond[openclaw]'"
        message = f"{path} has compressed lines, and the package for zstd is not installed; {how}"
        raise Unsupported(message, path, how) from error


@functools.cache
def _imported() -> Callable[[bytes], bytes | None]:
    import zstandard  # noqa: PLC0415 - only some transcripts have compressed lines

    def decompress(packed: bytes) -> bytes | None:
        try:
            # A decompressor cannot be used by two threads at once, but is cheap to create.
            return zstandard.ZstdDecompressor().decompress(packed, max_output_size=MOST_BYTES)
        except zstandard.ZstdError:
            return None

    return decompress
