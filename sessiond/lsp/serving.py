"""Serve a language server on pipes until the editor ends it, goes away, or a signal comes."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from contextlib import suppress
from threading import Event

from pygls.io_ import run_async
from pygls.lsp.server import LanguageServer

from sessiond.lsp.protocol import SessionProtocol

logger = logging.getLogger(__name__)

_FLUSH_SECONDS = 2.0


async def serve(server: LanguageServer, input_fd: int, output_fd: int) -> int:
    """Serve the editor on these descriptors; returns the exit code.

    The code is 0 at the end of input and after a signal, and after `exit` if `shutdown` came before
    it. The event loop reads, and not a thread, which would have to be waited for.
    """
    protocol = server.protocol
    assert isinstance(protocol, SessionProtocol), "made so"  # noqa: S101
    loop = asyncio.get_running_loop()
    reader, unused = asyncio.StreamReader(), asyncio.StreamReader()
    await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(input_fd, "rb", 0)
    )
    transport, flow = await loop.connect_write_pipe(
        lambda: asyncio.StreamReaderProtocol(unused), os.fdopen(output_fd, "wb", 0)
    )
    writer = asyncio.StreamWriter(transport, flow, None, loop)
    protocol.set_writer(writer)
    codes = [0]
    serving = asyncio.create_task(
        run_async(Event(), reader, protocol, error_handler=server.report_server_error)
    )

    def stop(code: int) -> None:
        codes.append(code)
        serving.cancel()

    protocol.ended = stop
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop, 0)
    await asyncio.wait([serving])
    if not serving.cancelled() and serving.exception() is not None:
        logger.info("The input cannot be read any more: %s", serving.exception())
    with suppress(TimeoutError, OSError):
        writer.close()
        await asyncio.wait_for(writer.wait_closed(), _FLUSH_SECONDS)
    return codes[-1]
