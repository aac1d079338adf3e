"""The official client of the Model Context Protocol, in an environment of its own.

    python mcp_sdk.py MODE COMMAND...

It calls everything that the server at COMMAND offers, and prints what it got as JSON. MODE is `legacy`
(handshake), `auto` or a version.
"""

import asyncio
import json
import re
import sys
from typing import Any

from mcp import MCPError, StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client


async def main(mode: str, command: list[str]) -> dict[str, Any]:
    server = StdioServerParameters(command=command[0], args=command[1:])
    async with Client(stdio_client(server), mode=mode) as client:
        found: dict[str, Any] = {
            "version": client.protocol_version,
            "server": client.server_info.name if client.server_info else None,
            "instructions": client.instructions,
            "tools": [tool.name for tool in (await client.list_tools()).tools],
        }

        async def call(name: str, **arguments: Any) -> Any:
            result = await client.call_tool(name, arguments)
            return {"error": result.is_error, "text": result.content[0].text}

        found["search"] = await call("search_sessions", query="needle")
        (session,) = re.findall(r"^session (\S+), ", found["search"]["text"], re.MULTILINE)
        (entry,) = re.findall(r"^  entry (\S+), ", found["search"]["text"], re.MULTILINE)
        found["open"] = await call("open_session", session=session, around=entry)
        found["list"] = await call("list_sessions")
        found["failure"] = await call("open_session", session="none")
        found["resources"] = [str(it.uri) for it in (await client.list_resources()).resources]
        uri = found["resources"][0]
        found["read"] = (await client.read_resource(uri)).contents[0].text
        templates = (await client.list_resource_templates()).resource_templates
        found["templates"] = [template.uri_template for template in templates]
        try:
            await client.read_resource("sessiond://session/none")
        except MCPError as error:
            found["missing"] = error.code
    return found


print(json.dumps(asyncio.run(main(sys.argv[1], sys.argv[2:]))))
