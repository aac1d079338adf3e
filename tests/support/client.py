"""A JSON-RPC client for tests, talking over real pipes to a server in this process or another.

async with connected(server) as client:
    result = await client.request("session/create", {"cwd": "/"})
    await client.send_raw(b"...")          # any bytes
    message = await client.receive()       # the next message that no request waits for
assert client.exit_code == 0               # of serve()
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import attrs

from sessiond.rpc.server import Server

DEADLINE = 30.0
"""Seconds after which a test waits in vain."""


async def many_turns() -> None:
    """Let the loop do all that it would do now; the server is in this process."""
    for _ in range(500):
        await asyncio.sleep(0)


class RpcError(Exception):
    """An error response."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(f"{error['code']}: {error['message']}")
        self.code: int = error["code"]
        self.message: str = error["message"]
        self.data: dict[str, Any] = error.get("data", {})

    @property
    def kind(self) -> str | None:
        return self.data.get("kind")


@attrs.define
class Received:
    """One message from the server, as its bytes and decoded."""

    raw: bytes
    value: Any


def framed(value: Any, framing: str = "header") -> bytes:
    """A message as bytes; `value` is JSON bytes or anything json.dumps takes."""
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    if framing == "line":
        return body + b"\n"
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


class Client:
    """The client's end. `framing` is spoken in both directions."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, framing: str
    ) -> None:
        self.framing = framing
        self.exit_code: int | None = None
        self.ended = asyncio.Event()
        self._reader = reader
        self._writer = writer
        self._ids = itertools.count(1)
        self._waiting: dict[Any, asyncio.Future[Received]] = {}
        self._others: asyncio.Queue[Received | None] = asyncio.Queue()
        self._received = asyncio.create_task(self._receive_all())

    async def request(self, method: str, params: Any = None, *, id_: Any = None) -> Any:
        """Call and wait; raises RpcError."""
        return (await self.request_raw(method, params, id_=id_)).value["result"]

    async def request_raw(self, method: str, params: Any = None, *, id_: Any = None) -> Received:
        """Call and wait for the answer with its bytes; raises RpcError."""
        received = await asyncio.wait_for(self.start(method, params, id_=id_), DEADLINE)
        if "error" in received.value:
            raise RpcError(received.value["error"])
        return received

    def start(
        self, method: str, params: Any = None, *, id_: Any = None
    ) -> asyncio.Future[Received]:
        """Send a request now; the future is the answer, which may be an error."""
        number = next(self._ids) if id_ is None else id_
        answer = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        message = {"jsonrpc": "2.0", "id": number, "method": method}
        self.write({**message, "params": params} if params is not None else message)
        return answer

    def notify(self, method: str, params: Any = None) -> None:
        message = {"jsonrpc": "2.0", "method": method}
        self.write({**message, "params": params} if params is not None else message)

    def write(self, value: Any) -> None:
        """Send one framed message: JSON bytes or a value."""
        self._writer.write(framed(value, self.framing))

    async def send_raw(self, data: bytes) -> None:
        """Send bytes as they are."""
        self._writer.write(data)
        await self._writer.drain()

    async def receive(self) -> Received:
        """The next message that answers no `request`: notifications, answers to raw bytes."""
        received = await asyncio.wait_for(self._others.get(), DEADLINE)
        if received is None:
            raise EOFError
        return received

    async def notification(self, method: str) -> Any:
        """The params of the next notification `method`; others before it are dropped."""
        while True:
            message = (await self.receive()).value
            if isinstance(message, dict) and message.get("method") == method:
                return message.get("params")

    async def notifications(self, *methods: str) -> list[Any]:
        """The params of a notification of each method, the latest until there is one of each.

        Which of them comes first is not promised.
        """
        found: dict[str, Any] = {}
        while len(found) < len(methods):
            message = (await self.receive()).value
            if isinstance(message, dict) and message.get("method") in methods:
                found[message["method"]] = message.get("params")
        return [found[method] for method in methods]

    async def rest(self) -> list[Received]:
        """Everything that still comes until the server closes its output."""
        found = []
        while (received := await asyncio.wait_for(self._others.get(), DEADLINE)) is not None:
            found.append(received)
        return found

    async def ends(self) -> int:
        """Wait until the server in this process has ended; returns what `serve` returned."""
        await asyncio.wait_for(self.ended.wait(), DEADLINE)
        assert self.exit_code is not None, "serve() raised"
        return self.exit_code

    async def output_ends(self) -> None:
        """Wait until the server has closed its output; nothing is taken from what came."""
        done, _ = await asyncio.wait({self._received}, timeout=DEADLINE)
        assert done, "the server keeps its output open"

    def end_input(self) -> None:
        """Close the server's standard input."""
        self._writer.close()

    def stop_reading(self) -> None:
        """Stop reading, so that the server's output stays in the pipe."""
        self._reader._transport.pause_reading()  # type: ignore[attr-defined]

    def go_on_reading(self) -> None:
        self._reader._transport.resume_reading()  # type: ignore[attr-defined]

    def vanish(self) -> None:
        """Close both ends, as the death of the client process would."""
        self._received.cancel()
        self._reader._transport.close()  # type: ignore[attr-defined]
        self._writer.close()

    async def _receive_all(self) -> None:
        try:
            while (body := await self._read_body()) is not None:
                received = Received(body, json.loads(body))
                value = received.value
                known = value.get("id") if isinstance(value, dict) else None
                waiting = self._waiting.pop(known, None)
                if waiting is None:
                    self._others.put_nowait(received)
                elif not waiting.done():
                    waiting.set_result(received)
        finally:
            for waiting in self._waiting.values():
                if not waiting.done():
                    waiting.set_exception(EOFError("the server has closed its output"))
                    waiting.exception()
            self._others.put_nowait(None)

    async def _read_body(self) -> bytes | None:
        if self.framing == "line":
            line = await self._reader.readline()
            return line.removesuffix(b"\n") if line else None
        header = await self._reader.readline()
        if not header:
            return None
        found = re.fullmatch(rb"Content-Length: (\d+)\r\n", header)
        assert found, f"stray output: {header!r}"
        assert await self._reader.readline() == b"\r\n"
        return await self._reader.readexactly(int(found[1]))

    async def close(self) -> None:
        self._received.cancel()
        await asyncio.gather(self._received, return_exceptions=True)
        self._reader._transport.close()  # type: ignore[attr-defined]
        self._writer.close()
        # The transports close their pipes in callbacks.
        await asyncio.sleep(0)


