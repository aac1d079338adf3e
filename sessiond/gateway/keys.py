"""Session keys: parse, classify and canonicalise them, and the names that they consist of."""

from __future__ import annotations

import re
from typing import Literal

import attrs

from sessiond.agents.agent_ids import normal_agent_id
from sessiond.agents.dialect import USUAL, Dialect
from sessiond.gateway.config import Part
from sessiond.text.spans import js_trim

MAIN = "main"
UNKNOWN = "unknown"


def trim(text: str) -> str:
    """`text.trim()` in JavaScript."""
    return js_trim(text)


def token(text: str | None) -> str:
    """The text trimmed and in lower case; empty for None."""
    return trim(text or "").lower()


def default_agents(config: Part) -> tuple[str, str]:
    """The agents to which `main` and all other short keys belong.

    CoderClaw looks for them in two ways, which differ for lists with invalid items.
    """
    entries = config.part("agents").items("list")
    chosen = next((agent for agent in entries if agent.flag("default")), None)
    named = None if chosen is None else chosen.text("id")
    if named is None and entries:
        named = entries[0].text("id")
    agents = [agent for agent in entries if agent.present]
    first = chosen or (agents[0] if agents else None)
    return normal_agent_id(named), normal_agent_id(None if first is None else first.text("id"))


GLOBAL = "global"

Kind = Literal["global", "unknown", "group", "direct"]

_CRON_RUN = re.compile(r"cron:[^:]+:run:[^:]+")
_THREAD_MARKS = (":thread:", ":topic:")
_GROUP_MARKS = (":group:", ":channel:")
_THREAD = ":thread:"
# Ids that are case-sensitive: one part of the key for Signal groups, the whole rest for Matrix
# rooms.
_SIGNAL_GROUP = re.compile(r"(?:\A|:)signal:group:([^:]+)", re.IGNORECASE | re.ASCII)
_MATRIX_ROOM = re.compile(r"(?:agent:[^:]+:)?matrix:(?:channel|group):", re.IGNORECASE | re.ASCII)


@attrs.frozen
class AgentKey:
    """The parts of `agent:<agentId>:<rest>`, in their original case."""

    agent_id: str
    rest: str


def parse(key: str) -> AgentKey | None:
    """Parse the key of an agent; empty parts between colons are ignored."""
    parts = [part for part in trim(key).split(":") if part]
    if len(parts) < 3 or parts[0] != "agent":
        return None
    agent_id, rest = trim(parts[1]), ":".join(parts[2:])
    return AgentKey(agent_id, rest) if agent_id and rest else None


def kind(key: str, chat_type: str | None = None) -> Kind:
    """The kind of a session; `chat_type` is that of its entry, if any."""
    if key == GLOBAL:
        return "global"
    if key == UNKNOWN:
        return "unknown"
    grouped = chat_type in {"group", "channel"} or any(mark in key for mark in _GROUP_MARKS)
    return "group" if grouped else "direct"


def is_cron_run(key: str) -> bool:
    """Whether the key is the alias of one run of a cron job."""
    parsed = parse(key)
    return parsed is not None and _CRON_RUN.fullmatch(parsed.rest) is not None


def is_thread(key: str) -> bool:
    lower = token(key)
    return any(mark in lower for mark in _THREAD_MARKS)


def folded(key: str, dialect: Dialect) -> str:
    """The key, trimmed and in the case in which stores keep it."""
    given = trim(key)
    lower = given.lower()
    if not dialect.keeps_case or len(lower) != len(given):
        return lower
    spans = [match.span(1) for match in _SIGNAL_GROUP.finditer(given)]
    room = _MATRIX_ROOM.match(given)
    if room is not None:
        mark = lower.rfind(_THREAD, room.end())
        ends = (room.end(), len(given)) if mark < 0 else (room.end(), mark)
        spans.append(ends)
        if mark >= 0:
            spans.append((mark + len(_THREAD), len(given)))
    characters = list(lower)
    for start, end in spans:
        characters[start:end] = given[start:end]
    return "".join(characters)


@attrs.frozen
class KeyRules:
    """The rules for keys in a configuration."""

    is_global: bool = False
    main_key: str = MAIN
    main_agent: str = MAIN
    """The agent to whom the key `main` belongs."""
    default_agent: str = MAIN
    """The agent to whom all other keys without an agent belong."""
    dialect: Dialect = USUAL

    @classmethod
    def of(cls, config: Part, agent_id: str | None = None, dialect: Dialect = USUAL) -> KeyRules:
        """The rules of a configuration; `agent_id` replaces its default agent."""
        session = config.part("session")
        main_agent, default_agent = default_agents(config)
        given = None if agent_id is None else normal_agent_id(agent_id)
        return cls(
            session.choice("scope", ("per-sender", GLOBAL)) == GLOBAL,
            token(session.text("mainKey")) or MAIN,
            given or main_agent,
            given or default_agent,
            dialect,
        )

    def main(self, agent: str) -> str:
        """The main key of an agent with a normalised id."""
        return f"agent:{agent}:{self.main_key}"

    def main_or_global(self, agent: str) -> str:
        """The key of an agent's main session: that of all agents in the scope `global`."""
        return GLOBAL if self.is_global else self.main(agent)


def canonical(key: str, rules: KeyRules) -> str:
    """The key under which a gateway stores the session; empty for a blank key."""
    lower = folded(key, rules.dialect)
    if not lower or lower in {GLOBAL, UNKNOWN}:
        return lower
    parsed = parse(key)
    if parsed is not None:
        agent = normal_agent_id(parsed.agent_id)
        spellings = {f"agent:{agent}:{MAIN}", rules.main(agent)}
        return rules.main_or_global(agent) if lower in spellings else lower
    if lower in {MAIN, rules.main_key}:
        return rules.main_or_global(rules.main_agent)
    return lower if lower.startswith("agent:") else f"agent:{rules.default_agent}:{lower}"


def agent_of(key: str, rules: KeyRules) -> str:
    """The agent whose store has a canonical key."""
    parsed = parse(key)
    return rules.default_agent if parsed is None else normal_agent_id(parsed.agent_id)


def aliases(canonical_key: str, key: str, rules: KeyRules) -> list[str]:
    """Other keys, in any case, under which an older store may have the session of `canonical_key`.

    `key` is the key as the client spelled it.
    """
    others = [trim(key)]
    agent = agent_of(canonical_key, rules)
    if canonical_key == rules.main(agent):
        others.append(f"agent:{agent}:{MAIN}")
    return [other for other in dict.fromkeys(others) if other and other != canonical_key]
