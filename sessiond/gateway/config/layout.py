"""The paths of the stores and transcripts of agents."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Mapping

import attrs

from sessiond.agents.agent_ids import normal_agent_id
from sessiond.files import disk
from sessiond.gateway.config.reader import Part
from sessiond.gateway.keys.session_key import KeyRules
from sessiond.gateway.transcripts.paths import Directory
from sessiond.home import absolute

STORE_NAME = "sessions.json"
_AGENT = "{agentId}"


def _anywhere(_path: str) -> bool:
    return True


@attrs.frozen
class Layout:
    """The directories of a gateway under a configuration."""

    config: Part
    rules: KeyRules
    env: Mapping[str, str]
    state_dir: str | None
    """None if the profile has no gateway; then only stores that a request names exist."""
    template: str | None = None
    """Path of the stores, with or without `{agentId}`; None if each agent has its own."""
    allows: Callable[[str], bool] = _anywhere
    """Whether a directory is inside the roots."""

    @property
    def shared(self) -> bool:
        """Whether all agents share one store."""
        return self.template is not None and _AGENT not in self.template

    def store_path(self, agent_id: str) -> str | None:
        """The path of an agent's store; None if it has none."""
        owner = normal_agent_id(agent_id)
        if self.template is not None:
            return absolute(self.template.replace(_AGENT, owner), self.env)
        sessions = self.sessions_dir(owner)
        return None if sessions is None else posixpath.join(sessions, STORE_NAME)

    def sessions_dir(self, agent_id: str) -> str | None:
        """The directory of an agent's new transcripts, for any path of its store."""
        if self.state_dir is None:
            return None
        return posixpath.join(self.state_dir, "agents", normal_agent_id(agent_id), "sessions")

    def directories(self, agent_id: str, store_path: str) -> list[Directory]:
        """The directories in which a transcript may lie: that of the store, and that of the agent.

        `sessionFile` is resolved against the first.
        """
        paths = [posixpath.dirname(store_path)]
        own = self.sessions_dir(agent_id)
        # Outside the roots, not even the existence of a transcript is told.
        if own is not None and own not in paths and self.allows(own):
            paths.append(own)
        return [Directory(path) for path in paths]

    def own_directory(self, agent_id: str, store_path: str) -> Directory:
        """The directory of a new session's transcript."""
        return Directory(self.sessions_dir(agent_id) or posixpath.dirname(store_path))

    def workspace(self, agent_id: str) -> str | None:
        """The working directory that the configuration gives an agent; None if it gives none."""
        agents = self.config.part("agents")
        own = [item for item in agents.items("list") if item.present]
        named = [item for item in own if normal_agent_id(item.text("id")) == agent_id]
        for part in (*named[:1], agents.part("defaults")):
            path = part.text("workspace")
            if path and "\0" not in path:
                return absolute(path, self.env)
        return None

    def agents(self) -> list[str]:
        """All agents, the default one first: those configured, else those with a directory.

        Reads the disk.
        """
        default = self.rules.default_agent
        listed = [item.text("id") for item in self.config.part("agents").items("list")]
        agents = {normal_agent_id(name) for name in listed if name}
        if not agents and self.state_dir is not None:
            agents = _agent_directories(os.path.join(self.state_dir, "agents"))
        return [default, *sorted(agents - {default})]


def _agent_directories(path: str) -> set[str]:
    try:
        with disk.scandir(path) as entries:
            return {normal_agent_id(entry.name) for entry in entries if entry.is_dir()}
    except OSError:
        return set()
