"""What lists say that the agents of sessions do: as handles set it, or as the files show it."""

import os
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from support.app import assistant, client_of, engine, user
from support.client import Client, RpcError
from support.followers import Follower
from support.session_lines import append, header, line

from sessiond.catalog import activity as rule
from sessiond.sessions.engine import Engine
from sessiond.sessions.notifications import catalog

MINUTE = 60
CALL = [{"type": "toolCall", "id": "c", "name": "bash", "arguments": {}}]
RESULT = {"role": "toolResult", "toolCallId": "c", "toolName": "bash", "content": []}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "sessions" / "s.jsonl"
    path.parent.mkdir()
    path.write_text(header() + line("a"))
    age(path, 60 * MINUTE)
    return path


def age(path: Path, seconds: float) -> None:
    """Let the last write be as long ago."""
    at = time.time() - seconds
    os.utime(path, (at, at))


@pytest.fixture
async def shared(tmp_path: Path) -> AsyncIterator[Engine]:
    async with engine(tmp_path) as core:
        yield core


@pytest.fixture
async def client(shared: Engine, tmp_path: Path) -> AsyncIterator[Client]:
    async with client_of(shared, {"HOME": str(tmp_path)}) as one:
        yield one


async def activity(client: Client, file: Path) -> Any:
    listed = await client.request("session/listAll", {"sessionDir": str(file.parent)})
    return listed["sessions"][0].get("activity")


async def opened(client: Client, file: Path, **params: Any) -> str:
    handle: str = (await client.request("session/open", {"path": str(file), **params}))["session"]
    return handle


async def set_activity(client: Client, handle: str, state: str, **more: Any) -> None:
    await client.request("session/setActivity", {"session": handle, "state": state, **more})


async def test_an_activity_lives_as_long_as_its_handle(client: Client, file: Path):
    handle = await opened(client, file, readOnly=True)
    before = file.read_bytes()
    await set_activity(client, handle, "waiting", text="May I run make?")
    assert await activity(client, file) == {"state": "waiting", "text": "May I run make?"}
    await set_activity(client, handle, "idle")
    assert await activity(client, file) == {"state": "idle"}
    await client.request("session/close", {"session": handle})
    assert await activity(client, file) is None
    assert file.read_bytes() == before


async def test_one_that_waits_for_a_person_counts_first(
    shared: Engine, client: Client, file: Path, tmp_path: Path
):
    async with client_of(shared, {"HOME": str(tmp_path)}) as other:
        await set_activity(other, await opened(other, file), "waiting")
        await set_activity(client, await opened(client, file), "running")
        assert await activity(client, file) == {"state": "waiting"}
    # The connection of the other one has ended.
    assert await activity(client, file) == {"state": "running"}


async def test_a_list_hears_of_an_activity_and_of_its_end(client: Client, file: Path):
    follower = await Follower.of(client, sessionDir=str(file.parent))
    handle = await opened(client, file)
    await set_activity(client, handle, "running", text="make test")
    assert await follower.next() == [("changed", str(file))]
    assert follower.sessions[str(file)]["activity"] == {"state": "running", "text": "make test"}
    await client.request("session/close", {"session": handle})
    assert await follower.next() == [("changed", str(file))]
    assert "activity" not in follower.sessions[str(file)]


@pytest.mark.parametrize(
    ("last", "minutes", "runs"),
    [
        (user("prompt"), 29, True),
        (user("prompt"), 31, False),
        (assistant("answer"), 0.5, True),
        (assistant("answer"), 1.5, False),
        ({**assistant(""), "content": CALL}, 29, True),
        (RESULT, 29, True),
        (RESULT, 31, False),
        ({"role": "bashExecution", "command": "ls", "output": ""}, 2, False),
    ],
)
async def test_a_file_shows_whether_an_agent_works_on_it(
    client: Client, file: Path, last: dict[str, Any], minutes: float, runs: bool
):
    append(file, line("b", "a", message=last))
    age(file, minutes * MINUTE)
    assert await activity(client, file) == ({"state": "running"} if runs else None)


async def test_own_writes_are_no_agents(client: Client, file: Path):
    handle = await opened(client, file)
    params = {"session": handle, "message": user("prompt")}
    await client.request("session/appendMessage", params)
    assert await activity(client, file) is None


async def test_a_list_hears_that_a_session_does_not_run_any_more(
    client: Client, file: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(catalog, "AGAIN_SECONDS", 0.02)
    append(file, line("b", "a", message=assistant("answer")))
    follower = await Follower.of(client, sessionDir=str(file.parent))
    assert follower.sessions[str(file)]["activity"] == {"state": "running"}
    # A minute later.
    monkeypatch.setattr(rule, "LATELY_NS", 0)
    assert await follower.next() == [("changed", str(file))]
    assert "activity" not in follower.sessions[str(file)]


@pytest.mark.parametrize("more", [{"state": "busy"}, {"state": "idle", "text": "x" * 1001}])
async def test_an_unknown_state_or_a_long_text_is_refused(
    client: Client, file: Path, more: dict[str, str]
):
    handle = await opened(client, file)
    with pytest.raises(RpcError) as raised:
        await client.request("session/setActivity", {"session": handle, **more})
    assert raised.value.kind == "InvalidParams"
