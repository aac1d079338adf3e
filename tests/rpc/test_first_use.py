"""The first request of a family, whose modules are imported in a worker."""

import asyncio
import json
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

import pytest
from support.app import assistant, daemon
from support.client import Client, RpcError, connected
from support.lag import late_in_every_run

from sessiond.errors import ReadFailed
from sessiond.rpc.protocol import Server

ROOT = Path(__file__).parent.parent

FIRST = [
    ("context/windowUsage", {"session": "s1", "contextWindow": 1000}),
    ("context/prepareCompaction", {"session": "s1", "includePrompts": True}),
    ("catalog/stats", {"session": "s1"}),
    ("catalog/export", {"session": "s1", "format": "html"}),
    ("catalog/search", {"query": "x", "mode": "regex"}),
    ("gateway/list", {}),
    ("gateway/begin", {"context": {"SessionKey": "agent:main:main", "Body": "hello"}}),
]

MEASURE = """
import asyncio, gc, json, sys
from pathlib import Path
from support.app import daemon
from support.lag import loop_lag

async def main(home, calls):
    # As in the daemon.
    gc.freeze()
    sys.setswitchinterval(0.0005)
    lags = {}
    async with daemon(Path(home), profile="coderclaw", watch="off") as client:
        await client.request("session/inMemory", {"cwd": "/w"})
        for method, params in calls:
            async with loop_lag() as lag:
                await client.request(method, params)
            lags[method] = lag.worst
    print(json.dumps(lags))

asyncio.run(main(sys.argv[1], json.loads(sys.argv[2])))
"""


async def test_it_does_not_delay_a_small_request(tmp_path: Path):
    """Measured in fresh processes, where nothing is imported yet."""
    command = [sys.executable, "-c", MEASURE, str(tmp_path), json.dumps(FIRST)]

    async def measure() -> dict[str, float]:
        run = partial(subprocess.run, capture_output=True, cwd=ROOT, check=False, text=True)
        done = await asyncio.to_thread(run, command)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    assert await late_in_every_run(measure) == {}


class Late:
    """A server with a family `late/` whose import takes until `go` is set."""

    def __init__(self) -> None:
        self.server = Server()
        self.started: list[str] = []
        self.imports: list[Exception | None] = []
        self.importing = threading.Event()
        self.go = threading.Event()
        self._add("early/one")
        self.server.register_later("late/", self._load, self._import)

    def _add(self, name: str) -> None:
        async def answer(params: dict) -> dict:
            self.started.append(f"{name} {params.get('session')}")
            return {"from": name}

        self.server.register(name, dict, answer, lane="session")

    def _import(self) -> None:
        self.importing.set()
        assert self.go.wait(10)
        error = self.imports.pop() if self.imports else None
        if error:
            raise error

    def _load(self) -> None:
        self._add("late/one")
        self._add("late/two")


@pytest.fixture
async def late():
    made = Late()
    yield made
    made.go.set()


def call(client: Client, id_: object, method: str, session: str | None = None) -> None:
    params = {} if session is None else {"session": session}
    client.write({"jsonrpc": "2.0", "id": id_, "method": method, "params": params})


async def answers(client: Client, number: int) -> dict[object, dict]:
    found = [(await client.receive()).value for _ in range(number)]
    return {one["id"]: one for one in found}


async def test_later_requests_of_the_same_session_wait_behind_it(late: Late):
    async with connected(late.server) as client:
        call(client, 1, "late/one", "s1")
        call(client, 2, "early/one", "s1")
        call(client, 3, "early/one", "s2")
        call(client, 4, "early/one")
        assert set(await answers(client, 2)) == {3, 4}
        assert late.started == ["early/one s2", "early/one None"]
        call(client, 5, "late/two", "s1")
        late.go.set()
        assert set(await answers(client, 3)) == {1, 2, 5}
        assert late.started[2:] == ["late/one s1", "early/one s1", "late/two s1"]
        call(client, 6, "early/one", "s1")
        assert set(await answers(client, 1)) == {6}


async def test_a_session_is_recognised_in_params_with_a_lone_surrogate(late: Late):
    async with connected(late.server) as client:
        call(client, 1, "late/one", "s1")
        params = rb'{"text":"\ud83d","session":"s1"}'
        client.write(b'{"jsonrpc":"2.0","id":2,"method":"early/one","params":%b}' % params)
        call(client, 3, "early/one", "s2")
        assert set(await answers(client, 1)) == {3}
        late.go.set()
        assert set(await answers(client, 2)) == {1, 2}
        assert late.started[1:] == ["late/one s1", "early/one s1"]


async def test_a_failed_import_is_the_answer_and_the_next_request_imports_again(late: Late):
    late.imports = [ReadFailed("/m.py", OSError(24, "Too many open files"))]
    late.go.set()
    async with connected(late.server) as client:
        with pytest.raises(RpcError) as failed:
            await client.request("late/one")
        assert failed.value.data["kind"] == "OutOfResources"
        assert await client.request("late/one") == {"from": "late/one"}


async def test_requests_queued_after_a_failed_import_are_served(late: Late):
    late.imports = [ValueError("broken")]
    async with connected(late.server) as client:
        call(client, 1, "late/one", "s1")
        call(client, 2, "early/one", "s1")
        late.go.set()
        found = await answers(client, 2)
        assert found[1]["error"]["code"] == -32603
        assert found[2]["result"] == {"from": "early/one"}


async def test_a_waiting_request_can_be_cancelled(late: Late):
    async with connected(late.server) as client:
        call(client, "a", "late/one", "s1")
        call(client, "b", "early/one", "s1")
        client.write({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": "a"}})
        client.write({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": "b"}})
        found = await answers(client, 2)
        assert {one["error"]["code"] for one in found.values()} == {-32800}
        late.go.set()
        assert await client.request("late/two") == {"from": "late/two"}
        assert late.started == ["late/two None"]


async def test_members_of_a_batch_are_answered_together(late: Late):
    async with connected(late.server) as client:
        calls = [("late/one", 1), ("late/none", 2), ("early/one", 3)]
        members = [{"jsonrpc": "2.0", "id": id_, "method": name} for name, id_ in calls]
        client.write(members)
        await asyncio.to_thread(late.importing.wait, 10)
        late.go.set()
        found = {one["id"]: one for one in (await client.receive()).value}
        assert found[2]["error"]["code"] == -32601
        assert found[1]["result"] == {"from": "late/one"}
        assert found[3]["result"] == {"from": "early/one"}


async def test_requests_before_the_end_of_input_are_answered(late: Late):
    async with connected(late.server) as client:
        call(client, 1, "late/one")
        client.end_input()
        await asyncio.to_thread(late.importing.wait, 10)
        late.go.set()
        assert set(await answers(client, 1)) == {1}


async def test_a_change_by_the_first_context_request_is_seen_by_the_next_request(tmp_path: Path):
    async with daemon(tmp_path, watch="off") as client:
        session = (await client.request("session/inMemory", {"cwd": "/w"}))["session"]
        given = {"session": session}
        for text in "one", "two":
            message = {**given, "message": assistant(text)}
            leaf = await client.request("session/appendMessage", message)
        above = {**given, "targetId": leaf["parentId"]}
        client.write({"jsonrpc": "2.0", "id": "a", "method": "context/navigate", "params": above})
        client.write({"jsonrpc": "2.0", "id": "b", "method": "session/getLeafId", "params": given})
        found = await answers(client, 2)
        assert found["b"]["result"] == {"leafId": leaf["parentId"]}
