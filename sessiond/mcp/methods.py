"""The methods of MCP that work on sessions: tools and resources."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Raw
from sessiond_protocol.errors import INVALID_PARAMS

from sessiond.mcp import safe_text
from sessiond.mcp.open_session import OPEN_SESSION
from sessiond.mcp.resources import TEMPLATES, ResourceParams, Resources
from sessiond.mcp.server import Era, McpServer, PageParams
from sessiond.mcp.sessions import ShownSessions, ToolFailure
from sessiond.mcp.tools import LIST_SESSIONS, SEARCH_SESSIONS, Tool
from sessiond.methods.client import Client
from sessiond.methods.local import Local
from sessiond.rpc.params import decode_params
from sessiond.runtime.config import McpConfig
from sessiond.runtime.errors import InvalidParams, ProtocolError, SessiondError
from sessiond.sessions.engine import Engine
from sessiond.shared.front.first_answers import BegunConversation

TOOLS = (SEARCH_SESSIONS, OPEN_SESSION, LIST_SESSIONS)

_FAILURE = 1000


class CallParams(msgspec.Struct):
    """`tools/call`."""

    name: str
    arguments: Raw = Raw(b"{}")


class Tools:
    """`tools/call`."""

    def __init__(self, sessions: ShownSessions) -> None:
        self._sessions = sessions
        self._tools = {tool.name: tool for tool in TOOLS}

    async def call(self, _era: Era, params: CallParams) -> dict[str, Any]:
        tool = self._tools.get(params.name)
        if tool is None:
            raise ProtocolError(INVALID_PARAMS, f"Unknown tool: {params.name}")
        try:
            given = decode_params(msgspec.json.Decoder(tool.arguments), params.arguments)
            text = await tool.run(self._sessions, given)
        except (ToolFailure, InvalidParams, SessiondError) as error:
            return self._failed(tool, error)
        return {"content": [{"type": "text", "text": text}], "isError": False}

    def _failed(
        self, tool: Tool, error: ToolFailure | InvalidParams | SessiondError
    ) -> dict[str, Any]:
        quotes: Sequence[str] = [] if isinstance(error, ToolFailure) else [error.message]
        match error:
            case ToolFailure():
                text, quotes = str(error), error.quotes
            case InvalidParams():
                text = f"Wrong arguments for {tool.name}:"
            case _:
                text = f"{tool.name} failed{'; try again' if error.retryable else ''}:"
        # An error may have the name of a file.
        lines = [safe_text.one_line(self._sessions.text(each), _FAILURE) for each in quotes]
        text = "\n".join([text, *(f"> {each}" for each in lines)])
        return {"content": [{"type": "text", "text": text}], "isError": True}


def fixed_lists() -> dict[str, Any]:
    """The content of `shared/front/fixed_answers.json`."""
    return {"tools": [tool.described() for tool in TOOLS], "resourceTemplates": TEMPLATES}


def connect(engine: Engine, config: McpConfig, env: Mapping[str, str], pid: int | None) -> Client:
    """Create a client in this context whose `server` serves MCP; it does not serve yet."""
    server = McpServer(config)
    client = Client(engine, config, env, server, pid)
    server.hear_client = functools.partial(setattr, client, "name")
    sessions = ShownSessions(config, Local(client))
    resources = Resources(sessions)
    server.answer("tools/call", CallParams, Tools(sessions).call)
    server.answer("resources/read", ResourceParams, resources.read, ttl_ms=0)
    server.answer("resources/list", PageParams, resources.list, ttl_ms=0)
    return client


def resume(client: Client, begun: BegunConversation) -> None:
    """Let the server of a client that `connect` made go on with a conversation."""
    if isinstance(client.server, McpServer):
        client.server.begin(begun)
