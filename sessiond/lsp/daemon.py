"""Call the daemon in a process of its own, which `--shared` connects to the shared daemon."""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
from collections.abc import Callable, Sequence
from typing import Any

from sessiond.jsontext.spans import loads


class Refused(Exception):
    """The daemon has answered with an error."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error["message"])
        self.code: int = error["code"]
        self.message: str = error["message"]
        self.data: dict[str, Any] | None = error.get("data")


_END_SECONDS = 10.0

_ENDED = {"code": -32603, "message": "the daemon has ended; the next request starts it again"}


class Daemon:
    """Starts the daemon with its first call, and again if it has ended.

    `hear` is called with method and params of each notification, `forget` when the daemon has ended
    and with it its handles.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        hear: Callable[[str, Any], None],
        forget: Callable[[], None],
    ) -> None:
        self._command = [sys.executable, "-m", "sessiond", *arguments, "--framing=header"]
        self._hear = hear
        self._forget = forget
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._starting = asyncio.Lock()
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None

    async def call(self, method: str, params: Any = None) -> Any:
        """Return the result. Raises Refused. Cancelling the caller cancels the request."""
        process = await self._started()
        number = next(self._ids)
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        request = {"jsonrpc": "2.0", "id": number, "method": method}
        self._write(process, request if params is None else {**request, "params": params})
        try:
            return await answer
        except asyncio.CancelledError:
            self.notify("$/cancelRequest", {"id": number})
            raise
        finally:
            self._waiting.pop(number, None)

    def notify(self, method: str, params: Any) -> None:
        """Send a notification, unless the daemon does not run."""
        if self._process is not None:
            self._write(self._process, {"jsonrpc": "2.0", "method": method, "params": params})

    async def close(self) -> None:
        """Let the daemon end by closing its input, and wait for it."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
        if self._reading is not None:
            await self._reading

    async def _started(self) -> asyncio.subprocess.Process:
        async with self._starting:
            if self._process is None:
                pipe = asyncio.subprocess.PIPE
                # A signal for the editor's group ends the daemon through its input, after this one.
                process = await asyncio.create_subprocess_exec(
                    *self._command, stdin=pipe, stdout=pipe, start_new_session=True
                )
                self._process = process
                self._reading = asyncio.create_task(self._read(process))
            return self._process

    @staticmethod
    def _write(process: asyncio.subprocess.Process, message: Any) -> None:
        assert process.stdin is not None, "it has a pipe"  # noqa: S101
        body = json.dumps(message).encode()
        process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None, "it has a pipe"  # noqa: S101
        try:
            while True:
                head = await process.stdout.readuntil(b"\r\n\r\n")
                size = int(head.split(b":")[1])
                self._take(loads(await process.stdout.readexactly(size)))
        except asyncio.IncompleteReadError:
            await process.wait()
        except asyncio.CancelledError:
            # The editor has gone without a word: the daemon ends its work, and is not killed in it.
            if process.stdin is not None:
                process.stdin.close()
            await asyncio.wait_for(process.wait(), _END_SECONDS)
            raise
        finally:
            self._process = None
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_exception(Refused(_ENDED))
            self._forget()

    def _take(self, message: dict[str, Any]) -> None:
        if "method" in message:
            self._hear(message["method"], message.get("params"))
            return
        answer = self._waiting.get(message["id"])
        if answer is None or answer.done():
            return
        if "error" in message:
            answer.set_exception(Refused(message["error"]))
        else:
            answer.set_result(message["result"])
