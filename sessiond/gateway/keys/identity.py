"""Normalise the names that keys consist of as CoderClaw does, and read the default agents."""

from __future__ import annotations

from sessiond.agents.agent_ids import normal_agent_id
from sessiond.gateway.config.reader import Part
from sessiond.jsontext.spans import js_trim

MAIN = "main"
DEFAULT_ACCOUNT = "default"
UNKNOWN = "unknown"


def trim(text: str) -> str:
    """`text.trim()` in JavaScript."""
    return js_trim(text)


def token(text: str | None) -> str:
    """The text trimmed and in lower case; empty for None."""
    return trim(text or "").lower()


def normal_main_key(main_key: str | None) -> str:
    """The key trimmed and in lower case; `main` if nothing is left."""
    return token(main_key) or MAIN


def default_agents(config: Part) -> tuple[str, str]:
    """The agents to which `main` and all other short keys belong.

    CoderClaw looks for them in two ways, which differ for lists with invalid items.
    """
    listed = config.part("agents").items("list")
    chosen = next((agent for agent in listed if agent.flag("default")), None)
    named = None if chosen is None else chosen.text("id")
    if named is None and listed:
        named = listed[0].text("id")
    agents = [agent for agent in listed if agent.present]
    first = chosen or (agents[0] if agents else None)
    return normal_agent_id(named), normal_agent_id(None if first is None else first.text("id"))
