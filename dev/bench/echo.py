"""The baseline: a minimal asyncio server on stdin and stdout.

It reads the headers of the base protocol and sends every body back.
"""

from __future__ import annotations

import asyncio
import sys


async def main() -> None:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=1 << 20)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    transport, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, sys.stdout)
    length = 0
    while line := await reader.readline():
        if line.lower().startswith(b"content-length:"):
            length = int(line[15:])
        elif line == b"\r\n":
            body = await reader.readexactly(length)
            transport.write(b"Content-Length: %d\r\n\r\n%b" % (length, body))


asyncio.run(main())
