"""The directories in use: an agent after the command line and `initialize`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from urllib.parse import quote

import attrs

from sessiond.agents.agent import Agent
from sessiond.files import disk
from sessiond.runtime.errors import PathNotAllowed
from sessiond.runtime.home import absolute


@attrs.frozen
class Directories:
    """An agent and where its sessions are."""

    agent: Agent
    agent_dir: str
    agent_id: str | None = None
    """The agent id of a gateway that was chosen; None: `main`, and lists show all of them."""
    session_dir: str | None = None
    """Replaces every default session directory if a variable of the agent sets it."""
    env: Mapping[str, str] = attrs.field(factory=dict, eq=False, repr=False)
    """The environment that names directories of working directories."""

    @property
    def sessions_dir(self) -> str:
        """The directory of the sessions, or of a directory for each working directory."""
        return self.session_dir or self.agent.sessions_dir(self.agent_dir, self.agent_id)

    @property
    def archive_dir(self) -> str | None:
        """The directory of sessions that were put away, if the agent has one."""
        return None if self.session_dir is not None else self.agent.archive_dir(self.agent_dir)

    @property
    def agents_dir(self) -> str | None:
        """The directory of all agent ids of a gateway; None if one was chosen, or without ids."""
        return None if self.agent_id is not None else self.agent.agents_dir(self.agent_dir)

    @property
    def listed_dir(self) -> str:
        """The directory whose sessions lists show, without a working directory."""
        return self.agents_dir or self.sessions_dir

    def holds(self, path: str) -> bool:
        """Whether a path lies where the agent keeps sessions, by the path alone."""
        return path.startswith(
            tuple(f"{each}/" for each in (self.listed_dir, self.archive_dir) if each)
        )

    @property
    def one_for_all(self) -> bool:
        """Whether one directory holds the sessions of every working directory."""
        return self.session_dir is not None or self.agent.directory_of("/", self.env) is None

    @property
    def depth(self) -> int:
        """How many directories lie between `sessions_dir` and a session."""
        return 0 if self.session_dir is not None else self.agent.depth

    def default_dir(self, cwd: str) -> str:
        """Return the session directory of an absolute working directory."""
        name = None if self.session_dir is not None else self.agent.directory_of(cwd, self.env)
        return self.sessions_dir if name is None else os.path.join(self.sessions_dir, name)

    def new_path(self, cwd: str, session_id: str, timestamp: str) -> str:
        """Return where a file of pi's format that was made elsewhere belongs.

        An id may contain anything; the name is one of a file in the directory.
        """
        name = quote(self.file_name(session_id, timestamp), safe="")
        return os.path.join(self.default_dir(cwd), name)

    def file_name(self, session_id: str, timestamp: str) -> str:
        """Return the name of a new session file; `timestamp` is that of its header."""
        return self.agent.file_name(session_id, timestamp)


def directories(
    agent: Agent,
    env: Mapping[str, str],
    agent_dir: str | None = None,
    agent_id: str | None = None,
) -> Directories:
    """Resolve an agent: arguments override the agent's variables, then its settings, then defaults.

    A given agent directory also overrides the variable for session directories, and the settings of
    the working directory. It may be a directory of sessions itself.
    """
    if agent_dir is not None:
        place = absolute(agent_dir, env)
        sessions = agent.configured_dir(env, place, None) or _own_sessions(agent, place, agent_id)
        return Directories(agent, place, agent_id or None, sessions, env)
    place = agent.agent_dir(env)
    sessions = agent.session_dir(env) or agent.configured_dir(env, place, env.get("PWD"))
    return Directories(agent, place, agent_id or None, sessions, env)


def _own_sessions(agent: Agent, place: str, agent_id: str | None) -> str | None:
    """Return the agent directory if it has session files itself, and no directory of them."""
    if agent.is_read_only or agent.has_gateway or disk.exists(agent.sessions_dir(place, agent_id)):
        return None
    try:
        has_sessions = any(name.endswith(".jsonl") for name in disk.listdir(place))
    except (OSError, PathNotAllowed):
        return None
    return place if has_sessions else None
