"""The official client of the Model Context Protocol, in an environment of its own.

    python mcp_sdk.py MODE FILE COMMAND...

It calls everything that the server at COMMAND offers, appends a line to the session FILE while it is
subscribed to it, and prints what it got as JSON. MODE is `legacy` (handshake), `auto` or a version.
"""

import asyncio
import json
import sys
from typing import Any

from mcp import MCPError, StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client
from mcp_types import ResourceTemplateReference


async def main(mode: str, file: str, command: list[str]) -> dict[str, Any]:
    told: asyncio.Queue[str] = asyncio.Queue()
    progress: list[float] = []

    async def hear(message: object) -> None:
        if type(message).__name__ == "ResourceUpdatedNotification":
            told.put_nowait(str(message.params.uri))

    async def report(done: float, _total: float | None, _message: str | None) -> None:
        progress.append(done)

    server = StdioServerParameters(command=command[0], args=command[1:])
    async with Client(stdio_client(server), mode=mode, message_handler=hear) as client:
        found: dict[str, Any] = {
            "version": client.protocol_version,
            "server": client.server_info.name if client.server_info else None,
            "instructions": client.instructions,
            "tools": [tool.name for tool in (await client.list_tools()).tools],
        }

        async def call(name: str, **arguments: Any) -> Any:
            result = await client.call_tool(name, arguments, progress_callback=report)
            text = result.content[0].text
            return {"error": result.is_error, "values": result.structured_content, "text": text}

        found["search"] = await call("search_sessions", query="needle")
        hit = found["search"]["values"]["sessions"][0]
        found["open"] = await call(
            "open_session", session=hit["session"], around=hit["matches"][0]["entry"]
        )
        found["list"] = await call("list_sessions")
        found["failure"] = await call("open_session", session="none")
        found["resources"] = [str(it.uri) for it in (await client.list_resources()).resources]
        uri = found["resources"][0]
        found["read"] = (await client.read_resource(uri)).contents[0].text
        templates = (await client.list_resource_templates()).resource_templates
        reference = ResourceTemplateReference(type="ref/resource", uri=templates[0].uri_template)
        completed = await client.complete(reference, {"name": "id", "value": ""})
        found["completed"] = completed.completion.values
        found["updated"] = await _updated(client, uri, file, told)
        try:
            await client.read_resource("sessiond://session/none")
        except MCPError as error:
            found["missing"] = error.code
    found["progress"] = progress
    return found


async def _updated(client: Client, uri: str, file: str, told: "asyncio.Queue[str]") -> str:
    if client.protocol_version >= "2026":
        async with client.listen(resource_subscriptions=[uri]) as subscription:
            _append(file)
            async for event in subscription:
                return str(event.uri)
    await client.subscribe_resource(uri)
    _append(file)
    return await asyncio.wait_for(told.get(), 20)


def _append(file: str) -> None:
    with open(file, "a", encoding="utf-8") as out:
        out.write('{"type":"custom","id":"zz","parentId":"e0","customType":"x"}\n')


print(json.dumps(asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3:]))))
