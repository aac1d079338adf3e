"""`sessiond mcp --store`: agents recall sessions that are kept in PostgreSQL."""

from __future__ import annotations

from pathlib import Path

from support.app import assistant, daemon, user
from support.mcp import mcp, project


async def test_tools_and_resources_work_on_a_store(tmp_path: Path, store_url: str):
    cwd = project(tmp_path)
    async with daemon(tmp_path, store=store_url) as client:
        for place, words in ((str(cwd), "a needle of wisdom"), ("/elsewhere", "a foreign needle")):
            opened = await client.request("session/create", {"cwd": place})
            for message in (user(words), assistant("understood")):
                await client.request(
                    "session/appendMessage", {"session": opened["session"], "message": message}
                )
        async with mcp(tmp_path, cwd, store=store_url) as agent:
            (hit,) = (await agent.call("search_sessions", query="needle"))["sessions"]
            assert hit["matches"][0]["text"] == "a needle of wisdom"
            shown = await agent.text("open_session", session=hit["session"])
            assert "> a needle of wisdom" in shown
            assert (await agent.call("list_sessions"))["total"] == 1
            (resource,) = (await agent.request("resources/list"))["resources"]
            read = await agent.request("resources/read", uri=resource["uri"])
            assert "> a needle of wisdom" in read["contents"][0]["text"]
            found = await agent.call("search_sessions", query="needle", everywhere=True)
            assert [each["session"] for each in found["sessions"]] == [hit["session"]]
