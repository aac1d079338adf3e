"""The first messages are answered by the front, exactly as the server would answer them."""

import asyncio
import itertools
import json
import os
import signal
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.client import framed, spawned
from support.mcp import HELLO, STATELESS, unopened

from sessiond.shared.front import first_answers
from sessiond.shared.front.first_answers import BegunConversation, converse
from sessiond.shared.front.fixed_answers import FixedAnswers

INITIALIZE = {"protocolVersion": "2025-06-18", **HELLO}
HANDSHAKE = [("initialize", INITIALIZE), ("tools/list", {}), ("resources/templates/list", {})]
CALL = {"name": "list_sessions", "arguments": {}}

BLOCKED = """
import sys
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name == "click":
            sys.meta_path.remove(self)
            open("gate").read()
sys.meta_path.insert(0, Blocker())
import runpy
sys.argv = ["sessiond", "mcp"]
runpy.run_module("sessiond", run_name="__main__")
"""


async def test_a_process_answers_before_it_has_imported_the_rest(tmp_path: Path):
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    env = {"HOME": str(tmp_path), "PATH": ""}
    command = [sys.executable, "-c", BLOCKED]
    async with spawned(command, "line", env=env, cwd=tmp_path) as (client, process):
        for method, params in HANDSHAKE:
            assert await client.request(method, params)
        assert await client.request("ping") == {}
        called = client.start("tools/call", CALL)
        # Only when the rest is needed does anybody wait at the gate.
        await asyncio.to_thread(gate.write_bytes, b"")
        async with asyncio.timeout(30):
            answer = (await called).value
        assert answer["result"]["content"][0]["text"].startswith("No session")
    assert process.returncode == 0


def request(method: object, params: object = None, **more: object) -> dict[str, object]:
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params, **more}
    return {name: value for name, value in message.items() if value is not None}


@pytest.mark.parametrize(
    "message",
    [
        request("tools/list", {}),
        request("tools/list", {"_meta": STATELESS, "cursor": "x"}),
        request("tools/list", {"_meta": STATELESS}, id=True),
        request("tools/list", {"_meta": STATELESS}, id=1.0),
        request("tools/list", {"_meta": STATELESS}, result={}),
        request("tools/list", {"_meta": STATELESS}, jsonrpc="1.0"),
        request("initialize", {"protocolVersion": 5}),
        request("initialize", {"protocolVersion": "2025-11-25", "clientInfo": {"name": 5}}),
        request("initialize", []),
        request("tools/call", CALL),
        request(["ping"]),
        [request("ping")],
        5,
    ],
)
def test_what_is_not_plain_is_left_to_the_server(message: object):
    assert FixedAnswers().answer(json.dumps(message).encode()) is None


@pytest.mark.parametrize("line", [b"{", b"\xff", b"[" * 100_000, b'{"id":' + b"9" * 5000 + b"}"])
def test_what_cannot_be_read_is_left_to_the_server(line: bytes):
    assert FixedAnswers().answer(line) is None


def begun_with(chunks: Iterable[bytes]) -> tuple[bytes, BegunConversation, bytes]:
    """What was answered to these chunks of input, where the server goes on, and what follows."""
    sent: list[bytes] = []
    input_ = iter(chunks)
    answers = FixedAnswers()
    begun = converse(answers, lambda: next(input_, b""), sent.append)
    return b"".join(sent), begun, b"".join(input_)


def test_a_client_that_does_not_read_is_answered_within_the_room_of_a_pipe():
    line = framed(request("tools/list", {"_meta": STATELESS}), "line")
    sent, begun, _ = begun_with([line * 100])
    assert len(sent) < 65536
    assert sent.count(b"\n") + begun.rest.count(b"\n") == 100


