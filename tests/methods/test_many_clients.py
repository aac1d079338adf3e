"""Several clients of one engine: separate handles and settings, the same files."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from support.app import assistant, client_of, engine, lines_of, user
from support.client import DEADLINE, Client, RpcError
from support.session_lines import header, line

from sessiond.files import disk
from sessiond.methods.client import InProcess
from sessiond.sessions.engine import Engine
from sessiond.sessions.notifications.pacing import Pacer


@pytest.fixture
async def shared(tmp_path: Path) -> AsyncIterator[Engine]:
    async with engine(tmp_path) as made:
        yield made


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "in" / "s.jsonl"
    path.parent.mkdir()
    path.write_text(header() + line("a"))
    return path


def env(home: Path, **more: str) -> dict[str, str]:
    return {"HOME": str(home), **more}


async def opened(client: Client, path: Path, **more: Any) -> str:
    handle: str = (await client.request("session/open", {"path": str(path), **more}))["session"]
    return handle


async def append(client: Client, handle: str, text: str) -> str:
    params = {"session": handle, "message": user(text)}
    entry_id: str = (await client.request("session/appendMessage", params))["id"]
    return entry_id


async def refused(client: Client, method: str, params: Any) -> str | None:
    with pytest.raises(RpcError) as raised:
        await client.request(method, params)
    return raised.value.kind


async def test_clients_see_each_others_appends_as_foreign(
    shared: Engine, tmp_path: Path, file: Path
):
    async with client_of(shared, env(tmp_path)) as one, client_of(shared, env(tmp_path)) as two:
        mine, theirs = await opened(one, file), await opened(two, file)
        added = await append(one, mine, "from one")
        told = await two.notification("session/didChange")
        assert (told["session"], told["kind"]) == (theirs, "appended")
        assert [entry["id"] for entry in told["entries"]] == [added]
        answer = await append(two, theirs, "from two")
        told = await one.notification("session/didChange")
        assert (told["session"], [entry["id"] for entry in told["entries"]]) == (mine, [answer])
        # One document: what the other wrote was not read again.
        assert (await one.request("daemon/status"))["cache"]["documents"] == 1
    assert [json.loads(each)["id"] for each in lines_of(file)[1:]] == ["a", added, answer]


async def test_handles_of_one_client_are_unknown_to_the_other(
    shared: Engine, tmp_path: Path, file: Path
):
    async with client_of(shared, env(tmp_path)) as one, client_of(shared, env(tmp_path)) as two:
        handles = [await opened(one, file), await opened(one, file)]
        assert await refused(two, "session/getState", {"session": handles[1]}) == "UnknownSession"
        assert (await two.request("daemon/status"))["openSessions"] == 0
        # The same name is another handle there, and closing it closes nothing here.
        same = await opened(two, file)
        assert same == handles[0]
        await two.request("session/close", {"session": same})
        assert await refused(two, "session/getState", {"session": same}) == "UnknownSession"
        await one.request("session/getState", {"session": handles[0]})


async def test_subscriptions_of_one_client_are_unknown_to_the_other(
    shared: Engine, tmp_path: Path, file: Path
):
    folder = {"sessionDir": str(file.parent)}
    async with client_of(shared, env(tmp_path)) as one, client_of(shared, env(tmp_path)) as two:
        mine = (await one.request("catalog/subscribe", folder))["subscription"]
        await two.request("catalog/unsubscribe", {"subscription": mine})
        handle = await opened(two, file)
        await append(two, handle, "new")
        told = await one.notification("catalog/didChange")
        assert (told["subscription"], [each["path"] for each in told["changes"]]) == (
            mine,
            [str(file)],
        )


async def test_every_client_has_its_own_settings_and_environment(shared: Engine, tmp_path: Path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    first = client_of(shared, env(tmp_path / "one", PI_CODING_AGENT_DIR="~/agent"))
    second = client_of(shared, env(tmp_path / "two"), profile="coderclaw", framing="line")
    async with first as one, second as two:
        hello = await one.request("initialize", {"positionEncoding": "utf-8"})
        other = await two.request("initialize", {"agentId": "a"})
        assert (hello["profile"], other["profile"]) == ("pi", "coderclaw")
        assert (hello["positionEncoding"], other["positionEncoding"]) == ("utf-8", "utf-16")
        assert hello["agentDir"] == str(tmp_path / "one" / "agent")
        assert other["sessionsDir"] == str(
            tmp_path / "two" / ".coderclaw" / "agents" / "a" / "sessions"
        )
        framings = [each["capabilities"]["framing"] for each in (hello, other)]
        assert framings == ["header", "line"]
        states = [await each.request("session/create", {"cwd": "~/project"}) for each in (one, two)]
        assert [state["cwd"] for state in states] == [
            str(tmp_path / "one" / "project"),
            str(tmp_path / "two" / "project"),
        ]


async def test_other_clients_keep_their_sessions_when_one_ends(
    shared: Engine, tmp_path: Path, file: Path
):
    folder = {"sessionDir": str(file.parent)}
    async with client_of(shared, env(tmp_path)) as one:
        kept = await opened(one, file)
        mine = (await one.request("catalog/subscribe", folder))["subscription"]
        async with client_of(shared, env(tmp_path)) as two:
            for _ in range(2):
                await opened(two, file)
            await two.request("catalog/subscribe", folder)
            (document,) = shared.documents
            assert shared.documents.users(document) == 3
        assert two.exit_code == 0
        assert shared.documents.users(document) == 1
        # One listener that sends changes and one that keeps the catalogue current.
        assert len(document.listeners) == 2
        assert len(shared.written) == len(shared._followers) == 1
        # The watcher still reports what a process outside does.
        with file.open("a") as out:
            out.write(line("b", "a"))
        told, listed = await one.notifications("session/didChange", "catalog/didChange")
        assert (told["session"], told["tipId"]) == (kept, "b")
        assert listed["subscription"] == mine
    assert shared.documents.users(document) == 0
    assert not document.listeners
    assert not shared.written
    assert not shared._followers


async def test_read_only_holds_for_the_client_that_has_it(
    shared: Engine, tmp_path: Path, file: Path
):
    writing = client_of(shared, env(tmp_path))
    reading = client_of(shared, env(tmp_path), read_only=True)
    async with writing as one, reading as two:
        mine, theirs = await opened(one, file), await opened(two, file)
        message = {"session": theirs, "message": assistant("no")}
        assert await refused(two, "session/appendMessage", message) == "ReadOnly"
        assert await refused(two, "session/create", {"cwd": "/w"}) == "ReadOnly"
        await append(one, mine, "yes")
        told = await two.notification("session/didChange")
        assert told["session"] == theirs


async def test_roots_hold_for_the_client_that_has_them(shared: Engine, tmp_path: Path, file: Path):
    outside = tmp_path / "out" / "s.jsonl"
    outside.parent.mkdir()
    outside.write_text(header() + line("o"))
    free = client_of(shared, env(tmp_path))
    confined = client_of(shared, env(tmp_path), roots=[str(file.parent)])
    async with free as one, confined as two:
        assert await refused(two, "session/open", {"path": str(outside)}) == "PathNotAllowed"
        first = await opened(one, outside)
        assert await refused(two, "session/open", {"path": str(outside)}) == "PathNotAllowed"
        # A hard link inside leads to the same file, which the other opened by its name outside.
        inside = file.parent / "link.jsonl"
        inside.hardlink_to(outside)
        added = await append(two, await opened(two, inside), "from inside")
        assert (await one.request("session/getState", {"session": first}))["tipId"] == added
        assert (await one.notification("session/didChange"))["session"] == first
        mine, theirs = await opened(one, file), await opened(two, file)
        added = await append(two, theirs, "x")
        told = await one.notification("session/didChange")
        assert (told["session"], told["tipId"]) == (mine, added)
        added = await append(one, mine, "y")
        told = await two.notification("session/didChange")
        assert (told["session"], told["tipId"]) == (theirs, added)


@pytest.mark.parametrize("watch", ["native", "off"])
async def test_a_client_gets_no_data_that_only_another_may_read(
    tmp_path: Path, file: Path, watch: str
):
    secret = tmp_path / "out" / "secret.jsonl"
    secret.parent.mkdir()
    secret.write_text(header() + line("secret", text="hidden"))
    async with (
        engine(tmp_path, watch=watch) as shared,
        client_of(shared, env(tmp_path)) as one,
        client_of(shared, env(tmp_path), roots=[str(file.parent)]) as two,
    ):
        mine, theirs = await opened(one, file), await opened(two, file)
        folder = {"sessionDir": str(file.parent)}
        await two.request("catalog/subscribe", folder)
        # Both have the file open; then it becomes a link that leads outside the roots of one.
        link = file.parent / "new"
        link.symlink_to(secret)
        os.replace(link, file)
        # The client without roots follows the link, and writes, which has every client told.
        await append(one, mine, "hidden too")
        assert "hidden" in str(await one.request("session/getEntries", {"session": mine}))
        for method, params in (
            ("session/getEntries", {"session": theirs}),
            ("session/getTree", {"session": theirs}),
            ("session/listAll", {**folder, "includeText": True}),
        ):
            assert "hidden" not in str(await two.request(method, params)), method
        told = await two.notification("catalog/didChange")
        assert [change["kind"] for change in told["changes"]] == ["removed"]
        two.end_input()
        assert not any("hidden" in str(message.value) for message in await two.rest())


async def test_messages_are_made_with_the_roots_of_the_client_they_go_to():
    made: asyncio.Queue[tuple[str, ...] | None] = asyncio.Queue()
    with disk.confined(["/mine"]):
        pacer = Pacer(InProcess(lambda *_: None), lambda: made.put_nowait(disk.roots()))
    # A change by another client, which has other roots: sent at once, and after a pause.
    with disk.confined(["/theirs"]):
        for _ in range(2):
            pacer.due()
            assert await asyncio.wait_for(made.get(), DEADLINE) == ("/mine",)
