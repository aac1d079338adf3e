"""Messages on a pipe: header lines, a blank line, and a body of `Content-Length` bytes."""

from __future__ import annotations

import asyncio

from sessiond_client.failures import SessiondError


class FramingError(SessiondError):
    """The bytes read are not a message."""


def framed(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


async def read_body(reader: asyncio.StreamReader) -> bytes | None:
    """Return the next body, or None at the end. Raises `FramingError`."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        return await reader.readexactly(_length(head))
    except asyncio.IncompleteReadError as error:
        if not error.partial and error.expected is None:
            return None
        raise FramingError("the daemon's output ended within a message") from error
    except asyncio.LimitOverrunError as error:
        raise FramingError("the daemon's output has no header") from error


def _length(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length" and value.strip().isdigit():
            return int(value)
    raise FramingError(f"a header without Content-Length: {head[:200]!r}")
