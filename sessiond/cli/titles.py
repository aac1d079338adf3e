"""The title and the short id of a session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sessiond.cli.astext import one_line

_LONGEST = 200
"""Maximum number of characters; no terminal shows more in a line."""

_SHORTEST_ID = 8


def title(info: Mapping[str, Any]) -> str:
    """Return the session's name, else its first message, in one line."""
    return one_line(str(info.get("name") or info.get("firstMessage") or "")[: 4 * _LONGEST])[
        :_LONGEST
    ]


def short_ids(ids: Sequence[str]) -> dict[str, str]:
    """Return the shortest unique prefix of each id, with at least 8 characters."""
    ordered = sorted(set(ids))
    prefixes = {}
    for at, session_id in enumerate(ordered):
        neighbours = [*ordered[max(0, at - 1) : at], *ordered[at + 1 : at + 2]]
        shared = max((_shared(session_id, other) for other in neighbours), default=0)
        prefixes[session_id] = session_id[: max(_SHORTEST_ID, shared + 1)]
    return prefixes


def _shared(one: str, other: str) -> int:
    """Return the length of the common prefix."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
