"""The command line of this process, as other processes see it."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

logger = logging.getLogger(__name__)

_PROGRAM = b"sessiond"
_AREA_FIELDS = slice(45, 47)
"""`arg_start` and `arg_end` in `/proc/self/stat`, counted behind the name of the program."""


def carry_argument(word: str) -> bool:
    """Make `word` an argument of this process; returns whether it is one now.

    OpenClaw 2026.5.12 to 2026.7.35 removes the lock of a transcript while it is held, unless the
    command line of its owner looks like OpenClaw's: an argument that is exactly `openclaw` does.

    Only on Linux, where the arguments lie in memory of the process that `/proc/<pid>/cmdline`
    shows. That memory cannot grow, so the path of the interpreter is shortened, or left out.
    """
    try:
        return _carry(word.encode())
    except OSError as error:
        logger.debug("The command line stays as it is: %s", error)
        return False


def _carry(word: bytes) -> bool:
    start, end = map(int, _stat_fields()[_AREA_FIELDS])
    shown = Path("/proc/self/cmdline").read_bytes()
    # A process that has shown something else before may have moved its arguments.
    if not start or len(shown) != end - start or not shown.endswith(b"\0"):
        return False
    arguments = shown[:-1].split(b"\0")
    if word in arguments:
        return True
    for wanted in _spellings(arguments, word):
        text = b"\0".join(wanted) + b"\0"
        if len(text) <= len(shown):
            _write(start, text.ljust(len(shown), b"\0"))
            return True
    return False


def _stat_fields() -> list[str]:
    stat = Path("/proc/self/stat").read_text(encoding="utf-8", errors="replace")
    return stat.rpartition(")")[2].split()


def _spellings(arguments: Sequence[bytes], word: bytes) -> Iterator[list[bytes]]:
    """Command lines with the word in them, the one most like today's first."""
    joined = [each.partition(b"=") for each in arguments]
    if any(value == word for _, _, value in joined):
        # `--option=word` as two arguments; any other argument stays in one piece.
        split = (
            (name, value) if value == word else (name + sign + value,)
            for name, sign, value in joined
        )
        yield [part for parts in split for part in parts]
    interpreter, *rest = arguments
    yield [*arguments, word]
    yield [os.path.basename(interpreter), *rest, word]
    own = len(sys.argv) - 1
    yield [_PROGRAM, *(arguments[-own:] if own else ()), word]
    yield [_PROGRAM, word]


def _write(address: int, text: bytes) -> None:
    # The whole area at once: readers see the old line or the new one.
    descriptor = os.open("/proc/self/mem", os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.pwrite(descriptor, text, address)
    finally:
        os.close(descriptor)
