"""Where the log goes, and how a record looks in it."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import sys
from typing import Any

FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"

MOST_OF_LINE, MOST_OF_TRACEBACK = 2000, 20_000
"""In characters."""

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


class RecordFormatter(logging.Formatter):  # noqa: TID251 - all others use this one
    """Formats a record as one line, with its traceback below; both have a limited length.

    Messages quote what clients have sent and what files contain. A long name must not fill the
    disk, and a line break in a name must not begin a line that looks like another record.
    """

    def __init__(self) -> None:
        super().__init__(FORMAT)

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - of the base class
        record.message = _line(record.message)
        return super().formatMessage(record)

    def formatException(self, ei: Any) -> str:  # noqa: N802 - of the base class
        lines = super().formatException(ei).split("\n")
        return _shortened("\n".join(map(_line, lines)), MOST_OF_TRACEBACK)


def _line(text: str) -> str:
    """Escape control characters in a text, and cut out its middle if it is long."""
    # Cut first: a name may have megabytes.
    return _CONTROL.sub(lambda found: ascii(found[0])[1:-1], _shortened(text, MOST_OF_LINE))


def _shortened(text: str, most: int) -> str:
    cut = len(text) - most
    if cut <= 0:
        return text
    head = most * 2 // 3
    return f"{text[:head]}[… {cut} characters left out …]{text[head + cut :]}"


def begin_log(target: str | None, level: str) -> None:
    """Send the records of this process from `level` up to a file, or to standard error.

    Raises OSError.
    """
    logging.basicConfig(level=level.upper(), handlers=[log_handler(target)])


def log_handler(target: str | None) -> logging.Handler:
    """A handler for the file `target`, or for standard error, with its format. Raises OSError.

    A log may quote sessions, so a new file is private; an existing file keeps its mode.
    """
    handler = _handler(target) if target else logging.StreamHandler(sys.stderr)
    handler.setFormatter(RecordFormatter())
    return handler


def _handler(target: str) -> logging.Handler:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    with contextlib.suppress(FileExistsError):
        # The command line names the log, never a client, so it is not confined.
        os.close(os.open(target, flags, 0o600))  # noqa: TID251
    return logging.FileHandler(target, encoding="utf-8", errors="backslashreplace")
