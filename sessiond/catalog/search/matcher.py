"""A child process that compiles and matches one regular expression.

Compiling or matching an expression can take unlimited memory and time, and a thread that does so
cannot be interrupted. This process can be limited and ended. It runs as a script and imports only
the standard library and `regex`.

RE2 takes linear time without a process, but its classes of characters and its boundaries of words
know only ASCII: it would miss words in most languages. It has no lookaround and no wheels for musl.

Each request is a line of JSON, followed by texts in UTF-8 (with surrogates); each answer is a line
of JSON. The first request contains the expression.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import sys
from typing import Any, BinaryIO

MEMORY_BYTES = 256 * 1024 * 1024
"""Memory that an expression may take, without the texts."""

COMPILE_SECONDS = 2.0
MATCH_SECONDS = 1.0
"""Processor time for one text: enough for hundreds of megabytes."""

MOST_SPANS = 32

TOO_SLOW = "slow"
TOO_LARGE = "large"

_BYTES_PER_BYTE = 6
"""Memory of a text for each byte of its UTF-8: the encoded and the decoded text."""

_EMERGENCY_SECONDS = 1.0
"""Added to the time limit; then a timer of the system ends the process."""


def main() -> None:
    # The daemon imports this module only for its constants and must not load `regex`.
    import regex  # type: ignore[import-untyped]  # noqa: PLC0415

    source, target = sys.stdin.buffer, sys.stdout.buffer
    pattern = json.loads(source.readline())["pattern"]
    memory = _Memory()
    _limit_time(COMPILE_SECONDS)
    try:
        compiled = regex.compile(pattern, regex.IGNORECASE | regex.VERSION0)
        problem = None
    except (regex.error, ValueError, OverflowError, RecursionError, KeyError, TypeError) as error:
        problem = f"Invalid regular expression: {error}"
    except MemoryError:
        problem = TOO_LARGE
    _limit_time(None)
    _answer(target, {"problem": problem})
    while problem is None and (line := source.readline()):
        request = json.loads(line)
        memory.allow(sum(request["sizes"]))
        spans = []
        for size in request["sizes"]:
            text = source.read(size).decode("utf-8", "surrogatepass")
            _limit_time(MATCH_SECONDS)
            try:
                spans.append(_spans(compiled, text, request["most"], request["reach"]))
            except TimeoutError:
                problem = TOO_SLOW
            except (MemoryError, RecursionError):
                problem = TOO_LARGE
            _limit_time(None)
        _answer(target, {"problem": problem, "spans": spans})


def _spans(compiled: Any, text: str, most: int, reach: int) -> list[tuple[int, int]]:
    """At most `most` matches that end within `reach` characters of the start of the first.

    An empty match counts only if there is no other, and then only the first.
    """
    matches: list[tuple[int, int]] = []
    empty: list[tuple[int, int]] = []
    at = 0
    while len(matches) < most and at <= len(text):
        # This timeout covers one call; the timer of the system covers the whole text.
        match = compiled.search(text, at, timeout=MATCH_SECONDS)
        if match is None:
            break
        start, end = match.span()
        if matches and end > matches[0][0] + reach:
            break
        if end > start:
            matches.append((start, end))
        elif not empty:
            empty.append((start, end))
            if most == 1:
                break
        at = max(end, start + 1)
    return matches or empty


class _Memory:
    """The limit on the size of this process, if the system supports it."""

    def __init__(self) -> None:
        self._base = _size() + MEMORY_BYTES
        self.allow(0)

    def allow(self, text_bytes: int) -> None:
        """Limit the process to its allowance and the memory of these texts."""
        limit = self._base + _BYTES_PER_BYTE * text_bytes
        # Some systems do not support this limit.
        with contextlib.suppress(OSError, ValueError):
            _, hard = resource.getrlimit(resource.RLIMIT_AS)
            if hard != resource.RLIM_INFINITY:
                limit = min(limit, hard)
            resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def _size() -> int:
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGESIZE")
    except OSError:
        return MEMORY_BYTES


def _limit_time(seconds: float | None) -> None:
    """End this process if a call exceeds the time; some steps of `regex` ignore their timeout."""
    after = 0.0 if seconds is None else seconds + _EMERGENCY_SECONDS
    signal.setitimer(signal.ITIMER_PROF, after)


def _answer(target: BinaryIO, value: dict[str, Any]) -> None:
    target.write(json.dumps(value).encode() + b"\n")
    target.flush()


if __name__ == "__main__":
    main()
