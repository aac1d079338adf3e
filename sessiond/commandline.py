"""Change the command line of this process as other processes see it."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

logger = logging.getLogger(__name__)

_PROGRAM = b"sessiond"
_AREA_FIELDS = slice(45, 47)
"""`arg_start` and `arg_end` in `/proc/self/stat`, counted after the name of the program."""


def carry_argument(word: str) -> bool:
    """Make `word` an argument of this process; return whether it is one now.

    OpenClaw 2026.5.12 to 2026.7.35 removes the lock of a transcript although it is held, unless the
    command line of the owner looks like OpenClaw: one argument must be exactly `openclaw`.

    Works only on Linux, where `/proc/<pid>/cmdline` shows a part of the memory of the process. That
    part cannot grow, so the path of the interpreter is shortened or removed.
    """
    try:
        return _carry(word.encode())
    except OSError as error:
        logger.debug("Cannot change the command line: %s", error)
        return False


def _carry(word: bytes) -> bool:
    start, end = map(int, _stat_fields()[_AREA_FIELDS])
    shown = Path("/proc/self/cmdline").read_bytes()
    # The arguments may have been moved by code that changed the title of the process.
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
    """Yield command lines with `word`, the most similar to the current one first."""
    joined = [each.partition(b"=") for each in arguments]
    if any(value == word for _, _, value in joined):
        # Split `--option=word` into two arguments; other arguments are not split.
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
    # One write for the whole area: readers see either the old line or the new one.
    descriptor = os.open("/proc/self/mem", os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.pwrite(descriptor, text, address)
    finally:
        os.close(descriptor)
