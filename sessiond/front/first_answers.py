"""Answer the first messages of a Model Context Protocol client while the rest is started."""

from __future__ import annotations

import json
import os
import select
import threading
from collections.abc import Mapping, Sequence

from sessiond.front.arguments import is_yes, setting
from sessiond.front.fixed_answers import FixedAnswers

_READ_BYTES = 64 * 1024
_BLANK = (b"", b"\r")
_MOST_HELD = 64 * 1024
"""Bytes of unanswered messages, after which no more are read."""

_MOST_SENT = 48 * 1024
"""Bytes of answers, after which no more messages are answered. A pipe takes as many and one more
answer although nobody reads them, so that writing never waits for a client that does not read."""


class BegunConversation:
    """What happened before the server continues the conversation."""

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


class MessageSorter:
    """Splits input into lines and answers those that can be answered; keeps the others in order."""

    def __init__(self, answers: FixedAnswers) -> None:
        self._answers = answers
        self._kept = b""
        self._line = b""
        self._sent = 0

    @property
    def is_full(self) -> bool:
        return len(self._kept) + len(self._line) >= _MOST_HELD or self._sent >= _MOST_SENT

    @property
    def begun(self) -> BegunConversation:
        return BegunConversation(
            self._answers.version, self._answers.client, self._kept + self._line
        )

    def feed(self, data: bytes) -> bytes:
        """Return the answers to the messages that end in `data`."""
        *lines, self._line = (self._line + data).split(b"\n")
        output = b""
        for line in lines:
            if line in _BLANK:
                continue
            answer = None
            if not self.is_full:
                answer = self._answers.answer(line, handshake=not self._kept)
            if answer is None:
                self._kept += line + b"\n"
            elif answer:
                output += answer + b"\n"
                self._sent += len(answer) + 1
        return output


class FirstAnswers:
    """A thread that answers on standard input and output until the server continues."""

    def __init__(self, arguments: Sequence[str], env: Mapping[str, str]) -> None:
        self._sorter = MessageSorter(FixedAnswers(may_write=may_write(arguments, env)))
        self._asked_to_stop, self._stop = os.pipe()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> BegunConversation:
        """Stop reading; returns where the server has to continue, also when called again."""
        if self._stop >= 0:
            os.close(self._stop)
            self._stop = -1
            self._thread.join()
            os.close(self._asked_to_stop)
        return self._sorter.begun

    def _run(self) -> None:
        poll = select.poll()
        poll.register(0, select.POLLIN)
        poll.register(self._asked_to_stop, select.POLLIN)
        try:
            while not self._sorter.is_full:
                ready = dict(poll.poll())
                if self._asked_to_stop in ready:
                    return
                try:
                    data = os.read(0, _READ_BYTES)
                except BlockingIOError:
                    # Another process with the same input was faster.
                    continue
                if not data:
                    return
                _write(self._sorter.feed(data))
        except OSError:
            # The client has gone, or does what the server itself can deal with.
            return


def start(arguments: Sequence[str], env: Mapping[str, str]) -> FirstAnswers | None:
    """Start to answer; None if a person types, or if one of the standard streams is closed."""
    try:
        for stream in (0, 1, 2):
            os.fstat(stream)
    except OSError:
        return None
    return None if os.isatty(0) else FirstAnswers(arguments, env)


def may_write(arguments: Sequence[str], env: Mapping[str, str]) -> bool:
    forbidden = "--read-only" in arguments or is_yes(setting("--read-only", (), env))
    return "--allow-write" in arguments and not forbidden


def _write(data: bytes) -> None:
    """Write all. Raises OSError if nobody reads any more."""
    unsent = memoryview(data)
    while unsent:
        try:
            unsent = unsent[os.write(1, unsent) :]
        except BlockingIOError:
            select.select([], [1], [])