async def over(read_fd: int, write_fd: int, framing: str = "header") -> Client:
    """A client on two descriptors, which it then owns."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=2**30)
    await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(read_fd, "rb", 0)
    )
    transport, protocol = await loop.connect_write_pipe(
        asyncio.streams.FlowControlMixin, os.fdopen(write_fd, "wb", 0)
    )
    return Client(reader, asyncio.StreamWriter(transport, protocol, None, loop), framing)


@asynccontextmanager
async def connected(server: Server, framing: str = "header") -> AsyncIterator[Client]:
    """Serve a client in this process; at the end its input is closed and `serve` awaited."""
    server_in, client_out = os.pipe()
    client_in, server_out = os.pipe()
    client = await over(client_in, client_out, framing)
    serving = asyncio.create_task(_serve(server, client, server_in, server_out))
    try:
        yield client
        client.end_input()
        await asyncio.wait_for(asyncio.shield(serving), DEADLINE)
    finally:
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
        await client.close()


async def _serve(server: Server, client: Client, input_fd: int, output_fd: int) -> None:
    try:
        client.exit_code = await server.serve(input_fd, output_fd)
    finally:
        client.ended.set()
        os.close(input_fd)
        os.close(output_fd)


@asynccontextmanager
async def spawned(
    argv: Sequence[str], framing: str = "header", **options: Any
) -> AsyncIterator[tuple[Client, asyncio.subprocess.Process]]:
    """Run `argv` as the server in a process of its own; `options` as for a subprocess."""
    server_in, client_out = os.pipe()
    client_in, server_out = os.pipe()
    client = await over(client_in, client_out, framing)
    try:
        process = await asyncio.create_subprocess_exec(
            *argv, stdin=server_in, stdout=server_out, **options
        )
    finally:
        os.close(server_in)
        os.close(server_out)
    try:
        yield client, process
    finally:
        client.end_input()
        try:
            client.exit_code = await asyncio.wait_for(process.wait(), DEADLINE)
        except TimeoutError:
            process.kill()
            await process.wait()
            raise
        finally:
            await client.close()
