"""Regular expressions for search: validated here, compiled and matched in a child process."""

from __future__ import annotations

import contextlib
import json
import os
import pkgutil
import re
import select
import signal
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import attrs

from sessiond.catalog.message_text import Alive
from sessiond.catalog.search import matcher
from sessiond.catalog.search.folding import encode
from sessiond.errors import InvalidQuery, ReadFailed, TimedOut
from sessiond.processes import start_python

MOST_CHARACTERS = 1000
"""Maximum length: matching may take time proportional to pattern length times text length."""

MOST_REPETITIONS = 10_000
"""Maximum number in braces."""


_PROGRAM = (pkgutil.get_data("sessiond.catalog.search", "matcher.py") or b"").decode()
"""The source of the process, of the same build as this one even if another is installed later."""

_TICK_MS = 50
"""Milliseconds between two calls of `alive` while a search waits."""

_BATCH_BYTES = 1024 * 1024
_BATCH_TEXTS = 1000
_READ_BYTES = 1024 * 1024

_REPETITION = re.compile(r"(?<!\\)(?:\\\\)*\{(\d*),?(\d*)\}")
_PLAIN_RUN = re.compile(r"[\w \-/:,;=<>@#%&!\"'`~]{3,}")
_SPECIAL = re.compile(r"[\\|(\[{]")

Span = tuple[int, int]


@attrs.define(eq=False)
class Expression:
    """A case-insensitive regular expression.

    It matches only while it is `running`. Every method that matches raises TimedOut if matching
    takes too long, InvalidQuery if it takes too much memory, and whatever `alive` raises.
    """

    pattern: str
    _alive: Alive | None = None
    """Set while it is `running`."""
    _process: _Process | None = None

    @contextlib.contextmanager
    def running(self, alive: Alive) -> Iterator[None]:
        """Start the process that matches, and end it afterwards. Nested calls share one process.

        Raises InvalidQuery for an invalid expression, ReadFailed if no process can be started, and
        whatever `alive` raises.
        """
        if self._alive is not None:
            yield
            return
        self._alive = alive
        try:
            self._process = _Process(self.pattern, alive)
            yield
        finally:
            self._alive = None
            self._end_process()

    def matching(self, texts: Sequence[str]) -> set[str]:
        """The texts that contain a match."""
        matching: set[str] = set()
        for batch in _batches(list(dict.fromkeys(texts))):
            spans = self._spans(batch, most=1, reach=0)
            matching.update(text for text, first in zip(batch, spans, strict=True) if first)
        return matching

    def spans(self, text: str, reach: int) -> list[Span]:
        """The first non-empty matches ending within `reach` characters of the first one's start."""
        (spans,) = self._spans([text], most=matcher.MOST_SPANS, reach=reach)
        return [(start, end) for start, end in spans if end > start]

    def required(self) -> list[str]:
        """Folded texts that every match contains, if the pattern shows them directly."""
        if _SPECIAL.search(self.pattern):
            return []
        # A character before `?` or `*` may be missing; one before `+` may be repeated.
        certain = re.sub(r".[?*]", "\0", self.pattern, flags=re.DOTALL)
        runs = _PLAIN_RUN.findall(certain.replace("+", "\0"))
        # These are compared with text whose white space is collapsed.
        parts = [part for run in runs for part in run.split(" ")]
        return [part.lower() for part in parts if len(part) >= 3 and part.isascii()]

    def _spans(self, texts: list[str], most: int, reach: int) -> list[list[Span]]:
        assert self._alive is not None, "not running"  # noqa: S101
        if self._process is None:
            self._process = _Process(self.pattern, self._alive)
        try:
            return self._process.spans(texts, most, reach)
        except BaseException:
            # Requests and answers may be out of step now: the next exchange gets a new process.
            self._end_process()
            raise

    def _end_process(self) -> None:
        if self._process is not None:
            self._process.close()
            self._process = None


def expression(pattern: str) -> Expression:
    """Make an Expression of a pattern. Raises InvalidQuery if it is empty or exceeds a limit."""
    if not pattern:
        raise InvalidQuery("Empty regex")
    if len(pattern) > MOST_CHARACTERS:
        raise InvalidQuery(f"The expression is longer than {MOST_CHARACTERS} characters")
    for repetition in _REPETITION.finditer(pattern):
        if any(
            len(number) > 9 or int(number or 0) > MOST_REPETITIONS for number in repetition.groups()
        ):
            raise InvalidQuery(f"The expression repeats more than {MOST_REPETITIONS} times")
    return Expression(pattern)


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    length = 0
    for text in texts:
        batch.append(text)
        length += len(text)
        if length >= _BATCH_BYTES or len(batch) == _BATCH_TEXTS:
            yield batch
            batch, length = [], 0
    if batch:
        yield batch


class _Process:
    """A child process with one compiled expression, and the pipes to it."""

    def __init__(self, pattern: str, alive: Alive) -> None:
        self._alive = alive
        try:
            self._process = start_python("-c", _PROGRAM)
        except OSError as error:
            raise ReadFailed(sys.executable, error) from None
        try:
            assert self._process.stdin is not None  # noqa: S101 - a pipe
            assert self._process.stdout is not None  # noqa: S101 - a pipe
            self._input = self._process.stdin.fileno()
            self._output = self._process.stdout.fileno()
            for descriptor in (self._input, self._output):
                os.set_blocking(descriptor, False)
            self._ask({"pattern": pattern}, b"")
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._process.kill()
        # Closes the pipes and waits for the process.
        with self._process:
            pass

    def spans(self, texts: list[str], most: int, reach: int) -> list[list[Span]]:
        raw = [encode(text) for text in texts]
        request = {"sizes": [len(item) for item in raw], "most": most, "reach": reach}
        spans: list[list[Span]] = self._ask(request, b"".join(raw))["spans"]
        return spans

    def _ask(self, request: dict[str, Any], body: bytes) -> dict[str, Any]:
        try:
            # json writes a lone surrogate, which a pattern may contain, as an escape.
            self._write(json.dumps(request).encode() + b"\n")
            self._write(body)
            answer: dict[str, Any] = json.loads(self._read_line())
        except BrokenPipeError:
            slow = self._process.wait() == -signal.SIGPROF
            answer = {"problem": matcher.TOO_SLOW if slow else matcher.TOO_LARGE}
        match answer["problem"]:
            case None:
                return answer
            case matcher.TOO_SLOW:
                raise TimedOut("The expression takes too long; make it simpler")
            case matcher.TOO_LARGE:
                raise InvalidQuery("The expression takes too much memory; make it simpler")
            case problem:
                raise InvalidQuery(problem)

    def _write(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            self._wait(self._input, select.POLLOUT)
            with contextlib.suppress(BlockingIOError):
                left = left[os.write(self._input, left) :]

    def _read_line(self) -> bytes:
        parts: list[bytes] = []
        while not parts or not parts[-1].endswith(b"\n"):
            self._wait(self._output, select.POLLIN)
            part = os.read(self._output, _READ_BYTES)
            if not part:
                raise BrokenPipeError
            parts.append(part)
        return b"".join(parts)

    def _wait(self, descriptor: int, event: int) -> None:
        # Not select: it supports no descriptors above 1023.
        poll = select.poll()
        poll.register(descriptor, event)
        self._alive()
        while not poll.poll(_TICK_MS):
            self._alive()
