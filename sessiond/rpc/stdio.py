"""Standard input and output on the event loop: pipes and sockets, and files as a fallback.

No threads are used. Input is read when it is available; output is queued and written as fast as the
client reads, without joining the buffers.
"""

from __future__ import annotations

import asyncio
import errno
import fcntl
import itertools
import logging
import os
import select
import stat
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from sessiond.jsontext.spans import Buffer
from sessiond.limits import RETRY_SECONDS

logger = logging.getLogger(__name__)

_PIPE_BYTES = 1024 * 1024
_READ_BYTES = 64 * 1024
_WRITTEN_AT_ONCE = 512
"""Buffers per system call; the kernel's own limit is 1024."""
_SHORTAGES = (errno.ENOMEM, errno.ENOBUFS)
"""The system is short of memory at present; the other side is not concerned."""


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


def _is_pipe(fd: int) -> bool:
    return stat.S_ISFIFO(os.fstat(fd).st_mode)


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
        self._pollable = True
        self._reading = False
        self._ended = False
        self._next: asyncio.Handle | None = None
        self.wanted = 0
        if _is_pipe(fd):
            _enlarge_pipe(fd)

    def resume(self) -> None:
        if self._reading or self._ended:
            return
        self._reading = True
        if self._pollable:
            try:
                self._loop.add_reader(self._fd, self._read)
            except PermissionError:
                # A regular file or /dev/null, which selectors do not support.
                self._pollable = False
        if not self._pollable:
            self._next = self._loop.call_soon(self._read)

    def pause(self) -> None:
        if self._reading and self._pollable:
            self._loop.remove_reader(self._fd)
        if self._next is not None:
            self._next.cancel()
            self._next = None
        self._reading = False

    def _read(self) -> None:
        try:
            data = os.read(self._fd, max(_READ_BYTES, min(self.wanted, _PIPE_BYTES)))
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            if error.errno in _SHORTAGES:
                self._try_later()
                return
            logger.info("Cannot read the input any more: %s", error)
            data = b""
        if not data:
            self.pause()
            self._ended = True
        elif not self._pollable:
            self._next = self._loop.call_soon(self._read)
        self._on_data(data)

    def _try_later(self) -> None:
        self.pause()
        self._next = self._loop.call_later(RETRY_SECONDS, self.resume)

    def rest(self) -> bytes:
        """Read what is in the pipe now, and end the input."""
        self.pause()
        received = bytearray()
        poll = select.poll()
        poll.register(self._fd, select.POLLIN)
        while not self._ended and len(received) < _PIPE_BYTES:
            try:
                data = os.read(self._fd, _READ_BYTES) if poll.poll(0) else b""
            except OSError:
                data = b""
            if not data:
                break
            received += data
        self._ended = True
        return bytes(received)

    def close(self) -> None:
        self.pause()
        self._ended = True


class Output:
    """Writes buffers in order, without joining them; calls `on_progress` after writing.

    When the reader has gone, `lost` is true, `on_progress` is called, and all data is discarded.
    After `close` nothing is called any more.
    """

    def __init__(self, fd: int, on_progress: Callable[[], None]) -> None:
        self.queued = 0
        """Bytes passed to `write` so far."""
        self.unsent = 0
        self.lost = False
        self._fd = fd
        self._on_progress = on_progress
        self._loop = asyncio.get_running_loop()
        self._queue: deque[Buffer] = deque()
        self._corked = False
        self._flushing: asyncio.Handle | None = None
        self._reporting: asyncio.Handle | None = None
        self._waiting = False
        self._watched = False
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
            self._watched = True

    @property
    def sent(self) -> int:
        """Bytes that were written, or discarded because the reader has gone."""
        return self.queued - self.unsent

    def write(self, buffers: list[Buffer]) -> None:
        if self.lost:
            return
        queue, before = self._queue, len(self._queue)
        try:
            queue.extend(filter(len, buffers))
        except BaseException:
            # Half a message would make all later messages unreadable.
            while len(queue) > before:
                queue.pop()
            raise
        size = sum(map(len, buffers))
        self.queued += size
        self.unsent += size
        if not self._corked and not self._waiting and self._flushing is None:
            self._flushing = self._loop.call_soon(self._flush)

    def cork(self) -> None:
        """Delay writing until `uncork`, to send many answers with one system call."""
        self._corked = True

    def uncork(self) -> None:
        self._corked = False
        if self._queue and not self._waiting:
            self.flush()

    def _flush(self) -> None:
        self._flushing = None
        if self._queue:
            self.flush()
            self._on_progress()

    def _writable(self) -> None:
        self.flush()
        self._on_progress()

    def flush(self) -> None:
        """Write as much as is possible without blocking."""
        try:
            while self._queue:
                count = os.writev(self._fd, list(itertools.islice(self._queue, _WRITTEN_AT_ONCE)))
                self.unsent -= count
                self._drop(count)
        except (BlockingIOError, InterruptedError):
            if not self._waiting:
                self._loop.add_writer(self._fd, self._writable)
                self._waiting = True
        except OSError as error:
            if error.errno in _SHORTAGES:
                self._try_later()
            else:
                logger.info("Cannot write the output any more: %s", error)
                self._discard()
        else:
            self._stop_waiting()

    def _try_later(self) -> None:
        if self._flushing is None:
            self._flushing = self._loop.call_later(RETRY_SECONDS, self._flush)

    def _drop(self, count: int) -> None:
        queue = self._queue
        while count and count >= len(queue[0]):
            count -= len(queue.popleft())
        if count:
            queue[0] = memoryview(queue[0])[count:]

    def _stop_waiting(self) -> None:
        if self._waiting:
            self._loop.remove_writer(self._fd)
            self._waiting = False

    def _lose(self) -> None:
        logger.info("The client has closed the output")
        self._discard()

    def _discard(self) -> None:
        """Discard all data and report that later, because the caller may be writing just now."""
        if not self.lost:
            self._reporting = self._loop.call_soon(self._on_progress)
        self.lost = True
        self.unsent = 0
        self._queue.clear()
        self._stop_waiting()
        self._stop_watching()

    def _stop_watching(self) -> None:
        if self._watched:
            self._loop.remove_reader(self._fd)
            self._watched = False

    def close(self) -> None:
        """Stop using the descriptor; it stays open and gets back its original mode."""
        self._stop_waiting()
        self._stop_watching()
        for handle in (self._flushing, self._reporting):
            if handle is not None:
                handle.cancel()
        os.set_blocking(self._fd, self._was_blocking)
