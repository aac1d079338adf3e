"""A conversation with an agent that speaks pi's RPC, of any release."""

from __future__ import annotations

from reference.agent import Agent
from support.model_server import ModelServer
from support.process import DEADLINE


def converse(agent: Agent, model: ModelServer) -> None:
    """A tool, an error, an answer, an abort, a name, a command of the user, a compaction."""
    for text in ("run printf 'one\\ntwo'", "refuse", "go on \u2028 😀"):
        agent.call("prompt", message=text)
        agent.until("agent_end")
    agent.call("prompt", message="wait")
    assert model.waiting.wait(DEADLINE)
    agent.call("abort")
    agent.until("agent_end")
    agent.call("set_session_name", name="A name")
    agent.call("bash", command="echo out")
    agent.call("compact")
