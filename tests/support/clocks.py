"""File systems that stamp their files more coarsely than the one the tests run on."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest


def coarse(monkeypatch: pytest.MonkeyPatch, tick_ns: int) -> None:
    """Give the times of files a resolution of `tick_ns` nanoseconds."""

    def rounded(call: Callable[..., os.stat_result]) -> Callable[..., os.stat_result]:
        def looked(*arguments: Any, **options: Any) -> os.stat_result:
            seen = call(*arguments, **options)
            times = {
                name: getattr(seen, name) // tick_ns * tick_ns
                for name in ("st_atime_ns", "st_mtime_ns", "st_ctime_ns")
            }
            return os.stat_result(tuple(seen)[:10], times)

        return looked

    monkeypatch.setattr(os, "stat", rounded(os.stat))
    monkeypatch.setattr(os, "fstat", rounded(os.fstat))
