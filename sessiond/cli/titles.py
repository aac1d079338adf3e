"""The title of a session in one line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sessiond.cli.astext import one_line

_LONGEST = 200
"""Maximum number of characters; no terminal shows more in a line."""


def title(info: Mapping[str, Any]) -> str:
    """Return the session's name, else its first message, in one line."""
    return one_line(str(info.get("name") or info.get("firstMessage") or "")[: 4 * _LONGEST])[
        :_LONGEST
    ]
