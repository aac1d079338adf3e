"""A process that matches one regular expression, so that the daemon need not.

Compiling or matching an expression can take memory and time without bound, and neither can be
interrupted in the thread that does it. This process can be limited and ended. It is run as a
script: it imports the standard library and `regex` alone.

Each request is a line of JSON, followed by texts in UTF-8 (surrogates passed through); each answer
is a line of JSON. The first request holds the expression.
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
"""Memory an expression may take; the texts it is matched against are not counted."""

COMPILE_SECONDS = 2.0
MATCH_SECONDS = 1.0
"""For one text, of processor time: enough for hundreds of megabytes."""

MOST_SPANS = 32

TOO_SLOW = "slow"
TOO_LARGE = "large"

_BYTES_PER_BYTE = 6
"""Memory a text takes for each byte of its UTF-8: itself, and decoded."""

_EMERGENCY_SECONDS = 1.0
"""Beyond its time limit; then the timer of the system ends the process."""


def main() -> None:
    # Importing the module for its numbers alone must not load it.
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
        found = []
        for size in request["sizes"]:
            text = source.read(size).decode("utf-8", "surrogatepass")
            _limit_time(MATCH_SECONDS)
            try:
                found.append(_spans(compiled, text, request["most"], request["reach"]))
            except TimeoutError:
                problem = TOO_SLOW
            except (MemoryError, RecursionError):
                problem = TOO_LARGE
            _limit_time(None)
        _answer(target, {"problem": problem, "spans": found})


def _spans(compiled: Any, text: str, most: int, reach: int) -> list[tuple[int, int]]:
    """The first matches, no more than `most`, ending within `reach` of where the first begins.

    Of empty ones only the first counts, and only if there is no other.
    """
    found: list[tuple[int, int]] = []
    empty: list[tuple[int, int]] = []
    at = 0
    while len(found) < most and at <= len(text):
        # The time limit of the package counts from here, the one of the system from outside.
        match = compiled.search(text, at, timeout=MATCH_SECONDS)
        if match is None:
            break
        start, end = match.span()
        if found and end > found[0][0] + reach:
            break
        if end > start:
            found.append((start, end))
        elif not empty:
            empty.append((start, end))
            if most == 1:
                break
        at = max(end, start + 1)
    return found or empty


class _Memory:
    """The limit on the size of this process, where the system has one."""

    def __init__(self) -> None:
        self._base = _size() + MEMORY_BYTES
        self.allow(0)

    def allow(self, text_bytes: int) -> None:
        """Limit the process to its allowance and what these texts take."""
        limit = self._base + _BYTES_PER_BYTE * text_bytes
        # Not every system has this limit.
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
    """End this process if the next step ignores its own limit, as some steps of `regex` do."""
    after = 0.0 if seconds is None else seconds + _EMERGENCY_SECONDS
    signal.setitimer(signal.ITIMER_PROF, after)


def _answer(target: BinaryIO, value: dict[str, Any]) -> None:
    target.write(json.dumps(value).encode() + b"\n")
    target.flush()


if __name__ == "__main__":
    main()
