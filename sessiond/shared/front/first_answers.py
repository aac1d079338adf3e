"""Answer the first messages of a Model Context Protocol client before the rest is imported.

An agent that never uses a tool neither loads more than this nor starts a shared daemon.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
from collections.abc import Callable

from sessiond.shared.front.fixed_answers import FixedAnswers

_READ_BYTES = 64 * 1024
_BLANK = (b"", b"\r")
_MOST_HELD = 64 * 1024
"""Bytes of a message without an end, after which the server goes on."""

_MOST_SENT = 48 * 1024
"""Bytes of answers, after which the server goes on. A pipe takes as many and one more answer
although nobody reads them, so that writing never waits for a client that does not read."""


class BegunConversation:
    """The part of a conversation before the server continues the conversation."""

    def __init__(self, version: str | None = None, client: str = "", rest: bytes = b"") -> None:
        self.version = version
        """The version that `initialize` has agreed on."""
        self.client = client
        """Name and version of the client's program; empty if it has not told."""
        self.rest = rest
        """Bytes that were read and are still to be served."""

    def pack(self) -> bytes:
        """Return it as bytes for the shared daemon, which continues the conversation."""
        return json.dumps([self.version, self.client]).encode() + b"\n" + self.rest


def unpack(data: bytes) -> BegunConversation:
    """Read what `pack` has returned. Raises ValueError."""
    head, _, rest = data.partition(b"\n")
    version, client = json.loads(head)
    return BegunConversation(version, client, rest)


def converse(
    answers: FixedAnswers, read: Callable[[], bytes], write: Callable[[bytes], None]
) -> BegunConversation:
    """Answer message by message until one needs the server, or the input ends."""
    held, sent = b"", 0
    while sent < _MOST_SENT:
        line, end, rest = held.partition(b"\n")
        if not end:
            data = read() if len(held) < _MOST_HELD else b""
            if not data:
                break
            held += data
            continue
        answer = b"" if line in _BLANK else answers.answer(line)
        if answer is None:
            break
        if answer:
            write(answer + b"\n")
            sent += len(answer) + 1
        held = rest
    return BegunConversation(answers.version, answers.client, held)


def begin() -> BegunConversation:
    """Converse on the standard streams; not if a person types, or if one of them is closed.

    Raises SystemExit if a signal ends the process meanwhile.
    """
    try:
        for stream in (0, 1, 2):
            os.fstat(stream)
    except OSError:
        return BegunConversation()
    if os.isatty(0):
        return BegunConversation()
    ending = (signal.SIGTERM, signal.SIGINT)
    before = [signal.signal(number, _end) for number in ending]
    try:
        return converse(FixedAnswers(), _read, _write)
    finally:
        for number, handler in zip(ending, before, strict=True):
            signal.signal(number, handler)


def _end(_number: int, _frame: object) -> None:
    sys.exit(0)


def _read() -> bytes:
    """Wait for input. Empty if there is none; the server then finds out why."""
    while True:
        try:
            return os.read(0, _READ_BYTES)
        except BlockingIOError:
            select.select([0], [], [])
        except OSError:
            return b""


def _write(data: bytes) -> None:
    """Write all, unless the client has gone, which the next reading shows."""
    unsent = memoryview(data)
    while unsent:
        try:
            unsent = unsent[os.write(1, unsent) :]
        except BlockingIOError:
            select.select([], [1], [])
        except OSError:
            return
