"""Where stores and transcripts of agents lie."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Mapping

import attrs

from sessiond.files import disk
from sessiond.gateway.config.reader import Part
from sessiond.gateway.keys.session_key import KeyRules
from sessiond.gateway.transcripts.paths import Directory
from sessiond.profiles import absolute, normal_agent_id

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
    """None: the profile has no gateway, and there are only stores that are named."""
    legacy_dir: str | None = None
    """Where transcripts of old may lie that are still looked at."""
    template: str | None = None
    """Path of the stores, with `{agentId}` in it or without; None: each agent has its own."""
    allows: Callable[[str], bool] = _anywhere
    """Whether a directory lies inside the roots."""

    @property
    def shared(self) -> bool:
        """Whether one store is that of all agents."""
        return self.template is not None and _AGENT not in self.template

    def store_path(self, agent_id: str) -> str | None:
        """The store of an agent; None: it has none."""
        owner = normal_agent_id(agent_id)
        if self.template is not None:
            return absolute(self.template.replace(_AGENT, owner), self.env)
        sessions = self.sessions_dir(owner)
        return None if sessions is None else posixpath.join(sessions, STORE_NAME)

    def sessions_dir(self, agent_id: str) -> str | None:
        """The directory an agent's new transcripts go to, wherever its store is."""
        if self.state_dir is None:
            return None
        return posixpath.join(self.state_dir, "agents", normal_agent_id(agent_id), "sessions")

    def directories(self, agent_id: str, store_path: str) -> list[Directory]:
        """Where a transcript may lie, the likeliest first: beside the store, the agent's, of old.

        The first one judges a `sessionFile`.
        """
        paths = [self.sessions_dir(agent_id), self.legacy_dir]
        # Of transcripts outside it is not even told whether there are any.
        found = dict.fromkeys(path for path in paths if path is not None and self.allows(path))
        beside = posixpath.dirname(store_path)
        return [Directory(path, self.state_dir, agent_id) for path in {beside: None, **found}]

    def own_directory(self, agent_id: str, store_path: str) -> Directory:
        """Where the transcript of a new session goes."""
        own = self.sessions_dir(agent_id) or posixpath.dirname(store_path)
        return Directory(own, self.state_dir, agent_id)

    def workspace(self, agent_id: str) -> str | None:
        """The directory an agent works in, as the configuration has it; None: it does not say."""
        agents = self.config.part("agents")
        own = [item for item in agents.items("list") if item.present]
        named = [item for item in own if normal_agent_id(item.text("id")) == agent_id]
        for part in (*named[:1], agents.part("defaults")):
            path = part.text("workspace")
            if path and "\0" not in path:
                return absolute(path, self.env)
        return None

    def agents(self) -> list[str]:
        """All agents: those configured, or those with a directory; the default one first.

        Looks at the disk.
        """
        default = self.rules.default_agent
        listed = [item.text("id") for item in self.config.part("agents").items("list")]
        found = {normal_agent_id(name) for name in listed if name}
        if not found and self.state_dir is not None:
            found = _agent_directories(os.path.join(self.state_dir, "agents"))
        return [default, *sorted(found - {default})]


def _agent_directories(path: str) -> set[str]:
    try:
        with disk.scandir(path) as entries:
            return {normal_agent_id(entry.name) for entry in entries if entry.is_dir()}
    except OSError:
        return set()
