"""Bytes of files as UTF-8 text.

Session files hold bytes that are not UTF-8 when a program wrote the output of a tool undecoded.
Node reads each such sequence as U+FFFD, and so does everything here; the file keeps its bytes.
"""

from __future__ import annotations

import codecs

_PIECE = 64 * 1024


def is_utf8(raw: bytes | bytearray) -> bool:
    """Whether the bytes are valid UTF-8 and do not end within a character."""
    if raw.isascii():
        return True
    view = memoryview(raw)
    at, size = 0, len(raw)
    try:
        # In pieces, so that the decoded text, which is thrown away, stays in the processor's cache.
        # A piece may end within a character; the last one may not.
        while at < size:
            end = at + _PIECE
            at += codecs.utf_8_decode(view[at:end], "strict", end >= size)[1]
    except UnicodeDecodeError:
        return False
    return True


def readable(raw: bytes) -> bytes:
    """The same bytes, each sequence that is not UTF-8 replaced by U+FFFD.

    Every line of a file goes through this before a JSON decoder sees it: the decoders refuse such
    bytes, some of them only when the member that holds them is decoded.
    """
    return raw if is_utf8(raw) else raw.decode(errors="replace").encode()
