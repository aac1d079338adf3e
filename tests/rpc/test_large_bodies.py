"""Bodies of megabytes are decoded in a worker, and requests of a session stay in order."""

import asyncio
import itertools
import json
import os
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest
from support.app import assistant, user
from support.lag import late_in_every_run, loop_lag

from sessiond.config import Config
from sessiond.daemon import build, serve

SIZE = 10_000_000

CODE = 'if (items[0]) { return {"a": [1]}; }\n'
MESSAGES: dict[str, Callable[[], dict[str, Any]]] = {
    "a text of code": lambda: user(CODE * (SIZE // 40)),
    "many blocks": lambda: user(
        "", content=[{"type": "text", "text": f"t [{number}]"} for number in range(SIZE // 36)]
    ),
    # Smaller: one search of such a text takes 10 ms for each MB.
    "lone surrogates": lambda: user("\ud800 some text of usual length " * (SIZE // 36 // 5)),
}


@asynccontextmanager
async def talking(home: Path) -> AsyncIterator[Callable[[list[bytes]], Any]]:
    """Send bodies and return their answers, with the daemon alone on the event loop."""
    server_in, client_out = os.pipe()
    client_in, server_out = os.pipe()
    client = build(Config(watch="off"), {"HOME": str(home)})
    serving = asyncio.create_task(serve(client, server_in, server_out))
    answers = os.fdopen(client_in, "rb")

    def write(bodies: list[bytes]) -> None:
        for body in bodies:
            view = memoryview(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
            while view:
                view = view[os.write(client_out, view) :]

    def read() -> bytes:
        length = int(answers.readline().removeprefix(b"Content-Length:"))
        answers.readline()
        return answers.read(length)

    def talk(bodies: list[bytes]) -> list[bytes]:
        writer = threading.Thread(target=write, args=(bodies,))
        writer.start()
        received = [read() for _ in bodies]
        writer.join()
        return received

    async def exchange(bodies: list[bytes]) -> list[bytes]:
        return await asyncio.wait_for(asyncio.to_thread(talk, bodies), 60)

    try:
        yield exchange
        os.close(client_out)
        await asyncio.wait_for(serving, 30)
    finally:
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
        answers.close()
        for descriptor in server_in, server_out:
            os.close(descriptor)


def body(id_: int, method: str, **params: Any) -> bytes:
    message = {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}
    return json.dumps(message).encode()


async def delay_of_a_large_message(home: Path, kind: str, plain_json: bool) -> float:
    """Append a large message between small requests; return how long it delayed the loop."""
    file = home / "s.jsonl"
    async with talking(home) as exchange:
        capabilities = {"plainJson": plain_json}
        opened = await exchange(
            [
                body(1, "initialize", capabilities=capabilities),
                body(2, "session/open", path=str(file)),
                body(3, "session/appendMessage", session="s1", message=assistant("hello")),
            ]
        )
        assert orjson.loads(opened[1])["result"]["session"] == "s1"
        bodies = [
            body(
                4, "session/appendMessage", session="s1", newEntryId="x", message=MESSAGES[kind]()
            ),
            body(5, "session/appendMessage", session="s1", message=user("after it")),
            body(6, "session/getLeafId", session="s1"),
        ]
        async with loop_lag() as lag:
            answers = await exchange(bodies)
            answers += await exchange([body(7, "session/getEntry", session="s1", id="x")])
        found = [json.loads(answer) for answer in answers]
        assert [answer["id"] for answer in found] == [4, 5, 6, 7]
        assert found[1]["result"]["parentId"] == "x"
        assert found[2]["result"]["leafId"] == found[1]["result"]["id"]
        lines = [json.loads(line) for line in file.read_bytes().splitlines()]
        assert [line["id"] for line in lines[2:]] == ["x", found[1]["result"]["id"]]
        assert lines[2]["message"] == json.loads(bodies[0])["params"]["message"]
    return lag.worst


@pytest.mark.parametrize("plain_json", [False, True])
@pytest.mark.parametrize("kind", MESSAGES)
async def test_a_large_message_delays_no_small_request_and_keeps_its_place(
    tmp_path: Path, kind: str, plain_json: bool
):
    runs = itertools.count()

    async def measure() -> dict[str, float]:
        home = tmp_path / str(next(runs))
        home.mkdir()
        return {kind: await delay_of_a_large_message(home, kind, plain_json)}

    assert await late_in_every_run(measure) == {}


async def test_white_space_of_a_large_message_is_removed_in_a_worker(tmp_path: Path):
    content = [{"type": "text", "text": f"number {number}"} for number in range(100_000)]
    params = {"session": "s1", "message": assistant("", content=content)}
    message = {"jsonrpc": "2.0", "id": 2, "method": "session/appendMessage", "params": params}
    pretty = json.dumps(message, indent=1).encode()

    async def measure() -> dict[str, float]:
        async with talking(tmp_path) as exchange:
            await exchange([body(1, "session/inMemory", cwd="/w")])
            async with loop_lag() as lag:
                [answer] = await exchange([pretty])
            assert "id" in json.loads(answer)["result"]
        return {"pretty": lag.worst}

    assert await late_in_every_run(measure) == {}


async def test_a_large_body_that_is_not_json_is_answered(tmp_path: Path):
    async with talking(tmp_path) as exchange:
        broken = body(1, "session/inMemory", cwd="x" * 1_000_000)[:-1]
        answers = [json.loads(answer) for answer in await exchange([broken, body(2, "context/x")])]
        assert (answers[0]["id"], answers[0]["error"]["code"]) == (None, -32700)
        assert (answers[1]["id"], answers[1]["error"]["code"]) == (2, -32601)


async def test_large_params_that_do_not_fit_are_answered_with_their_place(tmp_path: Path):
    async with talking(tmp_path) as exchange:
        [answer] = await exchange([body(1, "session/inMemory", cwd=["x" * 1_000_000])])
        error = json.loads(answer)["error"]
        assert (error["code"], error["data"]["pointer"]) == (-32602, "/cwd")


async def test_a_batch_with_a_large_member_is_answered_as_one(tmp_path: Path):
    async with talking(tmp_path) as exchange:
        await exchange([body(1, "session/inMemory", cwd="/w")])
        members = [
            body(2, "session/appendMessage", session="s1", message=user("x" * 1_000_000)),
            body(3, "session/getEntryCount", session="s1"),
        ]
        [answer] = await exchange([b"[%b]" % b",".join(members)])
        found = {one["id"]: one["result"] for one in json.loads(answer)}
        assert found[3] == {"count": 1}
