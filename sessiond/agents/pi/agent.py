"""The directories of pi and of the agents that have its layout.

A directory for each working directory below `<agentDir>/sessions`, with files named
`<timestamp>_<id>.jsonl`.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Mapping

import attrs
import msgspec

from sessiond.agents.agent import Agent
from sessiond.files.identity import OpenedFile, read_from
from sessiond.runtime.errors import SessiondError
from sessiond.runtime.home import absolute

_LEADING_SEPARATOR = re.compile(r"^[/\\]")
_MOST_SETTINGS_BYTES = 1024 * 1024
_SEPARATORS = re.compile(r"[/\\:]")


@attrs.frozen
class PiAgent(Agent):
    """An agent with the layout and the variables of pi."""

    @property
    def agent_dir_variable(self) -> str:
        return f"{self.variable_prefix}_CODING_AGENT_DIR"

    def agent_dir(self, env: Mapping[str, str]) -> str:
        return absolute(env.get(self.agent_dir_variable) or f"~/.{self.name}/agent", env)

    def session_dir(self, env: Mapping[str, str]) -> str | None:
        value = env.get(f"{self.variable_prefix}_CODING_AGENT_SESSION_DIR")
        return absolute(value, env) if value else None

    def configured_dir(self, env: Mapping[str, str], agent_dir: str, cwd: str | None) -> str | None:
        places = [agent_dir] if cwd is None else [f"{cwd}/.{self.name}", agent_dir]
        for place in places:
            value = _settings(f"{place}/settings.json").sessionDir
            if value is not None:
                return absolute(value, env) if value else None
        return None

    def sessions_dir(self, agent_dir: str, agent_id: str | None) -> str:  # noqa: ARG002
        return os.path.join(agent_dir, "sessions")

    def directory_of(self, cwd: str, env: Mapping[str, str]) -> str:  # noqa: ARG002
        return encode_cwd(cwd)

    @property
    def start_words(self) -> tuple[str, ...]:
        return (self.name,)

    @property
    def resume_words(self) -> tuple[str, ...]:
        return self.name, "--session", "{file}"


class _Settings(msgspec.Struct):
    """The members of a `settings.json` that say where sessions are."""

    sessionDir: str | None = None  # noqa: N815 - the name is pi's


def _settings(path: str) -> _Settings:
    """Read a file of settings; one that pi could not use says nothing."""
    with contextlib.suppress(SessiondError, msgspec.MsgspecError, RecursionError):
        with OpenedFile(path) as (descriptor, state):
            content = read_from(descriptor, 0, min(state.size, _MOST_SETTINGS_BYTES))
        return msgspec.json.decode(content, type=_Settings)
    return _Settings()


def encode_cwd(cwd: str) -> str:
    r"""Return pi's directory name of a working directory: drop a leading / or \, / \ : become -."""
    return f"--{_SEPARATORS.sub('-', _LEADING_SEPARATOR.sub('', cwd))}--"


PI = PiAgent("pi")
CLANKER = PiAgent("clanker")
INDUSAGI = PiAgent("indusagi")
COMPANION = PiAgent("companion")
AGENTS = (PI, CLANKER, INDUSAGI, COMPANION)