def test_a_message_that_does_not_end_fills_little_memory():
    read = itertools.count()
    answers = FixedAnswers()

    def chunk() -> bytes:
        next(read)
        return b"x" * 1000

    begun = converse(answers, chunk, lambda _data: None)
    assert begun.rest == b"x" * 1000 * next(read)
    assert len(begun.rest) < 70_000


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_a_process_that_was_asked_for_nothing_else(tmp_path: Path, number: int):
    env = {"HOME": str(tmp_path), "PATH": ""}
    command = [sys.executable, "-m", "sessiond", "mcp"]
    async with spawned(command, "line", env=env, cwd=tmp_path) as (client, process):
        assert await client.request(*HANDSHAKE[0])
        process.send_signal(number)
        assert await process.wait() == 0


async def test_the_end_of_input_ends_a_process_that_was_asked_for_nothing_else(tmp_path: Path):
    env = {"HOME": str(tmp_path), "PATH": ""}
    command = [sys.executable, "-m", "sessiond", "mcp"]
    async with spawned(command, "line", env=env, cwd=tmp_path) as (client, process):
        assert await client.request(*HANDSHAKE[0])
        client.end_input()
        assert await process.wait() == 0


def test_a_begun_conversation_survives_the_way_to_the_daemon():
    begun = BegunConversation("2025-11-25", "cli\nent \x00 \ud800", b'{"id":1}\n\xff\x00{')
    assert vars(first_answers.unpack(begun.pack())) == vars(begun)


IDS = st.integers() | st.text(max_size=4)
METAS = st.sampled_from(
    [
        *({}, STATELESS, {**STATELESS, "progressToken": "t"}, {"progressToken": 7}),
        *({"progressToken": []}, {"progressToken": 2**70}, {"progressToken": True}),
        {**STATELESS, "io.modelcontextprotocol/protocolVersion": "2030-01-01"},
        {"io.modelcontextprotocol/clientCapabilities": {}},
        {**STATELESS, "io.modelcontextprotocol/clientCapabilities": []},
    ]
)
PARAMS = st.fixed_dictionaries(
    {},
    optional={
        "_meta": METAS,
        "cursor": st.sampled_from([None, "", "x", 5]),
        "protocolVersion": st.sampled_from(["2025-11-25", "2025-06-18", "1", 1]),
        "clientInfo": st.sampled_from(
            [None, {"name": "n"}, {"name": "n", "version": None}, {"version": "1"}, [], "c"]
        ),
        "name": st.sampled_from(["list_sessions", "x"]),
    },
)
METHODS = st.sampled_from(
    [
        *("initialize", "ping", "server/discover", "tools/list", "resources/templates/list"),
        *("tools/call", "resources/list", "prompts/list"),
    ]
)
MESSAGES = st.lists(st.tuples(METHODS, PARAMS | st.sampled_from([None, [], 5])), max_size=8)


@given(messages=MESSAGES, ids=st.lists(IDS, min_size=8, max_size=8, unique=True), data=st.data())
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
async def test_the_front_and_the_server_together_answer_as_the_server_alone(
    tmp_path: Path, messages: list[tuple[str, Any]], ids: list[int | str], data: st.DataObject
):
    sent = [
        request(method, params, id=id_)
        for (method, params), id_ in zip(messages, ids, strict=False)
    ]
    input_ = b"".join(framed(each, "line") for each in sent)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(input_)), max_size=4)))
    chunks = [input_[start:stop] for start, stop in itertools.pairwise([0, *cuts, len(input_)])]
    # An empty chunk would be the end of the input.
    early, begun, rest = begun_with(filter(None, chunks))
    assert await answers(tmp_path, begun, rest, early) == await answers(
        tmp_path, BegunConversation(), input_, b""
    )


async def answers(
    tmp_path: Path, begun: BegunConversation, input_: bytes, early: bytes
) -> Mapping[str, object]:
    """Every answer by its id; each must come exactly once."""
    async with unopened(tmp_path, begun=begun) as client:
        await client.send_raw(input_)
        client.end_input()
        got = [json.loads(line) for line in early.splitlines()]
        got += [received.value for received in await client.rest()]
    answered = [each for each in got if "id" in each]
    by_id = {json.dumps(each["id"]): each for each in answered}
    assert len(by_id) == len(answered)
    return by_id
