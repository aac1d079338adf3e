"""Several hosts on one store: each hears of the others, and no entry is lost or doubled."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from support.app import assistant, daemon, user
from support.client import Client, RpcError
from support.stores import Server, other_host

from sessiond.postgres.commands import store


async def created(client: Client, text: str = "hello", **more: Any) -> tuple[str, str]:
    opened = await client.request("session/create", {"cwd": "/w", **more})
    message = {"session": opened["session"], "message": user(text)}
    await client.request("session/appendMessage", message)
    return opened["sessionFile"], opened["session"]


async def test_an_append_is_heard_on_another_host(tmp_path: Path, store_url: str):
    async with daemon(tmp_path, store=store_url) as one, daemon(tmp_path, store=store_url) as two:
        path, handle = await created(one)
        opened = await two.request("session/open", {"path": path})
        assert opened["entryCount"] == 1
        made = await one.request(
            "session/appendMessage", {"session": handle, "message": assistant("hi")}
        )
        heard = await two.notification("session/didChange")
        assert [entry["id"] for entry in heard["entries"]] == [made["id"]]
        assert heard["tipId"] == made["id"]


async def test_a_subscriber_hears_of_sessions_of_another_host(tmp_path: Path, store_url: str):
    async with daemon(tmp_path, store=store_url) as one, daemon(tmp_path, store=store_url) as two:
        known = await two.request("catalog/subscribe", {})
        assert known["sessions"] == []
        path, _ = await created(one)
        heard = await two.notification("catalog/didChange")
        assert [(one["kind"], one["path"]) for one in heard["changes"]] == [("added", path)]
        await one.request("catalog/delete", {"path": path, "force": True})
        heard = await two.notification("catalog/didChange")
        assert [(one["kind"], one["path"]) for one in heard["changes"]] == [("removed", path)]
        restored = await one.request("catalog/restore", {"path": path})
        assert restored["firstMessage"] == "hello"
        heard = await two.notification("catalog/didChange")
        assert [(one["kind"], one["path"]) for one in heard["changes"]] == [("added", path)]
        gone = {"path": path, "force": True, "permanently": True}
        await one.request("catalog/delete", gone)
        heard = await two.notification("catalog/didChange")
        assert [(one["kind"], one["path"]) for one in heard["changes"]] == [("removed", path)]


async def test_appends_of_two_hosts_to_one_tip_are_all_there_once(tmp_path: Path, store_url: str):
    async with daemon(tmp_path, store=store_url) as one, daemon(tmp_path, store=store_url) as two:
        path, _ = await created(one)
        handles = [
            (await host.request("session/open", {"path": path}))["session"] for host in (one, two)
        ]

        async def write(client: Client, handle: str, name: str) -> list[str]:
            return [
                (
                    await client.request(
                        "session/appendMessage", {"session": handle, "message": user(f"{name}{n}")}
                    )
                )["id"]
                for n in range(50)
            ]

        ids = await asyncio.gather(write(one, handles[0], "a"), write(two, handles[1], "b"))
        for client, handle in zip((one, two), handles, strict=True):
            answer = await client.request("session/getEntries", {"session": handle})
            found = [entry["id"] for entry in answer["entries"]]
            assert len(found) == 101
            assert set(found) >= {*ids[0], *ids[1]}
    async with other_host(store_url) as host:
        places = await host.database.rows(
            path, "SELECT start, octet_length(line) FROM sessiond.line ORDER BY start"
        )
        end = 0
        for start, length in places:
            assert start == end
            end = start + length + 1


async def test_of_two_hosts_that_expect_a_tip_one_is_refused(tmp_path: Path, store_url: str):
    async with daemon(tmp_path, store=store_url) as one, daemon(tmp_path, store=store_url) as two:
        path, _ = await created(one)
        handles = []
        for host in (one, two):
            opened = await host.request("session/open", {"path": path})
            handles.append((host, opened["session"]))
        tip = opened["tipId"]
        for number in range(30):
            answers = await asyncio.gather(
                *(
                    host.request(
                        "session/appendMessage",
                        {"session": handle, "message": user(str(number)), "expectedTipId": tip},
                    )
                    for host, handle in handles
                ),
                return_exceptions=True,
            )
            written = [answer["id"] for answer in answers if isinstance(answer, dict)]
            refused = [answer for answer in answers if isinstance(answer, RpcError)]
            assert len(written) == 1
            assert [error.kind for error in refused] == ["LeafConflict"]
            tip = written[0]


async def test_a_retry_with_the_same_id_on_another_host_writes_nothing(
    tmp_path: Path, store_url: str
):
    async with daemon(tmp_path, store=store_url) as one, daemon(tmp_path, store=store_url) as two:
        path, handle = await created(one)
        params = {"message": user("once"), "newEntryId": "feedbeef"}
        opened = await two.request("session/open", {"path": path})
        await one.request("session/appendMessage", {"session": handle, **params})
        again = await two.request("session/appendMessage", {"session": opened["session"], **params})
        assert (again["id"], again["existed"]) == ("feedbeef", True)
        state = await two.request("session/getState", {"session": opened["session"]})
        assert state["entryCount"] == 2


@pytest.mark.parametrize("ending", [b"", b"\n"])
async def test_every_byte_of_a_session_is_kept(tmp_path: Path, store_url: str, ending: bytes):
    lines = [
        b'{"type":"session","version":3,"id":"x","timestamp":"2025-06-01T10:00:00.000Z","cwd":"/w"}',
        b"",
        b"damaged \xff\x00 line\r",
        b'{"type":"message","id":"a","message":{"role":"user","content":"\\u0000 \\ud800 \xff"}}',
        b"   ",
        b'{"type":"custom","id":"b","parentId":"a","timestamp":"","customType":"c","data":1e21}',
    ]
    data = b"\n".join(lines) + ending
    path = "sessiond-store:default/x.jsonl"
    async with other_host(store_url) as host:
        await host.put(path, data)
        assert await host.get(path) == data
        async with daemon(tmp_path, store=store_url) as client:
            opened = await client.request("session/open", {"path": path})
            assert opened["entryCount"] == 2
            await client.request(
                "session/appendMessage", {"session": opened["session"], "message": user("more")}
            )
        stored = await host.get(path)
        assert stored is not None
        assert stored.startswith(data.removesuffix(b"\n") + b"\n{")
        assert stored.endswith(b"}\n")


async def test_only_namespaces_of_the_roots_are_visible(tmp_path: Path, store_url: str):
    async with daemon(tmp_path, store=store_url, roots=["one"]) as client:
        path, _ = await created(client)
        assert path.startswith("sessiond-store:one/")
    async with daemon(tmp_path, store=store_url, roots=["two"]) as client:
        listed = await client.request("session/listAll")
        assert listed["sessions"] == []
        for method in ("session/open", "catalog/delete", "catalog/check", "catalog/stats"):
            with pytest.raises(RpcError, match="outside the allowed roots"):
                await client.request(method, {"path": path})
        with pytest.raises(RpcError, match="outside the allowed roots"):
            await client.request("session/listAll", {"sessionDir": "sessiond-store:one"})


async def test_gateways_and_files_are_refused(tmp_path: Path, store_url: str):
    async with daemon(tmp_path, store=store_url) as client:
        for method, params in (
            ("gateway/list", {}),
            ("session/open", {"path": "/tmp/x.jsonl"}),
            ("catalog/setMarks", {"paths": ["sessiond-store:n/x.jsonl"], "pinned": True}),
            ("catalog/search", {"query": "a.c", "mode": "regex"}),
        ):
            with pytest.raises(RpcError) as raised:
                await client.request(method, params)
            assert raised.value.kind == "Unsupported"


async def test_a_database_without_a_schema_or_with_a_newer_one_is_explained(
    tmp_path: Path, server: Server
):
    newer = server.new_database()
    assert await asyncio.to_thread(store.migrate, url=newer) == 0
    async with other_host(newer) as host:
        await host.database.rows("", "UPDATE sessiond.schema_version SET version = 99")
    assert await asyncio.to_thread(store.migrate, url=newer) == 3
    async with daemon(tmp_path, store=newer) as client:
        assert (await client.request("session/listAll"))["total"] == 0
    empty = server.new_database()
    async with daemon(tmp_path, store=empty) as client:
        with pytest.raises(RpcError, match="no schema"):
            await client.request("session/listAll")
