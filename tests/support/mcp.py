"""Clients of the Model Context Protocol, in this process: the specification's messages."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import attrs

from sessiond.daemon import connect, serve
from sessiond.mcp.server import McpServer
from sessiond.runtime.config import McpConfig
from sessiond.sessions.engine import Engine
from sessiond.shared.front.first_answers import BegunConversation
from support.client import Client, connected
from support.mcp_text import values_of
from support.session_lines import header, line
from support.sessions_on_disk import write_session

NEWEST_HANDSHAKE = "2025-11-25"
TIME = 1767225600000
HELLO = {"capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
STATELESS = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}


@attrs.frozen
class McpClient:
    """A client that adds to each request what its era asks for."""

    wire: Client
    stateless: bool

    async def request(self, method: str, /, **params: Any) -> Any:
        return await self.wire.request(method, self.params(**params))

    def params(self, **params: Any) -> dict[str, Any]:
        if self.stateless:
            params["_meta"] = {**STATELESS, **params.get("_meta", {})}
        return params

    async def call(self, tool: str, /, **arguments: Any) -> Any:
        """The values in the text of a tool's result, which must not be an error."""
        return values_of(tool, await self.text(tool, **arguments))

    async def text(self, tool: str, /, **arguments: Any) -> str:
        result = await self.result(tool, **arguments)
        assert not result["isError"], result
        return str(result["content"][0]["text"])

    async def failure(self, tool: str, /, **arguments: Any) -> str:
        result = await self.result(tool, **arguments)
        assert result["isError"], result
        return str(result["content"][0]["text"])

    async def result(self, tool: str, /, **arguments: Any) -> Any:
        result = await self.request("tools/call", name=tool, arguments=arguments)
        # Agents that show values instead of the text would show quotations without their marks.
        assert "structuredContent" not in result
        assert [each["type"] for each in result["content"]] == ["text"]
        return result


@asynccontextmanager
async def unopened(
    home: Path,
    cwd: Path | None = None,
    *,
    begun: BegunConversation | None = None,
    **settings: Any,
) -> AsyncIterator[Client]:
    """A client that has sent nothing yet, or for which a front has begun the conversation."""
    config = McpConfig(read_only=True, **settings)
    env = {"HOME": str(home), "PWD": str(cwd or home)}
    engine = Engine(config, env)
    served = connect(engine, config, env)
    if begun is not None:
        cast("McpServer", served.server).begin(begun)

    class Served:
        async def serve(self, input_fd: int, output_fd: int) -> int:
            return await serve(served, input_fd, output_fd)

    async with connected(Served(), "line") as client:  # type: ignore[arg-type]
        yield client


@asynccontextmanager
async def mcp(
    home: Path, cwd: Path | None = None, *, stateless: bool = False, **settings: Any
) -> AsyncIterator[McpClient]:
    async with unopened(home, cwd, **settings) as wire:
        if not stateless:
            await wire.request("initialize", {"protocolVersion": NEWEST_HANDSHAKE, **HELLO})
            wire.notify("notifications/initialized")
        yield McpClient(wire, stateless)


def directory_of(home: Path, cwd: Path | str) -> Path:
    """Where pi keeps the sessions of a working directory."""
    name = str(cwd).strip("/").replace("/", "-")
    return home / ".pi" / "agent" / "sessions" / f"--{name}--"


def project(tmp_path: Path, name: str = "proj") -> Path:
    directory = tmp_path / name
    (directory / ".git").mkdir(parents=True)
    return directory


def session(home: Path, cwd: Path | str, session_id: str, *messages: str, **more: Any) -> Path:
    file = directory_of(home, cwd) / f"2026-01-01T00-00-00-000Z_{session_id}.jsonl"
    more.setdefault("modified", TIME)
    return write_session(file, *messages, session_id=session_id, cwd=str(cwd), **more)


def chain(home: Path, cwd: Path, *texts: str) -> Path:
    """A session whose entries follow each other: e0, e1, ..."""
    file = directory_of(home, cwd) / "2026-01-01T00-00-00-000Z_chain.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = [header("chain", str(cwd))]
    lines += [line(f"e{at}", f"e{at - 1}" if at else None, text) for at, text in enumerate(texts)]
    file.write_text("".join(lines))
    return file
