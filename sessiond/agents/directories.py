"""The directories in use: an agent after the command line and `initialize`."""

from __future__ import annotations

import os
from collections.abc import Mapping

import attrs

from sessiond.agents.agent import Agent
from sessiond.home import absolute


@attrs.frozen
class Directories:
    """An agent and where its sessions are."""

    agent: Agent
    agent_dir: str
    agent_id: str | None = None
    """The agent id of a gateway that was chosen; None: `main`, and lists show all of them."""
    session_dir: str | None = None
    """Replaces every default session directory if a variable of the agent sets it."""

    @property
    def sessions_dir(self) -> str:
        """The directory of the sessions, or of a directory for each working directory."""
        return self.session_dir or self.agent.sessions_dir(self.agent_dir, self.agent_id)

    @property
    def agents_dir(self) -> str | None:
        """The directory of all agent ids of a gateway; None if one was chosen, or without ids."""
        return None if self.agent_id is not None else self.agent.agents_dir(self.agent_dir)

    @property
    def listed_dir(self) -> str:
        """The directory whose sessions lists show, without a working directory."""
        return self.agents_dir or self.sessions_dir

    @property
    def one_for_all(self) -> bool:
        """Whether one directory holds the sessions of every working directory."""
        return self.session_dir is not None or self.agent.directory_of("/") is None

    @property
    def depth(self) -> int:
        """How many directories lie between `sessions_dir` and a session."""
        return 0 if self.session_dir is not None else self.agent.depth

    def default_dir(self, cwd: str) -> str:
        """Return the session directory of an absolute working directory."""
        name = None if self.session_dir is not None else self.agent.directory_of(cwd)
        return self.sessions_dir if name is None else os.path.join(self.sessions_dir, name)

    def file_name(self, session_id: str, timestamp: str) -> str:
        """Return the name of a new session file; `timestamp` is that of its header."""
        return self.agent.file_name(session_id, timestamp)


def directories(
    agent: Agent,
    env: Mapping[str, str],
    agent_dir: str | None = None,
    agent_id: str | None = None,
) -> Directories:
    """Resolve an agent: arguments override the agent's variables, which override defaults.

    A given agent directory also overrides the variable for session directories.
    """
    if agent_dir is not None:
        return Directories(agent, absolute(agent_dir, env), agent_id or None)
    return Directories(agent, agent.agent_dir(env), agent_id or None, agent.session_dir(env))
