"""Ids of the agents of a gateway, as its directories and keys spell them."""

from __future__ import annotations

import re

from sessiond.text.spans import js_trim

# ASCII only, as the flag `i` in JavaScript; Python would also match the long s and the Kelvin sign.
_PROPER = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}", re.IGNORECASE | re.ASCII)
_IMPROPER_RUN = re.compile(r"[^a-z0-9_-]+")
_LONGEST = 64


def normal_agent_id(agent_id: str | None) -> str:
    """Normalise an agent id as CoderClaw does; `main` if nothing remains."""
    return normal_name(agent_id, "main")


def normal_name(text: str | None, otherwise: str) -> str:
    """Normalise an id as CoderClaw does: lower case, `-` for other characters, at most 64."""
    trimmed = js_trim(text or "")
    if _PROPER.fullmatch(trimmed):
        return trimmed.lower()
    return _IMPROPER_RUN.sub("-", trimmed.lower()).strip("-")[:_LONGEST] or otherwise
