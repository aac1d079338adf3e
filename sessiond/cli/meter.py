"""Show on a terminal how far a command is that takes long."""

from __future__ import annotations

import threading
import time
from typing import TextIO

_AFTER = 1.0
"""Seconds after which it is shown."""

_APART = 0.1
_ERASED = "\r\x1b[K"
"""Erases the line."""


class Meter:
    """One line on a terminal, which is gone when the work is done. See `isolation.advanced`."""

    def __init__(self, terminal: TextIO) -> None:
        self._terminal = terminal
        self._next = time.monotonic() + _AFTER
        self._is_shown = False
        self._lock = threading.Lock()

    def __call__(self, done: int, total: int) -> None:
        """Show how many of how many sessions are done. Called in worker threads."""
        with self._lock:
            now = time.monotonic()
            if done >= total:
                self._erase()
            elif now >= self._next:
                self._next = now + _APART
                self._is_shown = True
                self._write(f"{_ERASED}{done:,} of {total:,} sessions")

    def end(self) -> None:
        """Erase the line, if it is shown, and show none again."""
        with self._lock:
            self._erase()
            self._next = float("inf")

    def _erase(self) -> None:
        if self._is_shown:
            self._is_shown = False
            self._write(_ERASED)

    def _write(self, text: str) -> None:
        try:
            self._terminal.write(text)
            self._terminal.flush()
        except OSError:
            # The terminal is gone; the command goes on.
            self._next = float("inf")
