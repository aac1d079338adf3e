"""Create the engine and its client, run the event loop, and end the process."""

from __future__ import annotations

import asyncio
import contextvars
import logging
import signal
import sys
from collections.abc import Mapping
from importlib import import_module

from sessiond.files import disk
from sessiond.methods.client import Client
from sessiond.methods.table import MethodTable
from sessiond.rpc.server import Server
from sessiond.rpc.stdio import claim_stdio
from sessiond.runtime.config import ClientConfig, Config, McpConfig
from sessiond.runtime.errors import InvalidParams, SessiondError
from sessiond.runtime.home import with_working_directory
from sessiond.runtime.limits import PARENT_CHECK_SECONDS
from sessiond.runtime.logs import begin_log
from sessiond.runtime.processes import is_alive, prepare_process
from sessiond.sessions.engine import Engine

logger = logging.getLogger(__name__)

_FAILED = 3

_MCP = "sessiond.mcp.methods"
"""The annex whose clients are agents; nobody else needs it."""


def build(config: Config, env: Mapping[str, str], server: Server | None = None) -> Client:
    """Create an engine with one client, which does not serve yet.

    `server`: use this one instead of a new server that talks to the client.
    """
    env = with_working_directory(env)
    return connect(Engine(config, env), config, env, server)


def connect(
    engine: Engine,
    config: ClientConfig,
    env: Mapping[str, str],
    server: Server | None = None,
    *,
    pid: int | None = None,
) -> Client:
    """Create a client of the engine in a new context, like `build`; it does not serve yet.

    `env` has the client's working directory as `PWD`. `pid` is the process that was started for the
    client, if it is not this one.
    """
    context = contextvars.copy_context()
    if isinstance(config, McpConfig):
        agent: Client = context.run(import_module(_MCP).connect, engine, config, env, pid)
        return agent
    return context.run(_connect, engine, config, env, server, pid)


def resume(client: Client, begun: object) -> None:
    """Let the server go on with a conversation of the Model Context Protocol.

    `begun` is a `BegunConversation` of `shared/front/first_answers.py`.
    """
    import_module(_MCP).resume(client, begun)


def _connect(
    engine: Engine,
    config: ClientConfig,
    env: Mapping[str, str],
    server: Server | None,
    pid: int | None,
) -> Client:
    # A missing driver and a bad URL of a store are told at the start.
    _ = engine.source
    table = MethodTable()
    server = server or Server(table.find, config.framing, config.max_message)
    table.client = client = Client(engine, config, env, server, pid)
    return client


async def serve(client: Client, input_fd: int, output_fd: int) -> int:
    """Serve the only client of an engine, then close the engine. Returns the exit code."""
    try:
        return await serve_client(client, input_fd, output_fd)
    finally:
        await client.engine.close()


async def serve_client(client: Client, input_fd: int, output_fd: int) -> int:
    """Serve one client until its connection ends, then close the client. Returns the exit code.

    All work for the client runs in the client's context.
    """
    serving = client.server.serve(input_fd, output_fd)
    beside = [
        asyncio.create_task(work(client), context=client.context)
        for work in (_end_with_client, _tidy)
    ]
    try:
        return await asyncio.create_task(serving, context=client.context)
    finally:
        for task in beside:
            task.cancel()
        await asyncio.wait(beside)
        client.close()


async def _tidy(client: Client) -> None:
    """Remove the marks and temporary files of processes that were killed."""
    # Reading the marks removes those of processes that have ended.
    client.in_use.snapshot()
    where = client.directories
    if not client.config.read_only and client.places.roots.allow(where.sessions_dir):
        await client.engine.source.tidy(where)


async def _end_with_client(client: Client) -> None:
    """Stop when the process that `initialize` named has ended."""
    while True:
        await asyncio.sleep(PARENT_CHECK_SECONDS)
        if client.client_process is not None and not is_alive(client.client_process):
            logger.info("Process %d has ended", client.client_process)
            client.stop(0)
            return


def run(config: Config, env: Mapping[str, str], begun: object | None = None) -> int:
    """Serve on standard input and output; returns the exit code. `begun`: see `resume`."""
    input_fd, output_fd = claim_stdio()
    begin_log(config.log_file, config.log_level)
    prepare_process()

    async def main() -> int:
        try:
            client = build(config, env)
        except (SessiondError, InvalidParams) as error:
            # Of the settings that can only be checked here: the store and its driver.
            sys.stderr.write(f"sessiond: {error.message}\n")
            return _FAILED
        if begun is not None:
            resume(client, begun)
        # Threads of libraries do not inherit our contexts.
        disk.confine(client.context.run(disk.roots), process=True)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, client.stop, 0)
        return await serve(client, input_fd, output_fd)

    return asyncio.run(main())
