"""Tokens of a run as whoever counted them names them, and the size of the prompt they show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from sessiond.gateway.config.reader import finite

_NAMES = {
    "input": ("input", "inputTokens", "input_tokens", "promptTokens", "prompt_tokens"),
    "output": (
        "output",
        "outputTokens",
        "output_tokens",
        "completionTokens",
        "completion_tokens",
    ),
    "cache_read": ("cacheRead", "cache_read", "cache_read_input_tokens"),
    "cache_write": ("cacheWrite", "cache_write", "cache_creation_input_tokens"),
    "total": ("total", "totalTokens", "total_tokens"),
}
"""Of each count the names it goes by; the first one that is not null is taken."""

NAMES = tuple(name for names in _NAMES.values() for name in names)


@attrs.frozen
class Tokens:
    """Counts of one run or one call; None: not told, or no finite number."""

    input: float | None = None
    output: float | None = None
    cache_read: float | None = None
    cache_write: float | None = None
    total: float | None = None

    @classmethod
    def of(cls, members: Mapping[str, Any]) -> Tokens:
        return cls(*(_first(members, names) for names in _NAMES.values()))

    @property
    def any(self) -> bool:
        """Whether anything was used at all."""
        counts = (self.input, self.output, self.cache_read, self.cache_write, self.total)
        return any(count is not None and count > 0 for count in counts)

    def prompt_size(self) -> float | None:
        """What the call's prompt took of the context, output aside; None: that cannot be told."""
        parts = (self.input or 0) + (self.cache_read or 0) + (self.cache_write or 0)
        if parts > 0:
            return parts
        known = self.total if self.total is not None else self.input
        return known if known is not None and known > 0 else None


def _first(members: Mapping[str, Any], names: tuple[str, ...]) -> float | None:
    found = next((members[name] for name in names if members.get(name) is not None), None)
    return finite(found)
