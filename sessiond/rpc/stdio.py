"""Standard input and output on the event loop: pipes and sockets, and files as a fallback.

No threads are used. Input is read when it is available; output is queued and written as fast as the
client reads, without joining the buffers.
"""

from __future__ import annotations

import asyncio
import fcntl
import itertools
import logging
import os
import stat
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from sessiond.text.spans import Buffer

logger = logging.getLogger(__name__)

_PIPE_BYTES = 1024 * 1024
_READ_BYTES = 64 * 1024
_WRITTEN_AT_ONCE = 512
"""Buffers per system call; the kernel's own limit is 1024."""


def claim_stdio() -> tuple[int, int]:
    """Reserve standard input and output for the protocol; returns their new descriptors.

    Afterwards descriptor 0 is empty and 1 is standard error, so that libraries and child processes
    cannot read from or print into the protocol. Must be called before anything opens files.
    """
    for fd in (0, 1, 2):
        try:
            os.fstat(fd)
        except OSError:
            # The process was started with it closed; `open` returns the lowest free descriptor.
            os.open(os.devnull, os.O_RDWR)
    input_fd, output_fd = os.dup(0), os.dup(1)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    return input_fd, output_fd


def _enlarge_pipe(fd: int) -> None:
    with suppress(AttributeError, OSError):
        # Only on Linux, and limited by the user's quota.
        fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


class Input:
    """Reads a descriptor while it is not paused; `on_data` is called with b"" once, at the end.

    The descriptor stays in blocking mode, because it may be shared; it is only read when ready.
    """

    def __init__(self, fd: int, on_data: Callable[[bytes], None]) -> None:
        self._fd = fd
        self._on_data = on_data
        self._loop = asyncio.get_running_loop()
        self._is_pollable = True
        self._is_reading = False
        self._has_ended = False
        self._next: asyncio.Handle | None = None
        if stat.S_ISFIFO(os.fstat(fd).st_mode):
            _enlarge_pipe(fd)

    def resume(self) -> None:
        """Go on reading."""
        if self._is_reading or self._has_ended:
            return
        self._is_reading = True
        if self._is_pollable:
            try:
                self._loop.add_reader(self._fd, self._read)
            except PermissionError:
                # A regular file or /dev/null, which selectors do not support.
                self._is_pollable = False
        if not self._is_pollable:
            self._next = self._loop.call_soon(self._read)

    def pause(self) -> None:
        """Read nothing until `resume`."""
        if self._is_reading and self._is_pollable:
            self._loop.remove_reader(self._fd)
        if self._next is not None:
            self._next.cancel()
            self._next = None
        self._is_reading = False

    def _read(self) -> None:
        try:
            data = os.read(self._fd, _READ_BYTES)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            logger.info("Cannot read the input any more: %s", error)
            data = b""
        if not data:
            self.pause()
            self._has_ended = True
        elif not self._is_pollable:
            self._next = self._loop.call_soon(self._read)
        self._on_data(data)


class Output:
    """Writes buffers in order, without joining them; calls `on_progress` after writing.

    When the reader has gone, `is_lost` is true, `on_progress` is called, and all data is discarded.
    After `close` nothing is called any more.
    """

    def __init__(self, fd: int, on_progress: Callable[[], None]) -> None:
        self.unsent = 0
        """Bytes that were not written yet."""
        self.is_lost = False
        self._fd = fd
        self._on_progress = on_progress
        self._loop = asyncio.get_running_loop()
        self._queue: deque[Buffer] = deque()
        self._flushing: asyncio.Handle | None = None
        self._is_waiting = False
        self._is_watched = False
        self._was_blocking = os.get_blocking(fd)
        mode = os.fstat(fd).st_mode
        if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
            # Only these can block for long. A terminal stays in its mode, because it shares it
            # with all other processes on the terminal.
            os.set_blocking(fd, False)
        if stat.S_ISFIFO(mode):
            _enlarge_pipe(fd)
            # The writing end of a pipe becomes readable when the reading end is closed.
            self._loop.add_reader(fd, self._lose)
            self._is_watched = True

    def write(self, buffers: list[Buffer]) -> None:
        """Queue a message; all messages of one turn of the loop are written with one call."""
        if self.is_lost:
            return
        self._queue.extend(filter(len, buffers))
        self.unsent += sum(map(len, buffers))
        if self._flushing is None and not self._is_waiting:
            self._flushing = self._loop.call_soon(self.flush)

    def flush(self) -> None:
        """Write as much as is possible without blocking; at once, if more is not to be expected."""
        if self._flushing is not None:
            self._flushing.cancel()
            self._flushing = None
        try:
            while self._queue:
                count = os.writev(self._fd, list(itertools.islice(self._queue, _WRITTEN_AT_ONCE)))
                self._drop(count)
        except (BlockingIOError, InterruptedError):
            if not self._is_waiting:
                self._loop.add_writer(self._fd, self.flush)
                self._is_waiting = True
        except OSError as error:
            logger.info("Cannot write the output any more: %s", error)
            self._lose()
            return
        if self._is_waiting and not self._queue:
            self._stop_waiting()
        self._on_progress()

    def _drop(self, count: int) -> None:
        queue = self._queue
        self.unsent -= count
        while count and count >= len(queue[0]):
            count -= len(queue.popleft())
        if count:
            queue[0] = memoryview(queue[0])[count:]

    def _stop_waiting(self) -> None:
        if self._is_waiting:
            self._loop.remove_writer(self._fd)
            self._is_waiting = False

    def _lose(self) -> None:
        """Discard all data, because nobody reads it any more."""
        self.is_lost, self.unsent = True, 0
        self._queue.clear()
        self._stop()
        self._flushing = self._loop.call_soon(self._on_progress)

    def _stop(self) -> None:
        self._stop_waiting()
        if self._is_watched:
            self._loop.remove_reader(self._fd)
            self._is_watched = False
        if self._flushing is not None:
            self._flushing.cancel()

    def close(self) -> None:
        """Stop using the descriptor; it stays open and gets back its original mode."""
        self._stop()
        os.set_blocking(self._fd, self._was_blocking)
