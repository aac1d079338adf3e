"""Standard input and output as the event loop's: pipes, sockets, and files as a fallback.

Nothing runs in threads. Input is read when there is some, output is queued and written as the
client takes it, buffers as they are.
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
"""The system has no memory at this moment; nothing is said of the other side."""


def claim_stdio() -> tuple[int, int]:
    """Take standard input and output for the protocol; returns their new descriptors.

    Descriptor 0 is left empty and 1 leads to standard error, so that nothing a library or a child
    process reads or prints gets in between. Call it before anything else opens files.
    """
    for fd in (0, 1, 2):
        try:
            os.fstat(fd)
        except OSError:
            # Started with it closed. The lowest free descriptor is the one that is missing.
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
        # Linux only, and there bounded by the user's quota.
        fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


class Input:
    """Reads a descriptor while it is not paused; `on_data` gets b"" at the end, once.

    The descriptor stays in blocking mode: it may be shared, and it is only read when ready.
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
                # A regular file or /dev/null, of which the selector wants to know nothing.
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
        except MemoryError:
            self._try_later()
            return
        except OSError as error:
            if error.errno in _SHORTAGES:
                self._try_later()
                return
            logger.info("Input is gone: %s", error)
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
        """What lies in the pipe at this moment; afterwards the input has ended."""
        self.pause()
        found = bytearray()
        poll = select.poll()
        poll.register(self._fd, select.POLLIN)
        while not self._ended and len(found) < _PIPE_BYTES:
            try:
                data = os.read(self._fd, _READ_BYTES) if poll.poll(0) else b""
            except OSError:
                data = b""
            if not data:
                break
            found += data
        self._ended = True
        return bytes(found)

    def close(self) -> None:
        self.pause()
        self._ended = True


class Output:
    """Writes buffers in order, without joining them; `on_progress` is called when bytes left.

    When the reading end is gone, `lost` is true and everything is thrown away.
    """

    def __init__(self, fd: int, on_progress: Callable[[], None]) -> None:
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
            # Only these can make a write wait for long. A terminal is left as it is, because its
            # mode is shared with every other process on it.
            os.set_blocking(fd, False)
        if stat.S_ISFIFO(mode):
            _enlarge_pipe(fd)
            # The writing end of a pipe becomes readable when nobody holds the other end.
            self._loop.add_reader(fd, self._lose)
            self._watched = True

    def write(self, buffers: list[Buffer]) -> None:
        if self.lost:
            return
        queue, before = self._queue, len(self._queue)
        try:
            queue.extend(filter(len, buffers))
        except BaseException:
            # Half of a message would make all that follows unreadable.
            while len(queue) > before:
                queue.pop()
            raise
        self.unsent += sum(map(len, buffers))
        if not self._corked and not self._waiting and self._flushing is None:
            self._flushing = self._loop.call_soon(self._flush)

    def cork(self) -> None:
        """Hold back what is written until `uncork`, to send many answers with one call."""
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
        """Write as much as the other side takes now."""
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
                logger.info("Output is gone: %s", error)
                self._forget()
        except MemoryError:
            self._try_later()
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
        logger.info("Nobody reads the output any more")
        self._forget()

    def _forget(self) -> None:
        """Throw everything away, and say so: whoever writes may be in the middle of something."""
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
        """Let go of the descriptor, which stays open, in the mode it was found in."""
        self._stop_waiting()
        self._stop_watching()
        for handle in (self._flushing, self._reporting):
            if handle is not None:
                handle.cancel()
        os.set_blocking(self._fd, self._was_blocking)
