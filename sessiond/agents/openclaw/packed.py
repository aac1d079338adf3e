"""Unpack lines that OpenClaw has compressed with zstd."""

from __future__ import annotations

import errno
import functools
from types import ModuleType

from sessiond.errors import ReadFailed, Unsupported, how_to_install

MOST_BYTES = 4 * 1024 * 1024
"""OpenClaw compresses no longer lines."""


def unpack(path: str, packed: object, size: object) -> bytes:
    """The line of `size` bytes that was packed; `path` is that of its transcript.

    Raises Unsupported if the package for zstd is not installed, and ReadFailed if the bytes are
    damaged, or the values have other types.
    """
    if isinstance(packed, bytes) and isinstance(size, int) and size <= MOST_BYTES:
        zstd = _package(path)
        try:
            # A decompressor cannot be used by two threads at once, but is cheap to create.
            line: bytes = zstd.ZstdDecompressor().decompress(packed, max_output_size=MOST_BYTES)
        except zstd.ZstdError:
            line = b""
        if len(line) == size:
            return line
    what = "A compressed line in the database is damaged"
    raise ReadFailed(path, OSError(errno.EIO, what))


def _package(path: str) -> ModuleType:
    try:
        return _imported()
    except ModuleNotFoundError as error:
        how = how_to_install("zstandard", "openclaw")
        message = f"{path} is compressed, and the package for zstd is not installed; {how}"
        raise Unsupported(message, path, how) from error


@functools.cache
def _imported() -> ModuleType:
    import zstandard  # noqa: PLC0415 - only some transcripts are compressed

    return zstandard
