"""The methods of MCP that work on sessions: tools, resources, completion."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Raw
from sessiond_protocol.errors import INVALID_PARAMS

from sessiond.config import McpConfig
from sessiond.engine import Engine
from sessiond.errors import InvalidParams, ProtocolError, SessiondError
from sessiond.mcp import safe_text
from sessiond.mcp.open_session import OPEN_SESSION
from sessiond.mcp.resources import TEMPLATES, CompleteParams, Completion, ResourceParams, Resources
from sessiond.mcp.server import McpRequest, McpServer, PageParams
from sessiond.mcp.sessions import ShownSessions, ToolFailure
from sessiond.mcp.subscriptions import ListenParams, Subscriptions
from sessiond.mcp.tools import LABEL_SESSION, LIST_SESSIONS, SEARCH_SESSIONS, Tool
from sessiond.methods.client import Client
from sessiond.methods.local import Local
from sessiond.rpc.params import decode_params

READING = (SEARCH_SESSIONS, OPEN_SESSION, LIST_SESSIONS)
WRITING = (LABEL_SESSION,)
"""The tools that are offered with `--allow-write` only."""

_FAILURE = 1000


class CallParams(msgspec.Struct):
    """`tools/call`."""

    name: str
    arguments: Raw = Raw(b"{}")


class Tools:
    """`tools/call`."""

    def __init__(self, sessions: ShownSessions, *, may_write: bool) -> None:
        self._sessions = sessions
        self._tools = {tool.name: tool for tool in (*READING, *(WRITING if may_write else ()))}

    async def call(self, request: McpRequest, params: CallParams) -> dict[str, Any]:
        tool = self._tools.get(params.name)
        if tool is None:
            raise ProtocolError(INVALID_PARAMS, f"Unknown tool: {params.name}")
        try:
            given = decode_params(msgspec.json.Decoder(tool.arguments), params.arguments)
            output = await tool.run(self._sessions, request, given)
        except (ToolFailure, InvalidParams, SessiondError) as error:
            return self._failed(tool, error)
        return {
            "content": [{"type": "text", "text": output.text}],
            "structuredContent": msgspec.to_builtins(output.values),
            "isError": False,
        }

    def _failed(
        self, tool: Tool, error: ToolFailure | InvalidParams | SessiondError
    ) -> dict[str, Any]:
        text = str(error) if isinstance(error, ToolFailure) else error.message
        if isinstance(error, InvalidParams):
            text = f"Wrong arguments for {tool.name}: {text}"
        elif isinstance(error, SessiondError) and error.retryable:
            text = f"{text}. Try again."
        # It may quote the name of a file.
        text = safe_text.one_line(self._sessions.text(text), _FAILURE)
        return {"content": [{"type": "text", "text": text}], "isError": True}


def fixed_lists() -> dict[str, Any]:
    """What `front/fixed_answers.json` contains."""
    return {
        "tools": [tool.described() for tool in READING],
        "writingTools": [tool.described() for tool in WRITING],
        "resourceTemplates": TEMPLATES,
    }


def connect(engine: Engine, config: McpConfig, env: Mapping[str, str], pid: int | None) -> Client:
    """Create a client in this context whose `server` serves MCP; it does not serve yet."""
    server = McpServer(config)
    client = Client(engine, config, env, server, pid)
    server.hear_client = functools.partial(setattr, client, "name")
    _register(server, ShownSessions(server, Local(client)))
    return client


def _register(server: McpServer, sessions: ShownSessions) -> None:
    """Serve all methods on these sessions."""
    tools = Tools(sessions, may_write=not server.config.read_only)
    server.answer("tools/call", CallParams, tools.call)
    resources = Resources(sessions)
    server.answer("resources/read", ResourceParams, resources.read, ttl_ms=0)
    subscriptions = Subscriptions(server, sessions, resources)

    async def listed(request: McpRequest, params: PageParams) -> dict[str, Any]:
        if request.era == "handshake":
            await subscriptions.follow_list()
        return await resources.list(request, params)

    server.answer("resources/list", PageParams, listed, ttl_ms=0)
    for name, handler in (
        ("resources/subscribe", subscriptions.subscribe),
        ("resources/unsubscribe", subscriptions.unsubscribe),
    ):
        server.answer(name, ResourceParams, handler, era="handshake")
    server.answer("subscriptions/listen", ListenParams, subscriptions.listen, era="stateless")
    server.answer("completion/complete", CompleteParams, Completion(sessions).complete)
