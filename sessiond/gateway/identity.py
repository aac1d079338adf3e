"""Names that keys are made of, spelled as CoderClaw spells them, and the agents a config names."""

from __future__ import annotations

import re

from sessiond.gateway.settings import Part
from sessiond.jsontext import JS_SPACE

MAIN = "main"
DEFAULT_ACCOUNT = "default"
UNKNOWN = "unknown"

# JavaScript's `i` keeps to ASCII here; Python's would take the long s and the Kelvin sign along.
_PROPER = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}", re.IGNORECASE | re.ASCII)
_IMPROPER_RUN = re.compile(r"[^a-z0-9_-]+")
_LONGEST = 64


def trim(text: str) -> str:
    """`text.trim()` in JavaScript."""
    return text.strip(JS_SPACE)


def token(text: str | None) -> str:
    """Trimmed and in lower case; empty where there is none."""
    return trim(text or "").lower()


def normal_agent_id(agent_id: str | None) -> str:
    """Lower case, runs of other characters become `-`; `main` where nothing is left."""
    return _normal(agent_id, MAIN)


def normal_account_id(account_id: str | None) -> str:
    """As an agent's id; `default` where nothing is left."""
    return _normal(account_id, DEFAULT_ACCOUNT)


def normal_main_key(main_key: str | None) -> str:
    """Trimmed, lower case; `main` where nothing is left."""
    return token(main_key) or MAIN


def _normal(text: str | None, otherwise: str) -> str:
    trimmed = trim(text or "")
    if _PROPER.fullmatch(trimmed):
        return trimmed.lower()
    return _IMPROPER_RUN.sub("-", trimmed.lower()).strip("-")[:_LONGEST] or otherwise


def default_agents(config: Part) -> tuple[str, str]:
    """The default agent twice: whose main key `main` is, and whose all other short keys are.

    CoderClaw looks for them in two ways, which differ for lists with odd items.
    """
    listed = config.part("agents").items("list")
    chosen = next((agent for agent in listed if agent.flag("default")), None)
    named = None if chosen is None else chosen.text("id")
    if named is None and listed:
        named = listed[0].text("id")
    agents = [agent for agent in listed if agent.present]
    first = chosen or (agents[0] if agents else None)
    return normal_agent_id(named), normal_agent_id(None if first is None else first.text("id"))
