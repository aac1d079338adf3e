"""Serve MCP: in a process of its own, or on a connection of a shared daemon."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import signal
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sessiond.config import McpConfig
from sessiond.files import disk
from sessiond.front.first_answers import BegunConversation, FirstAnswers
from sessiond.home import with_working_directory
from sessiond.logs import begin_log
from sessiond.mcp.server import McpServer
from sessiond.processes import collect_garbage
from sessiond.rpc.stdio import claim_stdio

if TYPE_CHECKING:
    from sessiond.engine import Engine
    from sessiond.methods.client import Client


def run(config: McpConfig, env: Mapping[str, str], first: FirstAnswers | None) -> int:
    """Serve on standard input and output; returns the exit code.

    `first` has answered until now.
    """
    begun = BegunConversation() if first is None else first.stop()
    input_fd, output_fd = claim_stdio()
    begin_log(config.log_file, config.log_level)
    collect_garbage()
    alone = _Alone(config, with_working_directory(env))
    return asyncio.run(alone.serve(input_fd, output_fd, begun))


class _Alone:
    """A process for one client: the engine is created when it is first needed."""

    def __init__(self, config: McpConfig, env: Mapping[str, str]) -> None:
        self._config = config
        self._env = env
        self._client: Client | None = None

    async def serve(self, input_fd: int, output_fd: int, begun: BegunConversation) -> int:
        server = McpServer(self._config, self._load)
        server.begin(begun)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, server.stop, 0)
        try:
            return await server.serve(input_fd, output_fd)
        finally:
            if self._client is not None:
                self._client.close()
                await self._client.engine.close()

    def _load(self, server: McpServer) -> None:
        from sessiond.engine import Engine  # noqa: PLC0415 - not before `initialize` is answered
        from sessiond.methods.client import Client  # noqa: PLC0415 - not before `initialize` is answered

        engine = Engine(self._config, self._env)
        self._client = Client(engine, self._config, self._env, server)
        # This runs in the context of one request; the confinement is that of the process.
        disk.confine(disk.roots(), process=True)
        _register(server, self._client)


def connect(
    engine: Engine, config: McpConfig, env: Mapping[str, str], *, pid: int | None = None
) -> Client:
    """Create a client of a shared engine in a new context; it does not serve yet.

    Its `server` serves MCP on the connection. `pid` is the process that was started for the client.
    """
    from sessiond.methods.client import Client  # noqa: PLC0415 - not before `initialize` is answered

    def made() -> Client:
        server = McpServer(config, lambda server: _register(server, client))
        client = Client(engine, config, env, server, pid)
        server.hear_client = functools.partial(setattr, client, "name")
        return client

    return contextvars.copy_context().run(made)


def _register(server: McpServer, client: Client) -> None:
    from sessiond.mcp.methods import register  # noqa: PLC0415 - not before `initialize` is answered
    from sessiond.mcp.sessions import ShownSessions  # noqa: PLC0415
    from sessiond.methods.local import Local  # noqa: PLC0415

    register(server, ShownSessions(server, Local(client)))
