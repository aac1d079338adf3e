"""Names that no file can have: with a NUL, or with half a surrogate pair.

Python refuses them with ValueError before it calls the system, which would refuse them as invalid.
"""

from __future__ import annotations

import errno
import functools
import os
from collections.abc import Callable
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")


def is_impossible(name: str) -> bool:
    """Whether no file can have this name."""
    try:
        return b"\0" in os.fsencode(name)
    except UnicodeEncodeError:
        return True


def refused(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """Let a function that takes names raise OSError with EINVAL for impossible ones."""

    @functools.wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        try:
            return function(*args, **kwargs)
        except ValueError:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), args[0]) from None

    return call
