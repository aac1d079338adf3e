"""Agents that keep sessions in formats which sessiond does not read yet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import attrs

from sessiond.files import disk
from sessiond.runtime.home import absolute


@attrs.frozen
class UnreadAgent:
    """Where an agent keeps sessions: below a directory, which a variable may replace."""

    name: str
    variable: str
    directory: str
    below: str

    def place(self, env: Mapping[str, str]) -> str:
        return absolute(f"{env.get(self.variable) or self.directory}/{self.below}", env)


_AGENTS = (
    UnreadAgent("Antigravity CLI", "GEMINI_CLI_HOME", "~", ".gemini/antigravity-cli/brain"),
    UnreadAgent("Cursor", "", "~/.cursor", "chats"),
    UnreadAgent("goose", "XDG_DATA_HOME", "~/.local/share", "goose/sessions"),
    UnreadAgent("Grok CLI", "", "~/.grok", "sessions"),
    UnreadAgent("Kimi Code", "", "~/.kimi-code", "sessions"),
)


def unread_agents(env: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the agents whose directories exist, with the directories. `env` has PWD and HOME."""
    for agent in _AGENTS:
        place = agent.place(env)
        if disk.isdir(place):
            yield agent.name, place
