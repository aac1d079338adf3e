"""Which paths clients may name."""

from __future__ import annotations

import os
from collections.abc import Iterable

from sessiond.errors import PathNotAllowed


class Roots:
    """The directories that confine every path (`--root`); without any, nothing is confined."""

    def __init__(self, roots: Iterable[str] | None) -> None:
        self._roots = None if roots is None else [os.path.realpath(root) for root in roots]

    def check(self, path: str) -> None:
        """Raise PathNotAllowed for a path that leads outside, through symlinks as well.

        Of a path that does not exist yet, the part that does is resolved.
        """
        if self._roots is None:
            return
        real = os.path.realpath(path)
        if not any(real == root or real.startswith(f"{root.rstrip('/')}/") for root in self._roots):
            raise PathNotAllowed(path)
