"""Read many files for the first time in several processes, because Python uses one core in each.

The processes read ahead of a list that takes their readings in its own order, and only save time:
what they do not read, the list reads itself. Each is this module as a program. It gets paths on
standard input and ends with it, so none outlives the daemon or command that started it.
"""

from __future__ import annotations

import os
import selectors
import subprocess
import sys
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from types import TracebackType
from typing import IO, NamedTuple, Self

import msgspec

from sessiond.catalog.search.folding import decode, encode
from sessiond.catalog.summaries import Summary, summarise
from sessiond.catalog.usage.count import FileUsage, UsageCounter
from sessiond.files import disk
from sessiond.runtime.isolation import go_on

MOST_ALONE = 50_000_000
"""Bytes of files that are read without other processes, whose start takes as long."""

_MOST_PROCESSES = 4
_SIZE_BYTES = 4
_PATIENCE = 0.1
"""Seconds between two looks whether somebody still waits for the list."""


class Reading(NamedTuple):
    """The results of one reading of a file; both are None if it is not a session."""

    summary: Summary | None
    usage: FileUsage | None


_decode = msgspec.msgpack.Decoder(Reading).decode


def read_all(path: str) -> Reading:
    """Summarise a session file, and count its usage. Raises as `summarise` does."""
    counter = UsageCounter()
    summary = summarise(path, counter=counter)
    if summary is None:
        return Reading(None, None)
    usage = counter.total(summary.state)
    usage.offset, usage.unended, usage.tail = summary.offset, summary.unended, summary.tail
    return Reading(summary, usage)


class _Process:
    """A process that reads one file after another."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - this module
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # A file of the current directory must not be imported instead of a module.
            cwd="/",
            # Ctrl-C is for the command; its end ends them.
            process_group=0,
        )
        assert self._process.stdin is not None  # noqa: S101 - it was asked for
        assert self._process.stdout is not None  # noqa: S101
        self._input, self.output = self._process.stdin, self._process.stdout
        self.path: str | None = None
        """The file that it reads."""

    def begin(self) -> None:
        """Send what confines this context. Raises OSError."""
        roots = disk.roots()
        _send(self._input, msgspec.msgpack.encode(roots and [*map(encode, roots)]))

    def read(self, path: str) -> None:
        """Let it read a file. Raises OSError."""
        self.path = path
        _send(self._input, encode(path))

    def answer(self) -> bytes | None:
        """Return its reading of the file, empty if it has none; None: it has ended."""
        return _receive(self.output)

    def end(self) -> None:
        self._process.kill()
        for stream in (self._input, self.output):
            # Closing flushes what it has not read.
            with suppress(OSError):
                stream.close()
        self._process.wait()


class ReadingProcesses:
    """Processes that read files in this order, while the `with` block takes the readings."""

    def __init__(self, paths: Iterable[str], processes: int) -> None:
        self._waiting = deque(paths)
        self._readings: dict[str, Reading | None] = {}
        """Readings until they are taken; None: the file must be read again."""
        self._number = processes
        self._processes: list[_Process] = []
        self._selector = selectors.DefaultSelector()

    def __enter__(self) -> Self:
        for _ in range(self._number):
            with suppress(OSError):
                process = _Process()
                self._processes.append(process)
                process.begin()
                self._selector.register(process.output, selectors.EVENT_READ, process)
                self._feed(process)
        return self

    def take(self, path: str) -> Reading | None:
        """Wait for the reading of a file; None if the caller has to read it. Raises Abandoned."""
        while any(process.path == path for process in self._processes):
            go_on()
            for key, _ in self._selector.select(_PATIENCE):
                self._receive(key.data)
        if path in self._readings:
            return self._readings.pop(path)
        with suppress(ValueError):
            # All processes have ended, or each has a file before this one.
            self._waiting.remove(path)
        return None

    def _feed(self, process: _Process) -> None:
        """Give a process the next file, if there is one. Raises OSError."""
        process.path = None
        if self._waiting:
            process.read(self._waiting.popleft())

    def _receive(self, process: _Process) -> None:
        """Take the reading of a process, or note that it has ended."""
        path, answer = process.path, process.answer()
        if path is not None:
            self._readings[path] = _decode(answer) if answer else None
        if answer is None:
            process.path = None
            self._selector.unregister(process.output)
            return
        with suppress(OSError):
            self._feed(process)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._selector.close()
        for process in self._processes:
            process.end()


def processes_for(size: int) -> int:
    """Return how many processes read so many bytes in the least time; 0: none but this one."""
    has_affinity = hasattr(os, "sched_getaffinity")
    cores = len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1
    return min(cores, _MOST_PROCESSES) if cores > 1 and size > MOST_ALONE else 0


def _send(stream: IO[bytes], message: bytes) -> None:
    stream.write(len(message).to_bytes(_SIZE_BYTES) + message)
    stream.flush()


def _receive(stream: IO[bytes]) -> bytes | None:
    """Return the next message; None at the end of the stream."""
    size = stream.read(_SIZE_BYTES)
    if len(size) < _SIZE_BYTES:
        return None
    message = stream.read(int.from_bytes(size))
    return message if len(message) == int.from_bytes(size) else None


def _serve() -> None:
    """Answer each path with its reading; empty: it failed, and will fail in the other process."""
    first = _receive(sys.stdin.buffer)
    roots = None if first is None else msgspec.msgpack.decode(first, type=list[bytes] | None)
    disk.confine(None if roots is None else [*map(decode, roots)], process=True)
    while (path := _receive(sys.stdin.buffer)) is not None:
        answer = b""
        with suppress(Exception):
            answer = msgspec.msgpack.encode(read_all(decode(path)))
        _send(sys.stdout.buffer, answer)


if __name__ == "__main__":
    _serve()
