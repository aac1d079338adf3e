"""`session/publishDraft`: answers in progress, which the other handles of a session see."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from support.app import assistant, client_of, engine
from support.client import Client, RpcError
from support.session_lines import header, line

from sessiond.runtime.limits import DRAFT_BYTES
from sessiond.sessions.engine import Engine
from sessiond.sessions.notifications.sessions import DRAFT_METHOD


def answer(text: str) -> dict[str, Any]:
    """An answer as far as a model has written it: nothing else is known of it yet."""
    return {"role": "assistant", "content": [{"type": "text", "text": text}]}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "s.jsonl"
    path.write_text(header() + line("a"))
    return path


@pytest.fixture
async def shared(tmp_path: Path) -> AsyncIterator[Engine]:
    async with engine(tmp_path) as core:
        yield core


@pytest.fixture
async def writer(shared: Engine, tmp_path: Path) -> AsyncIterator[Client]:
    async with client_of(shared, {"HOME": str(tmp_path)}) as client:
        yield client


@pytest.fixture
async def reader(shared: Engine, tmp_path: Path) -> AsyncIterator[Client]:
    async with client_of(shared, {"HOME": str(tmp_path)}) as client:
        yield client


async def opened(client: Client, path: Path, **params: Any) -> str:
    handle: str = (await client.request("session/open", {"path": str(path), **params}))["session"]
    return handle


async def publish(client: Client, handle: str, message: Any) -> None:
    await client.request("session/publishDraft", {"session": handle, "message": message})


async def draft(client: Client, handle: str) -> Any:
    """Return the message of the draft that the client hears of next."""
    params = await client.notification(DRAFT_METHOD)
    assert params["session"] == handle
    return params["draft"] and params["draft"]["message"]


async def test_another_client_sees_the_draft_and_its_end(
    writer: Client, reader: Client, file: Path
):
    before = file.read_bytes()
    mine, theirs = await opened(writer, file), await opened(reader, file, readOnly=True)
    for text in ("Hel", "Hello"):
        await publish(writer, mine, answer(text))
        assert await draft(reader, theirs) == answer(text)
    await publish(writer, mine, None)
    assert await draft(reader, theirs) is None
    assert file.read_bytes() == before


@pytest.mark.parametrize("end", ["append", "close", "disconnect", "turn away"])
async def test_a_draft_ends_with_the_turn_or_the_handle(
    shared: Engine, reader: Client, tmp_path: Path, file: Path, end: str
):
    theirs = await opened(reader, file, readOnly=True)
    async with client_of(shared, {"HOME": str(tmp_path)}) as writer:
        mine = await opened(writer, file)
        await publish(writer, mine, answer("Hello"))
        assert await draft(reader, theirs) == answer("Hello")
        if end == "append":
            params = {"session": mine, "message": assistant("Hello")}
            await writer.request("session/appendMessage", params)
        elif end == "close":
            await writer.request("session/close", {"session": mine})
        elif end == "turn away":
            await writer.request("session/newSession", {"session": mine})
        if end != "disconnect":
            assert await draft(reader, theirs) is None
    if end == "disconnect":
        assert await draft(reader, theirs) is None


async def test_a_handle_that_opens_later_has_the_draft_in_its_state(
    writer: Client, reader: Client, file: Path
):
    mine = await opened(writer, file)
    await publish(writer, mine, answer("Hello"))
    state = await reader.request("session/open", {"path": str(file), "readOnly": True})
    assert state["draft"]["message"] == answer("Hello")
    assert state["draft"]["view"]["blocks"] == [{"kind": "text", "text": "Hello"}]
    assert "draft" not in await writer.request("session/getState", {"session": mine})


async def test_the_last_draft_counts_whoever_publishes_it(
    writer: Client, reader: Client, file: Path
):
    one, two = await opened(writer, file), await opened(reader, file)
    await publish(writer, one, answer("one"))
    assert await draft(reader, two) == answer("one")
    await publish(reader, two, answer("two"))
    assert await draft(writer, one) == answer("two")
    # The end of an earlier draft does not end a later one.
    await publish(writer, one, None)
    assert "draft" in await writer.request("session/getState", {"session": one})


async def test_a_handle_hears_of_its_own_session_alone(
    writer: Client, reader: Client, file: Path, tmp_path: Path
):
    other = tmp_path / "other.jsonl"
    other.write_text(header("other") + line("a"))
    mine, theirs = await opened(writer, file), await opened(reader, other)
    await publish(writer, mine, answer("Hello"))
    state = await reader.request("session/getState", {"session": theirs})
    assert "draft" not in state
    # The first notification is about its own session.
    again = await opened(writer, other)
    await publish(writer, again, answer("other"))
    assert await draft(reader, theirs) == answer("other")


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        (answer("x" * DRAFT_BYTES), "TooLarge"),
        # A character of two bytes counts as two.
        (answer("ä" * (DRAFT_BYTES // 2)), "TooLarge"),
        ({"content": "no role"}, "InvalidParams"),
        ([], "InvalidParams"),
        ("text", "InvalidParams"),
    ],
)
async def test_what_is_no_message_or_too_large_is_refused(
    writer: Client, file: Path, message: Any, kind: str
):
    mine = await opened(writer, file)
    with pytest.raises(RpcError) as raised:
        await publish(writer, mine, message)
    assert raised.value.kind == kind


async def test_a_read_only_handle_publishes_nothing(writer: Client, file: Path):
    mine = await opened(writer, file, readOnly=True)
    with pytest.raises(RpcError) as raised:
        await publish(writer, mine, answer("Hello"))
    assert raised.value.kind == "ReadOnly"


async def test_a_message_of_several_lines_stays_one_message(
    writer: Client, reader: Client, file: Path
):
    mine, theirs = await opened(writer, file), await opened(reader, file, readOnly=True)
    text = json.dumps(answer("Hello"), indent=2)
    request = f'{{"jsonrpc":"2.0","method":"session/publishDraft","params":{{"session":"{mine}",'
    writer.write(f'{request}"message":{text}}}}}'.encode())
    raw = (await reader.receive()).raw
    assert b"\n" not in raw
    writer.write(f'{request}"message":null}}}}'.encode())
    assert await draft(reader, theirs) is None
    await publish(writer, mine, answer("Hello"))
    assert await draft(reader, theirs) == answer("Hello")


async def test_a_client_that_does_not_read_gets_the_newest_draft_only(
    writer: Client, reader: Client, file: Path
):
    mine, theirs = await opened(writer, file), await opened(reader, file, readOnly=True)
    reader.stop_reading()
    drafts = [answer(f"{number} {'x' * 200_000}") for number in range(100)]
    for message in drafts:
        await publish(writer, mine, message)
    reader.go_on_reading()
    received = [await draft(reader, theirs)]
    while received[-1] != drafts[-1]:
        received.append(await draft(reader, theirs))
    # One was under way, and another waited in the pipes.
    assert len(received) <= 4
