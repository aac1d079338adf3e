"""Names that keys are made of, spelled as CoderClaw spells them, and the agents a config names."""

from __future__ import annotations

from sessiond.gateway.config.reader import Part
from sessiond.jsontext.spans import js_trim
from sessiond.profiles import normal_agent_id, normal_name

MAIN = "main"
DEFAULT_ACCOUNT = "default"
UNKNOWN = "unknown"


def trim(text: str) -> str:
    """`text.trim()` in JavaScript."""
    return js_trim(text)


def token(text: str | None) -> str:
    """Trimmed and in lower case; empty where there is none."""
    return trim(text or "").lower()


def normal_account_id(account_id: str | None) -> str:
    """As an agent's id; `default` where nothing is left."""
    return normal_name(account_id, DEFAULT_ACCOUNT)


def normal_main_key(main_key: str | None) -> str:
    """Trimmed, lower case; `main` where nothing is left."""
    return token(main_key) or MAIN


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
