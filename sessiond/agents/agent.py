"""The questions that every agent answers: its names, variables and directories, and how its
sessions are read.
"""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping

import attrs

from sessiond.agents.dialect import USUAL, Dialect
from sessiond.agents.translation import Translation
from sessiond.runtime.home import absolute


@attrs.frozen
class Agent(ABC):
    """A program that keeps sessions. `env` is always the environment of a client."""

    name: str
    """The name of its profile, which is also that of its command."""

    @property
    @abstractmethod
    def agent_dir_variable(self) -> str:
        """The agent's own variable for its directory."""

    @abstractmethod
    def agent_dir(self, env: Mapping[str, str]) -> str:
        """Return the agent's absolute directory."""

    @abstractmethod
    def sessions_dir(self, agent_dir: str, agent_id: str | None) -> str:
        """Return the directory of the sessions, or of a directory for each working directory."""

    def archive_dir(self, agent_dir: str) -> str | None:  # noqa: ARG002
        """Return the directory of sessions that were put away; None: there is none."""
        return None

    @property
    def translation(self) -> Translation | None:
        """The translation of sessions that are not files of pi's format; None: they all are."""
        return None

    @property
    def is_read_only(self) -> bool:
        """Whether only the agent itself can write sessions that it reads."""
        return self.translation is not None

    @property
    def has_gateway(self) -> bool:
        """Whether it keeps a store of conversations (`gateway/`), and sessions by agent id."""
        return False

    @property
    def dialect(self) -> Dialect:
        """The rules of its gateway in which gateways differ."""
        return USUAL

    @property
    def variable_prefix(self) -> str:
        """The beginning of the names of its variables."""
        return self.name.upper()

    def home_env(self, env: Mapping[str, str]) -> Mapping[str, str]:
        """Return the environment in which `~` is the agent's home."""
        return env

    def session_dir(self, env: Mapping[str, str]) -> str | None:  # noqa: ARG002
        """Return the directory that a variable sets for all sessions; None if it is not set."""
        return None

    def configured_dir(self, env: Mapping[str, str], agent_dir: str, cwd: str | None) -> str | None:  # noqa: ARG002
        """Return the directory that the agent's settings set for all sessions; None: none is set.

        With `cwd`, settings of that working directory count, too.
        """
        return None

    def agents_dir(self, agent_dir: str) -> str | None:  # noqa: ARG002
        """Return the directory that has one of sessions for each agent id; None: there is none."""
        return None

    def directory_of(self, cwd: str, env: Mapping[str, str]) -> str | None:  # noqa: ARG002
        """Return the name of the directory below `sessions_dir` of a working directory.

        None if one directory holds the sessions of every working directory.
        """
        return None

    @property
    def depth(self) -> int:
        """How many directories lie between `sessions_dir` and a session."""
        return 0 if self.directory_of("/", {}) is None else 1

    def file_name(self, session_id: str, timestamp: str) -> str:
        """Return the name of a new file of pi's format; `timestamp` is that of its header."""
        return f"{re.sub('[:.]', '-', timestamp)}_{session_id}.jsonl"

    @property
    def start_words(self) -> tuple[str, ...]:
        """The command that begins a session, without the message; empty: unknown."""
        return ()

    @property
    def resume_words(self) -> tuple[str, ...]:
        """The command that goes on with the session `{id}` or `{file}`; empty: unknown."""
        return ()

    def resumed_id(self, file: str) -> str | None:
        """Return the id by which the agent goes on with the session of a file; None: it cannot."""
        return None if self.translation is None else self.translation.id_of(file)

    def start_command(self, prompt: str) -> list[str] | None:
        """Return the command that begins a session with a message; None: unknown."""
        return [*self.start_words, prompt] if self.start_words else None

    def resume_command(self, file: str) -> list[str] | None:
        """Return the command that goes on with the session of a file; None: unknown."""
        session_id = self.resumed_id(file) if "{id}" in self.resume_words else ""
        if not self.resume_words or session_id is None:
            return None
        names = {"{id}": session_id, "{file}": file}
        return [names.get(word, word) for word in self.resume_words]


@attrs.frozen
class ReadOnlyAgent(Agent):
    """An agent whose sessions are read and never written, all in one place of its directory."""

    agent_dir_variable: str
    home: str
    """Its directory if the variable is not set; `~` is that of the user."""
    place: str
    """The directory or the database of its sessions, below its directory."""
    translation: Translation
    depth: int = 0
    start_words: tuple[str, ...] = ()
    resume_words: tuple[str, ...] = ()

    def agent_dir(self, env: Mapping[str, str]) -> str:
        return absolute(env.get(self.agent_dir_variable) or self.home, env)

    def sessions_dir(self, agent_dir: str, agent_id: str | None) -> str:  # noqa: ARG002
        return os.path.join(agent_dir, self.place)
