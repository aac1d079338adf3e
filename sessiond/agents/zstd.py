"""Unpack what agents have compressed with zstd (RFC 8878)."""

from __future__ import annotations

import errno
import functools
import os
from collections.abc import Iterator
from types import ModuleType

from sessiond.runtime.errors import ReadFailed, Unsupported, how_to_install
from sessiond.runtime.isolation import go_on

MOST_FILE_BYTES = 512 * 1024 * 1024
"""A longer text is not unpacked."""

MOST_RATIO = 256
"""A text that is so many times as long as what it is packed in is not unpacked: zstd makes text of
people and programs 5 to 50 times shorter, and some kilobytes can stand for any number of bytes."""

_ANY_RATIO_BYTES = 4 * 1024 * 1024
"""A shorter text is unpacked whatever its ratio is."""

_WINDOW = 8 * 1024 * 1024
"""Memory for what is unpacked at once; RFC 8878 recommends this much."""

_STEP = 1024 * 1024
"""Bytes that are unpacked at a time."""


def unpack(path: str, packed: object, size: object, most: int) -> bytes:
    """Return the `size` bytes that were packed, at most `most`; `path` is for errors.

    Raises Unsupported if the package for zstd is not installed, and ReadFailed if the bytes are
    damaged, or the values have other types.
    """
    if not (isinstance(packed, bytes) and isinstance(size, int) and 0 <= size <= most):
        raise _damaged(path)
    zstd = _package(path)
    try:
        # As a stream, because the size that the frame declares would be allocated at once. A
        # decompressor cannot be used by two threads at once, but is cheap to create.
        unpacker = zstd.ZstdDecompressor(max_window_size=_WINDOW)
        with unpacker.stream_reader(packed) as reader:
            content: bytes = reader.read(size + 1)
    except zstd.ZstdError:
        content = b""
    if len(content) != size:
        raise _damaged(path)
    return content


def unpacked(path: str, descriptor: int) -> Iterator[bytes]:
    """Yield the content of a compressed file that was just opened. Raises as `unpack` does."""
    zstd = _package(path)
    left = min(MOST_FILE_BYTES, max(_ANY_RATIO_BYTES, MOST_RATIO * os.fstat(descriptor).st_size))
    try:
        with (
            open(descriptor, "rb", closefd=False) as file,
            zstd.ZstdDecompressor().stream_reader(file, read_across_frames=True) as reader,
        ):
            while content := reader.read(_STEP):
                go_on()
                left -= len(content)
                if left < 0:
                    raise ReadFailed(path, OSError(errno.EFBIG, "It is too large when unpacked"))
                yield content
    except zstd.ZstdError:
        raise _damaged(path) from None


def _damaged(path: str) -> ReadFailed:
    return ReadFailed(path, OSError(errno.EIO, "What is compressed in it is damaged"))


def _package(path: str) -> ModuleType:
    try:
        return _imported()
    except ModuleNotFoundError as error:
        how = how_to_install("zstandard", "zstd")
        message = f"{path} is compressed, and the package for zstd is not installed; {how}"
        raise Unsupported(message, path, how) from error


@functools.cache
def _imported() -> ModuleType:
    import zstandard

    return zstandard
