"""Check the types of values in a database, which damage can change."""

from __future__ import annotations

import apsw

_MOST_MS = 2**63 // 1_000_000
"""Times of files have 64 bits in every cache."""


def integer(value: object, what: str) -> int:
    """The value, if it is an integer. Raises apsw.CorruptError."""
    if isinstance(value, int):
        return value
    raise apsw.CorruptError(f"{what} is not an integer")


def count(value: object, what: str) -> int:
    """The value, if it is an integer that is not negative. Raises likewise."""
    number = integer(value, what)
    if number < 0:
        raise apsw.CorruptError(f"{what} is negative")
    return number


def epoch_ms(value: object, what: str) -> int:
    """The value, if it is an integer that is a time of files in nanoseconds. Raises likewise."""
    number = integer(value, what)
    if not -_MOST_MS <= number < _MOST_MS:
        raise apsw.CorruptError(f"{what} is out of range")
    return number


def text(value: object, what: str) -> str:
    """The value, if it is a text. Raises likewise."""
    if isinstance(value, str):
        return value
    raise apsw.CorruptError(f"{what} is not a text")
