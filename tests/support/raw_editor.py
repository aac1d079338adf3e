"""A language client that sends any bytes, and reads answers strictly."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from support.editors import DEADLINE


class Raw:
    """A client that sends any bytes, and reads answers as strictly as msgspec reads JSON."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        assert process.stdin is not None
        assert process.stdout is not None
        self._input, self._output = process.stdin, process.stdout

    def send(self, message: Any) -> None:
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        self._input.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def ask(self, number: int, method: str, params: Any = None) -> None:
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})

    async def next(self) -> Any:
        async with asyncio.timeout(DEADLINE):
            head = await self._output.readuntil(b"\r\n\r\n")
            size = int(head.split(b":")[1].split()[0])
            return msgspec.json.decode(await self._output.readexactly(size))

    async def answer(self, number: int | None) -> Any:
        """Return the answer with this id; notifications before it are left out."""
        while True:
            message = await self.next()
            if "method" not in message and message.get("id") == number:
                return message

    async def call(self, number: int, method: str, params: Any = None) -> Any:
        self.ask(number, method, params)
        return await self.answer(number)

    async def greet(self, **capabilities: Any) -> Any:
        found = await self.call(
            0, "initialize", {"processId": None, "rootUri": None, "capabilities": capabilities}
        )
        self.send({"jsonrpc": "2.0", "method": "initialized", "params": {}})
        return found["result"]

    async def end(self) -> tuple[int, bytes]:
        """Wait for the end; returns the exit code and what is on standard error."""
        assert self.process.stderr is not None
        async with asyncio.timeout(DEADLINE):
            errors = await self.process.stderr.read()
            return await self.process.wait(), errors

    def close(self) -> None:
        self._input.close()


@asynccontextmanager
async def raw(home: Path, *arguments: str) -> AsyncIterator[Raw]:
    """Run `sessiond lsp`; a server that still runs at the end is killed."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "sessiond", "lsp", *arguments),
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        env={"HOME": str(home), "PATH": "", "PWD": str(home), "TZ": "UTC"},
        cwd=str(home),
        limit=1 << 26,
    )
    try:
        yield Raw(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
