"""`catalog/search` over the wire: scopes, pages, positions, and an index that keeps up."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from support.app import assistant, client_of, daemon, engine, user
from support.client import Client, RpcError
from support.commands import run
from support.session_lines import append, header, line
from support.sessions_on_disk import message, settle, write_session


def found(answer: dict[str, Any]) -> list[str]:
    return [Path(hit["info"]["path"]).stem for hit in answer["hits"]]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """The sessions directory of the agent."""
    return tmp_path / ".pi" / "agent" / "sessions"


def cache(home: Path) -> Path:
    return home / ".cache" / "sessiond" / "catalog-v6.sqlite3"


@pytest.mark.parametrize("kept", [True, False])
async def test_a_search_stays_in_its_scope(tmp_path: Path, store: Path, kept: bool):
    write_session(store / "--w--" / "a.jsonl", "needle", cwd="/w", modified=1)
    write_session(store / "--v--" / "b.jsonl", "needle", cwd="/v", modified=2)
    write_session(tmp_path / "own" / "c.jsonl", "needle", cwd="/w", modified=3)
    write_session(tmp_path / "own" / "d.jsonl", "needle", cwd="/v", modified=4)
    own = str(tmp_path / "own")
    async with daemon(tmp_path, catalog_cache=kept) as client:
        for _ in range(2):
            for scope, expected in [
                ({}, ["b", "a"]),
                ({"cwd": "/w"}, ["a"]),
                ({"sessionDir": own}, ["d", "c"]),
                ({"cwd": "/w", "sessionDir": own}, ["c"]),
                ({"cwd": "/nowhere"}, []),
            ]:
                answer = await client.request("catalog/search", {"query": "needle", **scope})
                assert found(answer) == expected
                assert answer["total"] == len(expected)
    assert cache(tmp_path).exists() == kept


async def test_pages_join_to_the_whole_and_a_cursor_belongs_to_its_query(
    tmp_path: Path, store: Path
):
    for number in range(7):
        name = "needle" if number == 3 else None
        path = store / "--w--" / f"{number}.jsonl"
        write_session(path, "needle", name=name, modified=number // 2 + 1)
    async with daemon(tmp_path) as client:
        whole = found(await client.request("catalog/search", {"query": "needle"}))
        assert whole == ["3", "6", "5", "4", "2", "1", "0"]
        pages, cursor = [], None
        for _ in range(4):
            page = await client.request(
                "catalog/search", {"query": "needle", "limit": 2, "cursor": cursor}
            )
            assert page["total"] == 7
            pages += found(page)
            cursor = page.get("nextCursor")
            (store / "--w--" / "6.jsonl").touch()
            if cursor is not None:
                first = cursor
        assert pages == whole
        assert cursor is None
        none = await client.request("catalog/search", {"query": "needle", "limit": 0})
        assert none["hits"] == []
        begun = {"query": "needle", "cursor": none["nextCursor"]}
        assert found(await client.request("catalog/search", begun)) == whole
        for other in ({"query": "needl"}, {"query": "needle", "mode": "fuzzy"}):
            with pytest.raises(RpcError) as refused:
                await client.request("catalog/search", {**other, "cursor": first})
            assert refused.value.kind == "InvalidCursor"


# `😀é ` before the match: 2 + 1 + 1 units of UTF-16, 4 + 2 + 1 of UTF-8, 3 characters.
@pytest.mark.parametrize(("encoding", "start"), [("utf-16", 4), ("utf-8", 7), ("utf-32", 3)])
async def test_ranges_are_counted_in_the_position_encoding(
    tmp_path: Path, store: Path, encoding: str, start: int
):
    write_session(store / "--w--" / "a.jsonl", "😀é NEEDLE\nx")
    async with daemon(tmp_path) as client:
        await client.request("initialize", {"positionEncoding": encoding})
        for mode, query in [("text", "needle"), ("fuzzy", "needle"), ("regex", "need.e")]:
            answer = await client.request("catalog/search", {"query": query, "mode": mode})
            assert answer["hits"][0]["snippets"] == [
                {
                    "entryId": "m0",
                    "role": "user",
                    "text": "😀é NEEDLE x",
                    "ranges": [[start, start + 6]],
                    "time": "1970-01-01T00:00:00.001Z",
                }
            ]


async def test_a_written_message_is_found_immediately(tmp_path: Path):
    async with daemon(tmp_path) as client:
        state = await client.request("session/create", {"cwd": "/w"})
        session = state["session"]
        for number in range(5):
            for sent in (user(f"question{number}"), assistant(f"réponse{number}")):
                await client.request("session/appendMessage", {"session": session, "message": sent})
            answer = await client.request("catalog/search", {"query": f"RÉPONSE{number}"})
            assert answer["total"] == 1
            assert answer["hits"][0]["info"]["id"] == state["sessionId"]
        await client.request("session/appendSessionInfo", {"session": session, "name": "titled"})
        answer = await client.request("catalog/search", {"query": "titled"})
        assert answer["hits"][0]["distance"] < 0
        Path(state["sessionFile"]).unlink()
        assert (await client.request("catalog/search", {"query": "titled"}))["total"] == 0


async def test_the_index_follows_a_subscription(tmp_path: Path, store: Path, monkeypatch):
    file = write_session(store / "--w--" / "a.jsonl", "first")
    async with daemon(tmp_path) as client:
        await client.request("catalog/subscribe", {})
        with file.open("a") as out:
            out.write(json.dumps(message(1, "added later")) + "\n")
        await client.notification("catalog/didChange")
        deadline = asyncio.get_running_loop().time() + 5
        # Once it is in the index nothing needs to be read.
        while unindexed := await read_for(client, "later", monkeypatch):
            assert asyncio.get_running_loop().time() < deadline, unindexed
            await asyncio.sleep(0.01)


async def read_for(client: Client, query: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    read: list[str] = []
    with monkeypatch.context() as patched:
        from sessiond.catalog.search import find

        whole = find.read_messages
        patched.setattr(
            find, "read_messages", lambda path, *_, **__: (read.append(path), whole(path))[1]
        )
        assert (await client.request("catalog/search", {"query": query}))["total"] == 1
    return read


@pytest.mark.parametrize("link", ["file", "directory"])
async def test_a_link_out_of_the_roots_is_not_searched(tmp_path: Path, store: Path, link: str):
    outside = write_session(tmp_path / "outside" / "secret.jsonl", "needle", cwd="/w")
    write_session(store / "--w--" / "a.jsonl", "needle", cwd="/w")
    if link == "file":
        (store / "--w--" / "b.jsonl").symlink_to(outside)
    else:
        (store / "--x--").symlink_to(outside.parent)
    scope = {"query": "needle"}
    async with daemon(tmp_path) as client:
        assert (await client.request("catalog/search", scope))["total"] == 2
    async with daemon(tmp_path, roots=[str(tmp_path / ".pi")]) as client:
        for _ in range(2):
            assert found(await client.request("catalog/search", scope)) == ["a"]
            listed = await client.request("session/listAll")
            assert [info["path"] for info in listed["sessions"]] == [str(store / "--w--/a.jsonl")]
        outside_dir = str(tmp_path / "outside")
        with pytest.raises(RpcError) as refused:
            await client.request("catalog/search", {**scope, "sessionDir": outside_dir})
        assert refused.value.kind == "PathNotAllowed"


async def test_a_search_can_be_abandoned_while_others_are_answered(
    tmp_path: Path, store: Path, monkeypatch
):
    for number in range(3):
        write_session(store / "--w--" / f"{number}.jsonl", "needle")
    begun, go_on = threading.Event(), threading.Event()
    read: list[str] = []

    def slow(path: str, *_: object, **__: object) -> list[Any]:
        read.append(path)
        begun.set()
        assert go_on.wait(10)
        return []

    monkeypatch.setattr("sessiond.catalog.search.find.read_messages", slow)
    async with daemon(tmp_path) as client:
        answer = client.start("catalog/search", {"query": "needle"}, id_="s")
        await asyncio.to_thread(begun.wait, 10)
        await client.request("daemon/status")
        assert not answer.done()
        client.notify("$/cancelRequest", {"id": "s"})
        assert (await answer).value["error"]["code"] == -32800
        go_on.set()
    # No search waited for the others.
    assert len(read) == 1


async def test_foreign_files_are_never_found(tmp_path: Path, store: Path):
    folder = store / "--w--"
    write_session(folder / "a.jsonl", "needle")
    whole = (folder / "a.jsonl").read_text()
    for name in ("a.jsonl.bak", "a.jsonl.lock", "sessions.json", "index.sqlite", "b.json"):
        (folder / name).write_text(whole)
    (folder / "c.jsonl").mkdir()
    write_session(folder / "c.jsonl" / "d.jsonl", "needle")
    (folder / "e.jsonl").write_text("no session: needle\n")
    (store / "stray.jsonl").write_text(whole)
    os.symlink("--loop--", store / "--loop--")
    os.symlink("gone", folder / "gone.jsonl")
    async with daemon(tmp_path) as client:
        assert found(await client.request("catalog/search", {"query": "needle"})) == ["a"]
        listed = await client.request("session/listAll")
        assert [Path(info["path"]).name for info in listed["sessions"]] == ["a.jsonl"]


@pytest.mark.parametrize("follows", [0, 5000, 3_000_000])
def test_a_removed_text_is_found_by_no_later_process(tmp_path: Path, follows: int):
    file = tmp_path / ".pi/agent/sessions/--w--/s.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text(header() + line("a", text="SECRETKEY") + line("b", "a", "x" * follows))
    settle([file])
    for command in (["list", "--all"], ["search", "SECRETKEY"], ["usage"]):
        run(tmp_path, *command, cwd=tmp_path)
    with file.open("r+b") as out:
        out.seek(file.read_bytes().index(b"SECRETKEY"))
        out.write(b"XXXXXXXXX")
    append(file, line("c", "b", "more"))
    assert "SECRETKEY" not in run(tmp_path, "list", "--all", cwd=tmp_path).stdout
    assert run(tmp_path, "search", "SECRETKEY", cwd=tmp_path).returncode == 1
    assert run(tmp_path, "search", "XXXXXXXXX", cwd=tmp_path).returncode == 0
    for kept in (tmp_path / ".cache/sessiond").iterdir():
        assert b"SECRETKEY" not in kept.read_bytes()


@pytest.mark.parametrize("removed", ["file", "text", "moved"])
async def test_a_removed_text_leaves_the_cache_while_the_daemon_lives(tmp_path: Path, removed: str):
    folder = tmp_path / "s"
    folder.mkdir()
    marked = folder / "marked.jsonl"
    marked.write_text(header("marked") + line("a", text="qxjztext " * 2000))
    (folder / "other.jsonl").write_text(header("other") + line("a", text="words"))
    settle(list(folder.iterdir()))
    scope = {"sessionDir": str(folder)}
    async with engine(tmp_path) as made, client_of(made, {"HOME": str(tmp_path)}) as client:
        for _ in range(2):
            await client.request("catalog/search", {"query": "qxjztext", **scope})
            await made.catalogue.settle(60)
        assert kept(tmp_path)
        if removed == "file":
            marked.unlink()
        elif removed == "moved":
            marked.rename(tmp_path / "elsewhere.jsonl")
        else:
            marked.write_text(header("marked") + line("a", text="gone"))
        await client.request("catalog/search", {"query": "words", **scope})
        assert not kept(tmp_path)


def kept(home: Path) -> list[str]:
    """The files of the cache that have the text."""
    files = (home / ".cache/sessiond").iterdir()
    return [file.name for file in files if b"qxjz" in file.read_bytes().lower()]


async def test_a_search_without_a_hit_suggests_others(tmp_path: Path, store: Path):
    write_session(store / "--w--" / "a.jsonl", "Rename the function", "A needle here", cwd="/w")
    write_session(store / "--v--" / "b.jsonl", "Open the webhook", "A needle there", cwd="/v")
    result = {"role": "toolResult", "toolCallId": "c", "toolName": "bash"}
    result |= {"content": [{"type": "text", "text": "Exit Code: 137"}], "isError": True}
    entry = {"type": "message", "id": "r", "parentId": None, "message": result}
    with (store / "--v--" / "b.jsonl").open("a") as file:
        file.write(json.dumps(entry) + "\n")
    async with daemon(tmp_path) as client:

        async def suggestions(query: str, **more: Any) -> list[dict[str, Any]]:
            params = {"query": query, "suggest": True, **more}
            answer = await client.request("catalog/search", params)
            assert answer["hits"] == []
            return answer["suggestions"]

        elsewhere = {"query": "code: 137", "total": 1}
        assert await suggestions("code: 137") == [{**elsewhere, "fields": ["results"]}]
        assert await suggestions("webhook", cwd="/w") == [
            {"query": "webhook", "total": 1, "everywhere": True}
        ]
        assert await suggestions("webhok") == [{"query": "webhook", "total": 1}]
        assert await suggestions("renam functoin") == [
            {"query": "Rename function".lower(), "total": 1}
        ]
        # Of the words that occur together, the rarest.
        assert await suggestions("needle here marvellous") == [{"query": "needle here", "total": 2}]
        assert await suggestions("needle function marvellous") == [
            {"query": "needle function", "total": 1}
        ]
        assert await suggestions("quzzlewump") == []
        assert await suggestions("quz.*", mode="regex") == []
        params = {"query": "webhok"}
        assert "suggestions" not in await client.request("catalog/search", params)
        params = {"query": "webhook", "suggest": True}
        assert "suggestions" not in await client.request("catalog/search", params)


async def test_copies_of_an_entry_are_one_hit(tmp_path: Path, store: Path):
    """A session and two forks of it, one of which goes on with a text of its own."""
    folder = store / "--w--"
    folder.mkdir(parents=True)
    lines = line("a1", None, "The needle") + line("a2", "a1", "found.")
    for at, (name, more) in enumerate(
        [
            ("first", ""),
            ("fork", ""),
            ("again", line("a3", "a2", "Thanks.")),
            ("own", line("a3", "a2", "One more needle.")),
            ("stranger", ""),
        ]
    ):
        file = folder / f"{name}.jsonl"
        # Equal ids alone may be chance.
        origin = (
            {} if name in {"first", "stranger"} else {"parentSession": str(folder / "first.jsonl")}
        )
        head = json.dumps(json.loads(header(name)) | origin) + "\n"
        file.write_text(head + lines + more)
        settle([file])
        os.utime(file, ns=((at + 1) * 10**18, (at + 1) * 10**18))
    async with daemon(tmp_path) as client:
        listed = [row["id"] for row in (await client.request("session/listAll"))["sessions"]]
        answer = await client.request("catalog/search", {"query": "needle"})
        assert answer["total"] == 3
        hits = {hit["info"]["id"]: hit.get("alsoIn", []) for hit in answer["hits"]}
        copies = [each for each in listed if each in {"first", "fork", "again"}]
        expected = [str(folder / f"{each}.jsonl") for each in copies[1:]]
        assert hits == {"stranger": [], "own": [], copies[0]: expected}
        # Pages do not repeat what was folded on the page before.
        pages, cursor = [], None
        while True:
            params = {"query": "needle", "limit": 2, "cursor": cursor}
            page = await client.request("catalog/search", params)
            pages += [hit["info"]["id"] for hit in page["hits"]]
            cursor = page.get("nextCursor")
            if cursor is None:
                break
        assert set(pages) <= {"stranger", "own", *copies}
        assert len(pages) == len(set(pages))
        assert pages[:2] == [hit["info"]["id"] for hit in answer["hits"]][:2]
