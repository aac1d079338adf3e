"""Read the bytes of files as UTF-8.

Session files contain bytes that are not UTF-8 if a program stored the output of a tool without
decoding it. Node reads each such sequence as U+FFFD, as the Encoding Standard says
(https://encoding.spec.whatwg.org/#utf-8-decoder), and sessiond does the same. The file keeps its
bytes.
"""

from __future__ import annotations

import codecs

_PIECE = 64 * 1024


def is_utf8(raw: bytes | bytearray) -> bool:
    """Whether the bytes are valid UTF-8 and end with a complete character."""
    if raw.isascii():
        return True
    view = memoryview(raw)
    at, size = 0, len(raw)
    try:
        # In pieces, so that the decoded text, which is not used, fits the processor's cache.
        # Only the last piece must end with a complete character.
        while at < size:
            end = at + _PIECE
            at += codecs.utf_8_decode(view[at:end], "strict", end >= size)[1]
    except UnicodeDecodeError:
        return False
    return True


def readable(raw: bytes) -> bytes:
    """Replace each sequence of bytes that is not UTF-8 by U+FFFD.

    Apply it to every line of a file before a JSON decoder. Decoders refuse such bytes, some of them
    only when they decode the member that contains them.
    """
    return raw if is_utf8(raw) else raw.decode(errors="replace").encode()
