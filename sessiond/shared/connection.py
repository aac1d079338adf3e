"""One connection of a shared daemon, from the greeting of its front to its exit code."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import stat
from importlib import import_module
from typing import TYPE_CHECKING

import attrs

from sessiond.daemon import connect, resume, serve_client
from sessiond.files import workers
from sessiond.files.workers import take_turns
from sessiond.runtime.config import Config, McpConfig
from sessiond.runtime.home import absolute
from sessiond.runtime.logs import log_handler
from sessiond.shared.connection_logs import Logs, StreamLog
from sessiond.shared.front import sight, wire

if TYPE_CHECKING:
    from sessiond.methods.client import Client
    from sessiond.sessions.engine import Engine


def private(descriptor: int, flags: int) -> int:
    """Return a descriptor of the same pipe or terminal that shares no flags with other processes.

    O_NONBLOCK belongs to what the front inherited from its parent, and the parent may use it as
    well. Where the system cannot open it again, and for sockets and files, `descriptor` itself is
    returned. `flags` are os.O_RDONLY or os.O_WRONLY. Takes possession of `descriptor`.
    """
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISFIFO(mode) and not (stat.S_ISCHR(mode) and os.isatty(descriptor)):
        return descriptor
    try:
        again = os.open(f"/proc/self/fd/{descriptor}", flags | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return descriptor
    os.close(descriptor)
    return again


_ANSWER_SECONDS = 10.0
"""How long a front may take for its greeting, and later to agree."""

logger = logging.getLogger(__name__)


@attrs.define(eq=False)
class FrontConnection:
    """A front, its greeting, and the client that is served for it."""

    socket: socket.socket
    greeting: wire.Greeting
    descriptors: list[int]
    """Standard input, output and error of the front; [] once they are closed."""
    client: Client | None = None
    since: float = attrs.field(factory=lambda: asyncio.get_running_loop().time())

    async def tell(self, kind: bytes, text: str = "") -> None:
        """Send a message to the front. Raises OSError."""
        await asyncio.get_running_loop().sock_sendall(self.socket, wire.message(kind, text))

    def close(self) -> None:
        for descriptor in self.descriptors:
            os.close(descriptor)
        self.descriptors = []
        self.socket.close()


async def greeted(taken: socket.socket) -> FrontConnection | None:
    """Wait for the greeting of a front; None if none comes. Closes the socket then."""
    descriptors: list[int] = []
    try:
        _check_owner(taken)
        async with asyncio.timeout(_ANSWER_SECONDS):
            greeting = wire.unpack(await _greeting(taken, descriptors))
    except (OSError, ValueError, TimeoutError) as error:
        logger.warning("A connection was refused: %s", error or type(error).__name__)
        for descriptor in descriptors:
            os.close(descriptor)
        taken.close()
        return None
    return FrontConnection(taken, greeting, descriptors)


def _check_owner(taken: socket.socket) -> None:
    if wire.peer(taken) != os.getuid():
        raise PermissionError("it comes from a process of another user")


async def _greeting(taken: socket.socket, descriptors: list[int]) -> bytes:
    await _readable(taken)
    head, passed, _, _ = socket.recv_fds(taken, wire.LENGTH.size, len(wire.STREAMS))
    descriptors += passed
    if not head:
        raise ConnectionResetError("it ended before its greeting")
    if len(passed) != len(wire.STREAMS):
        # The system passes fewer if this process may not open more.
        raise OSError("the streams have not arrived: too many files are open")
    for descriptor in passed:
        os.set_inheritable(descriptor, False)
    head += await _received(taken, wire.LENGTH.size - len(head))
    (size,) = wire.LENGTH.unpack(head)
    if size > wire.LONGEST_GREETING:
        raise ValueError("the greeting is too long")
    return await _received(taken, size)


async def _received(taken: socket.socket, size: int) -> bytes:
    """Read so many bytes. Raises OSError."""
    data = bytearray()
    while len(data) < size:
        more = await asyncio.get_running_loop().sock_recv(taken, size - len(data))
        if not more:
            raise ConnectionResetError("the front has ended")
        data += more
    return bytes(data)


async def _readable(taken: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    ready = loop.create_future()

    def wake() -> None:
        if not ready.done():
            ready.set_result(None)

    loop.add_reader(taken, wake)
    try:
        await ready
    finally:
        loop.remove_reader(taken)


async def serve(connection: FrontConnection, config: Config, engine: Engine, logs: Logs) -> None:
    """Serve one client and send its exit code to the front. Raises OSError if the front is gone.

    Call it in a task of its own: it changes the context.
    """
    greeting = connection.greeting
    env = greeting.env
    try:
        path = absolute(config.log_file, env) if config.log_file else None
        log = log_handler(path) if path else StreamLog(connection.descriptors[2])
    except OSError as error:
        await end(connection, 3, f"sessiond: {error.strerror}: {error.filename}")
        return
    logs.enter(log, config.log_level)
    take_turns()
    try:
        if isinstance(config, McpConfig):
            # Seldom asked for, and on the event loop it would delay all other clients.
            await workers.reading(workers.LONG, import_module, "sessiond.mcp.methods")
        client = connect(engine, config, env, pid=greeting.pid)
        begun = await _confirm(connection)
        if begun:
            from sessiond.shared.front.first_answers import unpack

            resume(client, unpack(begun))
        connection.client = client
        code = await _serve_streams(connection, client)
    finally:
        connection.client = None
        logs.leave(log)
    await connection.tell(wire.EXIT, str(code))


async def _serve_streams(connection: FrontConnection, client: Client) -> int:
    given = connection.descriptors
    given[0] = private(given[0], os.O_RDONLY)
    given[1] = private(given[1], os.O_WRONLY)
    front = asyncio.create_task(_end_with_front(connection, client))
    try:
        return await serve_client(client, given[0], given[1])
    finally:
        front.cancel()


async def end(connection: FrontConnection, code: int, text: str) -> None:
    """End a connection that was not served, with a text for standard error. Raises OSError."""
    await _confirm(connection)
    await connection.tell(wire.EXIT, f"{code}\n{text}")


async def _confirm(connection: FrontConnection) -> bytes:
    """Tell the front that it is served, and wait until it agrees; returns what follows GO.

    Raises OSError, also if that takes too long: a front that was stopped (SIGSTOP) must not keep
    the daemon from ending. It finds the connection closed when it continues, and tries again.
    """
    await connection.tell(wire.ACCEPTED, str(os.getpid()))
    try:
        async with asyncio.timeout(_ANSWER_SECONDS):
            return await _begun(connection)
    except TimeoutError:
        raise ConnectionResetError("the front does not answer") from None


async def _begun(connection: FrontConnection) -> bytes:
    """Wait for GO; returns what follows it. Raises OSError, also if it comes from a sandbox."""
    await _readable(connection.socket)
    head, proofs, _, _ = socket.recv_fds(connection.socket, len(wire.GO) + wire.LENGTH.size, 1)
    try:
        if sight.IS_KNOWN and head:
            sight.check_proof(proofs[0] if proofs else -1)
    except sight.Unseen as error:
        raise PermissionError(str(error)) from None
    finally:
        for proof in proofs:
            os.close(proof)
    head += await _received(connection.socket, len(wire.GO) + wire.LENGTH.size - len(head))
    (size,) = wire.LENGTH.unpack(head[len(wire.GO) :])
    if not head.startswith(wire.GO) or size > wire.LONGEST_BEGINNING:
        raise ConnectionResetError("the front does not agree")
    return await _received(connection.socket, size)


async def _end_with_front(connection: FrontConnection, client: Client) -> None:
    """End the connection when the front asks for it or is gone."""
    try:
        data = await asyncio.get_running_loop().sock_recv(connection.socket, 1)
    except OSError:
        data = b""
    if not data:
        logger.info("Process %d is gone", connection.greeting.pid)
    client.stop(0)
