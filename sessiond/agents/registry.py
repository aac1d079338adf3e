"""All agents, as `PACKAGES` registers them."""

from __future__ import annotations

from importlib import import_module

from sessiond.agents import PACKAGES
from sessiond.agents.agent import Agent
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


for _package in PACKAGES:
    for _agent in import_module(f"sessiond.agents.{_package}.agent").AGENTS:
        register(_agent)
