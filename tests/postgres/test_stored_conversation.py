"""A daemon with `--store`: sessions are rows, and clients see no difference."""

from __future__ import annotations

from pathlib import Path

from support.app import assistant, daemon, user


async def test_a_conversation_is_stored_and_read_again(tmp_path: Path, store_url: str):
    async with daemon(tmp_path, store=store_url) as client:
        opened = await client.request("session/create", {"cwd": "/w"})
        path, handle = opened["sessionFile"], opened["session"]
        assert path.startswith("sessiond-store:default/")
        first = await client.request(
            "session/appendMessage", {"session": handle, "message": user("hello")}
        )
        await client.request(
            "session/appendMessage", {"session": handle, "message": assistant("hi \ud800")}
        )
        context = await client.request("session/buildSessionContext", {"session": handle})
    async with daemon(tmp_path, store=store_url) as client:
        again = await client.request("session/open", {"path": path})
        assert again["entryCount"] == 2
        same = await client.request("session/buildSessionContext", {"session": again["session"]})
        assert same == context
        entry = await client.request(
            "session/getEntry", {"session": again["session"], "id": first["id"]}
        )
        assert entry["entry"]["message"] == user("hello")
        listed = await client.request("session/listAll")
        assert [(one["path"], one["firstMessage"]) for one in listed["sessions"]] == [
            (path, "hello")
        ]
        assert listed["total"] == 1
        found = await client.request("catalog/search", {"query": "hell"})
        assert [hit["info"]["path"] for hit in found["hits"]] == [path]
        assert found["hits"][0]["snippets"][0]["text"] == "hello"
