"""How much a test tries: little at every change, all of it with HYPOTHESIS_PROFILE=thorough."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

_T = TypeVar("_T")

THOROUGH = os.environ.get("HYPOTHESIS_PROFILE") == "thorough"


def effort(usual: int, thorough: int) -> int:
    """Return a size or number of repetitions."""
    return thorough if THOROUGH else usual


def some(items: Iterable[_T], step: int) -> Iterator[_T]:
    """Yield the first of each `step` items, or all of them."""
    return islice(items, 0, None, 1 if THOROUGH else step)
