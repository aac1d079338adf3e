"""All agents: one line for each."""

from __future__ import annotations

from sessiond.agents.agent import Agent
from sessiond.agents.claude.agent import CLAUDE
from sessiond.agents.coderclaw.agent import CODERCLAW
from sessiond.agents.codex.agent import CODEX
from sessiond.agents.openclaw.agent import OPENCLAW
from sessiond.agents.opencode.agent import OPENCODE
from sessiond.agents.pi.agent import CLANKER, COMPANION, INDUSAGI, PI
from sessiond.agents.translation import Translation

AGENTS: dict[str, Agent] = {}
"""Agents by the names of their profiles."""

_translations: list[Translation] = []


def register(agent: Agent) -> None:
    """Add an agent. Its sessions are then found wherever an agent or a directory is named."""
    AGENTS[agent.name] = agent
    if agent.translation is not None:
        _translations.append(agent.translation)


def translations() -> list[Translation]:
    """Return what reads the sessions that are not files of pi's format."""
    return _translations


for _agent in (PI, CLANKER, INDUSAGI, COMPANION, CODERCLAW, OPENCLAW, CLAUDE, CODEX, OPENCODE):
    register(_agent)
