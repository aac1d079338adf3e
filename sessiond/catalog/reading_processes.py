"""Read many files for the first time in several processes, because Python uses one core in each.

The processes read the last files while the list reads the first ones, and only save time: what they
do not read, the list reads itself. Each is this module as a program. It gets paths on
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

_MOST_PROCESSES = 3
_AHEAD = 4
"""Files that a process is given at once; meanwhile this one reads, and gives it no others."""

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
            # An answer that was read into a buffer would not be selected.
            bufsize=0,
            # A file of the current directory must not be imported instead of a module.
            cwd="/",
            # Ctrl-C is for the command; its end ends them.
            process_group=0,
        )
        assert self._process.stdin is not None  # noqa: S101 - it was asked for
        assert self._process.stdout is not None  # noqa: S101
        self._input, self.output = self._process.stdin, self._process.stdout
        self.paths: deque[str] = deque()
        """The files that it reads, in their order."""

    def begin(self) -> None:
        """Send what confines this context. Raises OSError."""
        roots = disk.roots()
        _send(self._input, msgspec.msgpack.encode(roots and [*map(encode, roots)]))

    def read(self, path: str) -> None:
        """Let it read a file. Raises OSError."""
        self.paths.append(path)
        _send(self._input, encode(path))

    def answer(self) -> bytes | None:
        """Return its reading of the first file, empty if it has none; None: it has ended."""
        return _receive(self.output)

    def end(self) -> None:
        self._process.kill()
        self._input.close()
        self.output.close()
        self._process.wait()


class ReadingProcesses:
    """Processes that read some of these files, from the last one on, for who reads the others.

    Whoever goes through the files from the first one on takes the readings within the `with` block.
    """

    def __init__(self, paths: Iterable[str], processes: int) -> None:
        self._waiting = dict.fromkeys(paths)
        """The paths that nobody reads yet."""
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
        """Return the reading of a file, if a process reads it; None if the caller has to.

        Raises Abandoned.
        """
        self._waiting.pop(path, None)
        self._receive_all(0)
        while any(path in process.paths for process in self._processes):
            go_on()
            self._receive_all(_PATIENCE)
        return self._readings.pop(path, None)

    def _receive_all(self, patience: float) -> None:
        """Take what was read by now; wait so many seconds for something."""
        while ready := self._selector.select(patience):
            for key, _ in ready:
                self._receive(key.data)
            patience = 0

    def _receive(self, process: _Process) -> None:
        """Take the next reading of a process, or note that it has ended."""
        answer = process.answer()
        if answer is None:
            process.paths.clear()
            self._selector.unregister(process.output)
            return
        self._readings[process.paths.popleft()] = _decode(answer) if answer else None
        with suppress(OSError):
            self._feed(process)

    def _feed(self, process: _Process) -> None:
        """Give a process files, so that it need not wait for the next one. Raises OSError."""
        while self._waiting and len(process.paths) < _AHEAD:
            path, _ = self._waiting.popitem()
            process.read(path)

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
    """Return how many processes shall read so many bytes beside this one."""
    has_affinity = hasattr(os, "sched_getaffinity")
    cores = len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1
    return min(cores - 1, _MOST_PROCESSES) if size > MOST_ALONE else 0


def _send(stream: IO[bytes], message: bytes) -> None:
    stream.write(len(message).to_bytes(_SIZE_BYTES) + message)
    stream.flush()


def _receive(stream: IO[bytes]) -> bytes | None:
    """Return the next message; None at the end of the stream."""
    size = _exactly(stream, _SIZE_BYTES)
    return None if size is None else _exactly(stream, int.from_bytes(size))


def _exactly(stream: IO[bytes], size: int) -> bytes | None:
    parts: list[bytes] = []
    while size and (part := stream.read(size)):
        parts.append(part)
        size -= len(part)
    return None if size else b"".join(parts)


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
    # The process that started this one may be gone.
    with suppress(BrokenPipeError):
        _serve()
