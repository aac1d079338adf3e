"""A regular expression of a search: checked here, compiled and matched in a process of its own."""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import attrs

from sessiond.catalog.message_text import Alive
from sessiond.catalog.search import matcher
from sessiond.catalog.search.folding import encode
from sessiond.errors import InvalidQuery, ReadFailed

MOST_CHARACTERS = 1000
"""Longest expression: some take time that grows with the product of their length and the text's."""

MOST_REPETITIONS = 10_000
"""Largest number in braces."""

_SLOW = "The expression takes too long; make it simpler"
_LARGE = "The expression takes too much memory; make it simpler"

_TICK_MS = 50
"""How often a search that waits looks whether its answer is still wanted."""

_BATCH_BYTES = 1024 * 1024
_BATCH_TEXTS = 1000
_READ_BYTES = 1024 * 1024

_REPETITION = re.compile(r"(?<!\\)(?:\\\\)*\{(\d*),?(\d*)\}")
_PLAIN_RUN = re.compile(r"[\w \-/:,;=<>@#%&!\"'`~]{3,}")
_SPECIAL = re.compile(r"[\\|(\[{]")

Span = tuple[int, int]


@attrs.define(eq=False)
class Expression:
    """A regular expression; capitals and small letters are the same to it.

    It matches only while it is `running`. Every method that matches raises InvalidQuery if that
    takes too long or too much memory, and what `alive` raises.
    """

    pattern: str
    _process: _Process | None = None

    @contextlib.contextmanager
    def running(self, alive: Alive) -> Iterator[None]:
        """Start the process that matches, and end it afterwards; once, however often it is asked.

        Raises InvalidQuery for what is not an expression, ReadFailed if no process can be started,
        and what `alive` raises.
        """
        if self._process is not None:
            yield
            return
        self._process = _Process(self.pattern, alive)
        try:
            yield
        finally:
            self._process.close()
            self._process = None

    def matching(self, texts: Sequence[str]) -> set[str]:
        """Those of the texts in which it matches anything."""
        found: set[str] = set()
        for batch in _batches(list(dict.fromkeys(texts))):
            spans = self._spans(batch, most=1, reach=0)
            found.update(text for text, first in zip(batch, spans, strict=True) if first)
        return found

    def spans(self, text: str, reach: int) -> list[Span]:
        """The first matches that are not empty, ending within `reach` of where the first begins."""
        (found,) = self._spans([text], most=matcher.MOST_SPANS, reach=reach)
        return [(start, end) for start, end in found if end > start]

    def required(self) -> list[str]:
        """Folded texts that everything it matches contains; none where that is not plain to see."""
        if _SPECIAL.search(self.pattern):
            return []
        # What a `?` or `*` stands behind may be missing, and a `+` repeats it.
        certain = re.sub(r".[?*]", "\0", self.pattern, flags=re.DOTALL)
        runs = _PLAIN_RUN.findall(certain.replace("+", "\0"))
        # White space is collapsed in what this is compared with.
        parts = [part for run in runs for part in run.split(" ")]
        return [part.lower() for part in parts if len(part) >= 3 and part.isascii()]

    def _spans(self, texts: list[str], most: int, reach: int) -> list[list[Span]]:
        assert self._process is not None, "not running"  # noqa: S101
        return self._process.spans(texts, most, reach)


def expression(pattern: str) -> Expression:
    """Take a pattern as it is sent. Raises InvalidQuery if it is empty or plainly too much."""
    if not pattern:
        raise InvalidQuery("Empty regex")
    if len(pattern) > MOST_CHARACTERS:
        raise InvalidQuery(f"The expression is longer than {MOST_CHARACTERS} characters")
    for found in _REPETITION.finditer(pattern):
        if any(len(number) > 9 or int(number or 0) > MOST_REPETITIONS for number in found.groups()):
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
    """A process with one compiled expression, and the pipes to it."""

    def __init__(self, pattern: str, alive: Alive) -> None:
        self._alive = alive
        try:
            self._process = subprocess.Popen(  # noqa: S603 - our own script
                # Not the directory of the script, whose modules have names of the standard library.
                [sys.executable, "-P", matcher.__file__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                # The daemon's own may have been removed.
                cwd="/",
            )
        except OSError as error:
            raise ReadFailed(sys.executable, error) from None
        try:
            assert self._process.stdin is not None  # noqa: S101 - made above
            assert self._process.stdout is not None  # noqa: S101 - made above
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
        # Closes the pipes, too.
        with self._process:
            pass

    def spans(self, texts: list[str], most: int, reach: int) -> list[list[Span]]:
        raw = [encode(text) for text in texts]
        request = {"sizes": [len(item) for item in raw], "most": most, "reach": reach}
        found: list[list[Span]] = self._ask(request, b"".join(raw))["spans"]
        return found

    def _ask(self, request: dict[str, Any], body: bytes) -> dict[str, Any]:
        try:
            # The standard library writes half a character, which a pattern may hold, as an escape.
            self._write(json.dumps(request).encode() + b"\n")
            self._write(body)
            answer: dict[str, Any] = json.loads(self._read_line())
        except BrokenPipeError:
            raise InvalidQuery(self._end()) from None
        problem = answer["problem"]
        if problem is not None:
            known = {matcher.TOO_SLOW: _SLOW, matcher.TOO_LARGE: _LARGE}
            raise InvalidQuery(known.get(problem, problem))
        return answer

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
        # Not select, which knows no descriptors beyond 1024.
        poll = select.poll()
        poll.register(descriptor, event)
        self._alive()
        while not poll.poll(_TICK_MS):
            self._alive()

    def _end(self) -> str:
        """Why the process has ended."""
        return _SLOW if self._process.wait() == -signal.SIGPROF else _LARGE
