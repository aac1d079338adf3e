"""Where the log goes."""

from __future__ import annotations

import contextlib
import logging
import os
import sys


def log_handler(target: str | None) -> logging.Handler:
    """A handler for the file `target`, or for standard error. Raises OSError.

    A log may quote sessions, so a new file is private; an existing file keeps its mode.
    """
    if not target:
        return logging.StreamHandler(sys.stderr)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    with contextlib.suppress(FileExistsError):
        # The command line names the log, never a client, so it is not confined.
        os.close(os.open(target, flags, 0o600))  # noqa: TID251
    return logging.FileHandler(target, encoding="utf-8", errors="backslashreplace")
