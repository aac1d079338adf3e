"""A raw client, which decodes answers only on request and reads as fast as possible."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import orjson

BENCH = Path(__file__).resolve().parent
ROOT = BENCH.parents[1]
REFERENCE = ROOT / ".cache" / "reference"
DAEMON = [sys.executable, "-m", "sessiond"]
ECHO = [sys.executable, str(BENCH / "echo.py")]
VSCODE = ["node", str(BENCH / "vscode_bench.mjs"), str(REFERENCE)]


def body_of(number: int, method: str, **params: Any) -> bytes:
    return orjson.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


def framed(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


class Process:
    """A server on pipes; it gets a new home directory unless `home` is given.

    `more` are further variables of its environment.
    """

    def __init__(self, command: Sequence[str], home: Path | None = None, **more: str) -> None:
        self._home = tempfile.TemporaryDirectory(prefix="sessiond-bench-")
        self.home = home or Path(self._home.name)
        env = {"PATH": os.environ["PATH"], "HOME": str(self.home), **more}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, bufsize=0
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.stdin = self.process.stdin.fileno()
        self.stdout = self.process.stdout.fileno()
        self._rest = b""
        self._number = 0

    def send(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self.stdin, view) :]

    def receive(self) -> bytes:
        """Return the next body."""
        length, data = self._begin()
        while len(data) < length:
            data += self._read()
        self._rest = data[length:]
        return data[:length]

    def drain(self) -> tuple[int, bytes]:
        """Read the next body without keeping it; returns its length and beginning.

        No other message may follow.
        """
        length, begin = self._begin()
        left = length - len(begin)
        buffer = [bytearray(1 << 20)]
        while left > 0:
            left -= (count := os.readv(self.stdout, buffer))
            if count == 0:
                raise EOFError("the server ended")
        assert left == 0
        self._rest = b""
        return length, begin

    def _begin(self) -> tuple[int, bytes]:
        """Return the next body's length, and all bytes received after its header."""
        data = self._rest
        while (end := data.find(b"\r\n\r\n")) < 0:
            data += self._read()
        length = int(data[data.index(b":") + 1 : data.index(b"\r\n")])
        return length, data[end + 4 :]

    def _read(self) -> bytes:
        chunk = os.read(self.stdout, 1 << 16)
        if not chunk:
            raise EOFError("the server ended")
        return chunk

    def exchange(self, body: bytes) -> bytes:
        self.send(framed(body))
        return self.receive()

    def request(self, method: str, **params: Any) -> Any:
        """Send a request and return the decoded result; notifications are skipped."""
        self._number += 1
        answer = orjson.loads(self.exchange(body_of(self._number, method, **params)))
        while "method" in answer:
            answer = orjson.loads(self.receive())
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def resident(self) -> int:
        """Return the resident memory of the process in bytes."""
        return self._status("VmRSS:")

    def peak(self) -> int:
        """Return the largest resident memory that the process has had, in bytes."""
        return self._status("VmHWM:")

    def _status(self, name: str) -> int:
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(name):
                return int(line.split()[1]) * 1024
        raise RuntimeError(f"no {name}")

    def close(self) -> None:
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(10)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self._home.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def pi(*arguments: str | Path) -> dict[str, float]:
    """Run one measurement of the reference in a new process."""
    command = ["node", str(BENCH / "pi_bench.mjs"), str(REFERENCE), *map(str, arguments)]
    done = subprocess.run(command, check=True, capture_output=True)
    measured: dict[str, float] = orjson.loads(done.stdout)
    return measured
