"""Serve a language server on pipes until the editor ends it, goes away, or a signal comes."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from threading import Event
from typing import TYPE_CHECKING

from pygls.io_ import run_async

from sessiond.lsp import commands, features, lifecycle
from sessiond.lsp.server import server
from sessiond.rpc.stdio import claim_stdio
from sessiond.runtime.home import with_working_directory
from sessiond.runtime.logs import begin_log
from sessiond.runtime.processes import prepare_process

if TYPE_CHECKING:
    from sessiond.runtime.config import Config

REGISTERED = (commands, features, lifecycle)
"""The modules whose functions serve what the editor asks for."""

logger = logging.getLogger(__name__)

_FLUSH_SECONDS = 2.0
_GARBAGE = 20_000


def run(config: Config, env: Mapping[str, str]) -> int:
    """Serve on standard input and output; returns the exit code."""
    input_fd, output_fd = claim_stdio()
    begin_log(config.log_file, config.log_level)
    # An outline is made of tens of thousands of objects, none of which is garbage while it is made.
    gc.set_threshold(_GARBAGE)
    prepare_process()
    server.config, server.env = config, with_working_directory(env)
    return asyncio.run(_serve(input_fd, output_fd))


def _begin() -> None:
    from sessiond.lsp.contract import register

    server.begin()
    register(server)


async def _serve(input_fd: int, output_fd: int) -> int:
    """Serve the editor on these descriptors; returns the exit code.

    The code is 0 at the end of input and after a signal, and after `exit` if `shutdown` came before
    it. The event loop reads, and not a thread, which would have to be waited for.
    """
    protocol = server.protocol
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

    protocol.begun, protocol.ended = _begin, stop
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop, 0)
    await asyncio.wait([serving])
    if not serving.cancelled() and serving.exception() is not None:
        logger.info("The input cannot be read any more: %s", serving.exception())
    await server.close()
    with suppress(TimeoutError, OSError):
        writer.close()
        await asyncio.wait_for(writer.wait_closed(), _FLUSH_SECONDS)
    return codes[-1]
