"""The agents of a machine, and how many sessions each has."""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta

from sessiond_protocol.connection.profiles import Profile
from sessiond_protocol.method import Method
from sessiond_protocol.session.state import FileProblems
from sessiond_protocol.wire import wire


@wire
class AgentsParams:
    """Nothing: the directories are those of the connection and of its variables."""


@wire
class AgentSummary:
    """An agent whose directory of sessions exists."""

    agent: Annotated[Profile, Meta(description="Name of the agent's profile.")]
    agentDir: Annotated[str, Meta(description="Absolute path of the agent's directory.")]
    sessionsDir: Annotated[str, Meta(description="Directory or database of its sessions.")]
    sessions: Annotated[int, Meta(description="Number of its sessions, without subagents.")]
    readOnly: Annotated[
        bool, Meta(description="Whether sessiond only reads them; the agent alone writes them.")
    ]
    versions: Annotated[
        list[str],
        Meta(
            description=(
                "Versions of the agent that its latest 50 sessions name, in the order of their"
                " last use; empty if its files name none."
            )
        ),
    ]


@wire
class UnreadAgent:
    """An agent whose sessions exist, and which sessiond does not read yet."""

    name: Annotated[str, Meta(description="Name of the agent, for people.")]
    directory: Annotated[str, Meta(description="Directory of its sessions.")]


@wire
class AgentsResult:
    """The agents that have sessions on this machine."""

    agents: Annotated[list[AgentSummary], Meta(description="In the order of the profiles.")]
    unread: Annotated[list[UnreadAgent], Meta(description="Agents that are not read yet.")]
    problems: FileProblems = UNSET


METHODS = (
    Method(
        "catalog/agents",
        AgentsParams,
        AgentsResult,
        "Say which agents have sessions here, where, and how many.",
        ("ReadFailed",),
        repeatable=True,
    ),
)
