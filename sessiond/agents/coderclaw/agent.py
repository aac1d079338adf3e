"""The directories of gateways: CoderClaw, and OpenClaw, of which it is a fork.

One directory for each agent id below `<stateDir>/agents`, with files named `<id>.jsonl`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

import attrs

from sessiond.agents.agent import Agent
from sessiond.agents.agent_ids import normal_agent_id
from sessiond.runtime.home import absolute_from

_INSTALL_ID = re.compile(r"[0-9a-f]{8}")


@attrs.frozen
class GatewayAgent(Agent):
    """An agent with the layout and the variables of CoderClaw."""

    @property
    def is_read_only(self) -> bool:
        return False

    @property
    def has_gateway(self) -> bool:
        return True

    @property
    def agent_dir_variable(self) -> str:
        return f"{self.variable_prefix}_STATE_DIR"

    def agent_dir(self, env: Mapping[str, str]) -> str:
        """Return the state directory."""
        prefix = self.variable_prefix
        home = self._home(env)
        if override := env.get(self.agent_dir_variable, "").strip():
            return absolute_from(override, home, env)
        profile = env.get(f"{prefix}_PROFILE", "").strip()
        if profile and profile.lower() != "default":
            return os.path.join(home, f".{self.name}-{profile}")
        flat = os.path.join(home, f".{self.name}")
        if os.path.isdir(f"{flat}/agents"):
            return flat
        installs = _installs(flat)
        # With several installations none is preferred, so use the documented flat form.
        return installs[0] if len(installs) == 1 else flat

    def home_env(self, env: Mapping[str, str]) -> Mapping[str, str]:
        return {**env, "HOME": self._home(env)}

    def sessions_dir(self, agent_dir: str, agent_id: str | None) -> str:
        return os.path.join(agent_dir, "agents", normal_agent_id(agent_id), "sessions")

    def agents_dir(self, agent_dir: str) -> str:
        return os.path.join(agent_dir, "agents")

    def file_name(self, session_id: str, timestamp: str) -> str:  # noqa: ARG002
        return f"{session_id}.jsonl"

    def _home(self, env: Mapping[str, str]) -> str:
        plain = env.get("HOME") or env.get("USERPROFILE") or os.path.expanduser("~")
        override = env.get(f"{self.variable_prefix}_HOME", "").strip()
        return absolute_from(override, plain, env) if override else plain


def _installs(directory: str) -> list[str]:
    """Return the directories of installations, which have an id as name and agents."""
    try:
        names = os.listdir(directory)
    except OSError:
        return []
    paths = [f"{directory}/{name}" for name in names if _INSTALL_ID.fullmatch(name)]
    return [path for path in paths if os.path.isdir(f"{path}/agents")]


CODERCLAW = GatewayAgent("coderclaw")
AGENTS = (CODERCLAW,)
