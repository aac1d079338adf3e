"""Each connection logs to its own standard error or file, the daemon to its log."""

from __future__ import annotations

import contextlib
import contextvars
import logging
import os
import select
from collections.abc import Collection
from logging.handlers import RotatingFileHandler

from sessiond.runtime.logs import RecordFormatter

LOG_BYTES = 1024 * 1024
"""Size at which the log is renamed to `….log.1` and a new one is begun; one old one is kept."""

_PIPE_BUF = 4096
"""Bytes that a writable pipe takes without blocking: POSIX's PIPE_BUF on Linux."""

_of_connection: contextvars.ContextVar[logging.Handler | None] = contextvars.ContextVar(
    "log of the connection", default=None
)


class StreamLog(logging.Handler):
    """Writes to the standard error of a client, and drops what the client does not take at once.

    Blocking would stop all other clients, and keeping it would take memory without limit.
    """

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self._descriptor = descriptor
        self.closed = False
        self._is_cut = False
        """Whether only the beginning of the last record was written."""
        self._poll = select.poll()
        self._poll.register(descriptor, select.POLLOUT)

    def close(self) -> None:
        """Write nothing more: the number of the descriptor may soon be that of another client."""
        with self.lock or contextlib.nullcontext():
            self.closed = True
        super().close()

    def emit(self, record: logging.LogRecord) -> None:
        if self.closed:
            return
        try:
            text = ("\n" if self._is_cut else "") + self.format(record) + "\n"
            data = text.encode("utf-8", "backslashreplace")
            for start in range(0, len(data), _PIPE_BUF):
                ready = self._poll.poll(0)
                if not ready or not ready[0][1] & select.POLLOUT:
                    self._is_cut = self._is_cut or start > 0
                    return
                os.write(self._descriptor, data[start : start + _PIPE_BUF])
            self._is_cut = False
        except OSError:
            # The reader has gone.
            return


class _Router(logging.Handler):
    """Passes a record to the connection in whose context it was made, else to the daemon's log."""

    def __init__(self, own: logging.Handler, open_logs: Collection[logging.Handler]) -> None:
        super().__init__()
        self._own = own
        self._open = open_logs

    def emit(self, record: logging.LogRecord) -> None:
        target = _of_connection.get()
        if target is None or target not in self._open:
            # Work for a client may end after the client.
            target = self._own
        if record.levelno >= target.level:
            target.handle(record)


class Logs:
    """The log of the daemon and those of its connections."""

    def __init__(self, path: str) -> None:
        own = _DaemonLog(
            path, maxBytes=LOG_BYTES, backupCount=1, encoding="utf-8", errors="backslashreplace"
        )
        own.setFormatter(RecordFormatter())
        own.setLevel(logging.INFO)
        self._handlers: list[logging.Handler] = [own]
        logging.basicConfig(handlers=[_Router(own, self._handlers)])
        self._adapt()

    def enter(self, handler: logging.Handler, level: str) -> None:
        """Send what is logged in this context to `handler`."""
        handler.setFormatter(RecordFormatter())
        handler.setLevel(level.upper())
        self._handlers.append(handler)
        _of_connection.set(handler)
        self._adapt()

    def leave(self, handler: logging.Handler) -> None:
        self._handlers.remove(handler)
        self._adapt()
        handler.close()

    def _adapt(self) -> None:
        """Make only those records that one of the logs wants."""
        logging.getLogger().setLevel(min(handler.level for handler in self._handlers))


class _DaemonLog(RotatingFileHandler):
    """Also takes what is written to standard output and error, such as a traceback."""

    def doRollover(self) -> None:  # noqa: N802 - the name of the base class
        super().doRollover()
        if self.stream is None:
            return
        for descriptor in (1, 2):
            os.dup2(self.stream.fileno(), descriptor)
