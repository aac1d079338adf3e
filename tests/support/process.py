"""A synchronous client for one child process that speaks over its stdin and stdout."""

from __future__ import annotations

import collections
import json
import os
import selectors
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Self

from support.jsonwire import dumps

DEADLINE = 30.0
"""Seconds until an answer that does not come fails the test."""


class ProcessEnded(Exception):
    """The child closed its stdout before the answer; contains its stderr."""


class RpcError(Exception):
    """A JSON-RPC error answer."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error["message"])
        self.code: int = error["code"]
        self.message: str = error["message"]
        self.data: dict[str, Any] = error.get("data") or {}

    @property
    def kind(self) -> str | None:
        return self.data.get("kind")


class Child:
    """A process with piped stdin and stdout; reads end at a deadline instead of hanging."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str], cwd: Path | None) -> None:
        self._stderr: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the child
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            env=dict(env),
            cwd=cwd,
            bufsize=0,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._in = self.process.stdin.fileno()
        self._out = self.process.stdout.fileno()
        os.set_blocking(self._in, False)
        os.set_blocking(self._out, False)
        self._buffer = bytearray()
        self._waiting = selectors.DefaultSelector()

    def stderr(self) -> str:
        self._stderr.seek(0)
        return self._stderr.read().decode(errors="replace")

    def send(self, data: bytes) -> None:
        """Write all of `data` and read the child's output meanwhile, so that neither side blocks."""
        view = memoryview(data)
        deadline = time.monotonic() + DEADLINE
        while view:
            try:
                view = view[os.write(self._in, view) :]
            except BlockingIOError:
                self._wait(deadline, writing=True)
            except BrokenPipeError:
                raise ProcessEnded(self.stderr()) from None

    def read_line(self, deadline: float) -> bytes:
        """Up to and without the next LF."""
        searched = 0
        while (end := self._buffer.find(b"\n", searched)) < 0:
            searched = len(self._buffer)
            self._wait(deadline)
        return self._take(end + 1)[:-1]

    def read_exactly(self, count: int, deadline: float) -> bytes:
        while len(self._buffer) < count:
            self._wait(deadline)
        return self._take(count)

    def _take(self, count: int) -> bytes:
        taken = bytes(self._buffer[:count])
        del self._buffer[:count]
        return taken

    def _wait(self, deadline: float, *, writing: bool = False) -> None:
        self._waiting.register(self._out, selectors.EVENT_READ)
        if writing:
            self._waiting.register(self._in, selectors.EVENT_WRITE)
        try:
            ready = self._waiting.select(max(0.0, deadline - time.monotonic()))
        finally:
            self._waiting.unregister(self._out)
            if writing:
                self._waiting.unregister(self._in)
        if not ready:
            raise TimeoutError(f"nothing came within {DEADLINE} s; stderr: {self.stderr()}")
        if any(key.fd == self._out for key, _ in ready):
            chunk = os.read(self._out, 1 << 20)
            if not chunk:
                raise ProcessEnded(self.stderr())
            self._buffer += chunk

    def close(self) -> int:
        """End the child's stdin and wait for it; the exit code."""
        try:
            if self.process.stdin is not None and not self.process.stdin.closed:
                self.process.stdin.close()
            return self.process.wait(DEADLINE)
        finally:
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait()
            if self.process.stdout is not None:
                self.process.stdout.close()
            self._waiting.close()
            self._stderr.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def isolated_environment(home: Path, **more: str) -> dict[str, str]:
    """Just enough of ours to run a program, with a home directory of its own."""
    kept = {
        name: os.environ[name]
        for name in ("PATH", "LANG", "TMPDIR", "XDG_RUNTIME_DIR")
        if name in os.environ
    }
    return {**kept, "HOME": str(home), **more}


class Daemon(Child):
    """sessiond as a real process. `framing` is "line" or "header", as the client sends it.

    `program` is what Python runs: the module, or a text that changes something before it starts it.
    """

    def __init__(
        self,
        home: Path,
        *arguments: str,
        program: Sequence[str] = ("-m", "sessiond"),
        framing: str = "line",
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> None:
        home.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, *program, *arguments]
        super().__init__(command, isolated_environment(home, **(env or {})), cwd)
        self.framing = framing
        self.notifications: collections.deque[dict[str, Any]] = collections.deque()
        self._last_id = 0

    def request(self, method: str, **params: Any) -> Any:
        """The decoded result; raises RpcError."""
        return json.loads(self.request_text(method, **params))["result"]

    def request_text(self, method: str, **params: Any) -> str:
        """The answer's whole body as text; raises RpcError."""
        self._last_id += 1
        self.post({"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params})
        while True:
            body = self.read_body()
            message = json.loads(body)
            if "method" in message:
                self.notifications.append(message)
            elif message.get("id") == self._last_id:
                break
            else:
                raise AssertionError(f"an answer without a request: {body!r}")
        if "error" in message:
            raise RpcError(message["error"])
        return body.decode()

    def notification(self, method: str) -> dict[str, Any]:
        """The params of the next notification of that name; the ones before it are dropped."""
        while True:
            message = (
                self.notifications.popleft() if self.notifications else json.loads(self.read_body())
            )
            if message.get("method") == method:
                params: dict[str, Any] = message["params"]
                return params

    def post(self, message: Any) -> None:
        body = dumps(message).encode()
        if self.framing == "line":
            self.send(body + b"\n")
        else:
            self.send(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def read_body(self) -> bytes:
        deadline = time.monotonic() + DEADLINE
        if self.framing == "line":
            return self.read_line(deadline)
        length = -1
        while line := self.read_line(deadline).rstrip(b"\r"):
            name, _, value = line.partition(b":")
            if name.strip().lower() == b"content-length":
                length = int(value)
        return self.read_exactly(length, deadline)
