"""Appends that wait for others: to one session they are one call, and each has its own result."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import psycopg
import pytest
from support.app import daemon, user
from support.client import Client, RpcError
from support.mirrors import HEADER, message
from support.store_proxy import proxied
from support.stores import Server, other_host

from sessiond.postgres.documents import StoredDocuments
from sessiond.postgres.names import parse_name

COUNT = 8


@asynccontextmanager
async def sessions(home: Path, url: str) -> AsyncIterator[tuple[Client, list[str], dict[str, str]]]:
    """A daemon with open sessions: the client, the handles, and the names by handle."""
    async with daemon(home, store=url) as client:
        paths = {}
        for _ in range(COUNT):
            opened = await client.request("session/create", {"cwd": "/w"})
            await client.request(
                "session/appendMessage", {"session": opened["session"], "message": user("first")}
            )
            paths[opened["session"]] = opened["sessionFile"]
        yield client, list(paths), paths


def uuid_of(path: str) -> str:
    name = parse_name(path)
    assert name is not None
    return str(name.session)


async def append(client: Client, handle: str, text: str) -> str:
    made = await client.request("session/appendMessage", {"session": handle, "message": user(text)})
    return str(made["id"])


async def test_a_session_that_the_database_refuses_fails_alone(tmp_path: Path, server: Server):
    url = server.separate()
    async with sessions(tmp_path, url) as (client, handles, paths), other_host(url) as host:
        refused = handles[3]
        await host.database.rows(
            "",
            f"ALTER TABLE sessiond.line ADD CHECK (session <> '{uuid_of(paths[refused])}')"
            " NOT VALID",
        )
        done = await asyncio.gather(
            *(append(client, handle, "second") for handle in handles), return_exceptions=True
        )
        failed = [
            handle for handle, one in zip(handles, done, strict=True) if not isinstance(one, str)
        ]
        assert failed == [refused]
        assert isinstance(done[3], RpcError)
        for handle in handles:
            stored = await host.get(paths[handle])
            assert stored is not None
            assert stored.count(b'"second"') == (handle != refused)


async def test_a_session_that_another_host_writes_delays_no_other(tmp_path: Path, store_url: str):
    async with (
        sessions(tmp_path, store_url) as (client, handles, paths),
        await psycopg.AsyncConnection.connect(store_url) as other,
    ):
        await other.execute(
            "SELECT FROM sessiond.session WHERE session = %s FOR UPDATE",
            (uuid_of(paths[handles[0]]),),
        )
        waiting = asyncio.create_task(append(client, handles[0], "second"))
        for text in ("second", "third"):
            await asyncio.gather(*(append(client, handle, text) for handle in handles[1:]))
        assert not waiting.done()
        await other.rollback()
        await waiting


async def test_an_entry_sent_twice_together_with_others_exists_once(tmp_path: Path, store_url: str):
    async with sessions(tmp_path, store_url) as (client, handles, paths):
        async with daemon(tmp_path, store=store_url) as second:
            again = {}
            for handle in handles:
                opened = await second.request("session/open", {"path": paths[handle]})
                again[handle] = opened["session"]
            params = {"message": user("same"), "newEntryId": "feedbeef"}
            done = await asyncio.gather(
                *(
                    one.request("session/appendMessage", {"session": name, **params})
                    for handle in handles
                    for one, name in ((client, handle), (second, again[handle]))
                )
            )
            assert sum(one.get("existed", False) for one in done) == COUNT
        for handle in handles:
            entries = await client.request("session/getEntries", {"session": handle})
            assert [one["id"] for one in entries["entries"]].count("feedbeef") == 1


@pytest.mark.parametrize("text", ["x" * 70_000, "A title"])
async def test_long_lines_and_names_are_stored_once(tmp_path: Path, store_url: str, text: str):
    async with sessions(tmp_path, store_url) as (client, handles, paths):
        method = "session/appendSessionInfo" if text == "A title" else "session/appendMessage"
        more = {"name": text} if text == "A title" else {"message": user(text)}
        await asyncio.gather(
            *(client.request(method, {"session": handle, **more}) for handle in handles)
        )
        async with other_host(store_url) as host:
            for handle in handles:
                stored = await host.get(paths[handle])
                assert stored is not None
                assert stored.count(text.encode()) == 1


async def commits_of(url: str, text: str) -> int:
    async with other_host(url) as host:
        ((commits,),) = await host.database.rows(
            "",
            "SELECT count(DISTINCT xmin::text) FROM sessiond.line WHERE line LIKE %s",
            (f"%{text}%",),
        )
    return int(commits)


async def test_appends_to_one_session_that_wait_share_a_commit(tmp_path: Path, store_url: str):
    async with sessions(tmp_path, store_url) as (client, handles, paths):
        ids = await asyncio.gather(*(append(client, handles[0], "second") for _ in range(40)))
        assert await commits_of(store_url, "second") <= 4
        entries = (await client.request("session/getEntries", {"session": handles[0]}))["entries"]
        assert [one["id"] for one in entries[1:]] == ids
        assert [one["parentId"] for one in entries[1:]] == [one["id"] for one in entries[:-1]]
        async with daemon(tmp_path, store=store_url) as second:
            opened = await second.request("session/open", {"path": paths[handles[0]]})
            again = await second.request("session/getEntries", {"session": opened["session"]})
            assert again["entries"] == entries


async def test_each_of_several_appends_is_judged_by_itself(tmp_path: Path, store_url: str):
    async with sessions(tmp_path, store_url) as (client, handles, _):
        params = [
            {"message": user("one"), "newEntryId": "00000001"},
            {"message": user("refused"), "expectedTipId": "not-the-tip"},
            {"message": user("one"), "newEntryId": "00000001"},
            {"message": user("other"), "newEntryId": "00000001"},
            {"message": {"role": "branchSummary"}},
            {"message": user("two"), "expectedTipId": "00000001", "newEntryId": "00000002"},
            {"message": user("x" * 70_000), "newEntryId": "00000003"},
            {"message": user("three"), "newEntryId": "00000004"},
        ]
        done = await asyncio.gather(
            *(
                client.request("session/appendMessage", {"session": handles[0], **each})
                for each in params
            ),
            return_exceptions=True,
        )
        shown = [one.kind if isinstance(one, RpcError) else one["id"] for one in done]
        assert shown == [
            "00000001",
            "LeafConflict",
            "00000001",
            "IdConflict",
            "InvalidParams",
            *(f"0000000{number}" for number in (2, 3, 4)),
        ]
        existed = [one.get("existed", False) for one in done if isinstance(one, dict)]
        assert existed == [False, True, False, False, False]
        entries = (await client.request("session/getEntries", {"session": handles[0]}))["entries"]
        assert [one["id"] for one in entries[1:]] == [f"0000000{number}" for number in (1, 2, 3, 4)]


async def test_lines_of_another_host_of_the_same_length_are_not_continued(
    store_url: str,
):
    """The second of two lines must not be stored without the first, whose place is taken."""
    async with other_host(store_url) as host:
        name = "sessiond-store:default/s.jsonl"
        await host.put(name, HEADER)
        document = await StoredDocuments(host.database).open(name, write=True)
        theirs, ours = message(0, "theirs, longer"), message(1, "ours too")
        assert len(theirs) == len(ours)
        await host.append(name, theirs)
        lines = [ours[:-1], message(2, "second")[:-1]]
        assert len(await document.append(lambda: lines)) == 2
        # Made again behind theirs, and both of them.
        assert await host.get(name) == HEADER + theirs + ours + message(2, "second")
        assert len(document.tree.entries) == 3


async def test_lines_whose_answer_is_lost_are_written_once(tmp_path: Path, store_url: str):
    async with (
        proxied(store_url) as proxy,
        daemon(tmp_path, store=proxy.url) as client,
        other_host(store_url) as host,
    ):
        opened = await client.request("session/create", {"cwd": "/w"})
        await append(client, opened["session"], "first")
        proxy.swallows = b"sessiond.write("
        ids = await asyncio.gather(*(append(client, opened["session"], "more") for _ in range(10)))
        stored = await host.get(opened["sessionFile"])
        assert stored is not None
        assert stored.count(b'"more"') == 10
        entries = await client.request("session/getEntries", {"session": opened["session"]})
        assert [one["id"] for one in entries["entries"]][1:] == ids


async def test_of_twelve_writers_whose_answers_are_lost_each_append_is_stored_once(
    tmp_path: Path, store_url: str
):
    written: list[str] = []

    async def write(number: int, path: str) -> None:
        async with proxied(store_url) as proxy:
            home = tmp_path / str(number)
            home.mkdir()
            async with daemon(home, store=proxy.url) as client:
                handle = (await client.request("session/open", {"path": path}))["session"]
                for at in range(10):
                    if at % 3 == number % 3:
                        proxy.swallows = b"sessiond.write("
                    await append(client, handle, f"{number}.{at}")
                    written.append(f"{number}.{at}")
                assert proxy.swallowed >= 3

    async with other_host(store_url) as host:
        name = "sessiond-store:default/s.jsonl"
        await host.put(name, HEADER)
        await asyncio.gather(*(write(number, name) for number in range(12)))
        lines = (await host.get(name) or b"").splitlines()[1:]
        texts = [json.loads(line)["message"]["content"] for line in lines]
        said = [text if isinstance(text, str) else text[0]["text"] for text in texts]
        assert sorted(said) == sorted(written)
        assert len(said) == 120
