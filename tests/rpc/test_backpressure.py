"""Limits on the running and queued requests of one client; all of them are answered in the end."""

import asyncio
import json
import os
import re
import time
from pathlib import Path

import attrs
import pytest
from support.client import DEADLINE, connected, framed, many_turns
from support.process import Daemon
from support.serving import Server

from sessiond.runtime import limits
from sessiond.text.spans import Json

KILOBYTE = b'"' + b"x" * 1022 + b'"'


@attrs.define
class Size:
    kilobytes: int = 1


class Calls:
    """Methods that wait for a gate, and count how many of them wait at the same time."""

    def __init__(self, **options) -> None:
        self.server = Server(**options)
        self.gate = asyncio.Event()
        self.now = self.most = self.started = 0
        self.log = []
        for name in ("long/answer", "short/answer"):
            self.server.register(name, Size, self.answer)
        self.server.register("short/nothing", None, self.nothing)
        self.server.register("log/write", dict[str, int], self.write)
        self.server.register("shutdown", None, self.shutdown, is_urgent=True)
        self.server.register("exit", None, self.exit, is_urgent=True)

    async def answer(self, params: Size) -> Json:
        self.started += 1
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            await self.gate.wait()
            # The memory of an answer is taken only now, as in a worker.
            return Json([b"[", *[KILOBYTE, b","] * (params.kilobytes - 1), KILOBYTE, b"]"])
        finally:
            self.now -= 1

    async def nothing(self, _params: None) -> None:
        return None

    async def write(self, params: dict[str, int]) -> None:
        if params["n"] % 3 == 0:
            await asyncio.sleep(0)
        self.log.append(params["n"])

    def shutdown(self, _params: None) -> None:
        self.server.shut_down = True

    def exit(self, _params: None) -> None:
        self.server.stop(0 if self.server.shut_down else 1)


@pytest.fixture
async def calls():
    return Calls()


async def until(condition) -> None:
    async with asyncio.timeout(DEADLINE):
        while not condition():  # noqa: ASYNC110 - there is no event to wait for
            await asyncio.sleep(0.001)


async def test_running_requests_are_limited_and_all_are_answered(calls):
    async with connected(calls.server) as client:
        answers = [client.start("long/answer") for _ in range(1000)]
        await until(lambda: calls.now == limits.RUNNING)
        calls.gate.set()
        assert len([(await one).value["result"] for one in answers]) == 1000
        assert calls.most == limits.RUNNING


async def test_requests_that_wait_can_be_cancelled(calls):
    async with connected(calls.server) as client:
        answers = [client.start("long/answer", id_=f"{number}") for number in range(500)]
        await until(lambda: calls.now == limits.RUNNING)
        client.notify("$/cancelRequest", {"id": "499"})
        assert (await answers[499]).value["error"]["code"] == -32800
        started = calls.started
        calls.gate.set()
        assert len([await one for one in answers]) == 500
        assert calls.started == 499 > started


async def test_shutdown_and_exit_overtake_waiting_requests_which_are_still_answered(calls):
    async with connected(calls.server) as client:
        answers = [client.start("long/answer") for _ in range(500)]
        assert await client.request("shutdown") is None
        refused = client.start("long/answer")
        client.notify("exit")
        assert (await refused).value["error"]["code"] == -32600
        calls.gate.set()
        assert len([(await one).value["result"] for one in answers]) == 500
        assert await client.ends() == 0


async def test_exit_cancels_requests_that_do_not_start_in_time(calls, monkeypatch):
    monkeypatch.setattr("sessiond.rpc.server.STOP_SECONDS", 0.05)
    async with connected(calls.server) as client:
        answers = [client.start("long/answer") for _ in range(500)]
        client.notify("exit")
        codes = [(await one).value["error"]["code"] for one in answers]
        assert codes == [-32800] * 500
        assert await client.ends() == 1


async def test_exit_starts_no_further_requests_even_if_their_ids_are_equal(calls, monkeypatch):
    monkeypatch.setattr("sessiond.rpc.server.STOP_SECONDS", 0.05)
    async with connected(calls.server) as client:
        for _ in range(500):
            client.start("long/answer", id_="same")
        client.notify("exit")
        assert await client.ends() == 1
        # Fewer, if the notification came before all of them were started.
        assert calls.started <= limits.RUNNING


async def test_reading_pauses_at_the_limit_of_waiting_requests(calls, monkeypatch):
    """Until there is room again, which does not take a further message."""
    monkeypatch.setattr(limits, "WAITING_REQUESTS", 100)
    async with connected(calls.server) as client:
        answers = [client.start("long/answer") for _ in range(2000)]
        await until(lambda: calls.now == limits.RUNNING)
        last = client.start("short/nothing")
        await many_turns()
        assert not last.done()
        # One piece of what was in the pipe may be more than there is room for.
        assert limits.RUNNING + 100 <= calls.server.requests < 2000
        calls.gate.set()
        assert len([await one for one in answers]) == 2000
        await last


@pytest.mark.parametrize("framing", ["header", "line"])
async def test_a_client_may_write_all_its_requests_before_it_reads(calls, framing):
    """30,000 requests, with 120 MB of answers, more than a pipe and the queue of answers hold."""
    calls.gate.set()
    requests = [
        {
            "jsonrpc": "2.0",
            "id": number,
            "method": "long/answer" if number % 2 else "short/answer",
            "params": {"kilobytes": 4},
        }
        for number in range(30_000)
    ]
    server_in, client_out = os.pipe()
    client_in, server_out = os.pipe()

    def talk() -> list[int]:
        with os.fdopen(client_out, "wb") as writing:
            writing.write(b"".join(framed(one, framing) for one in requests))
        found = []
        with os.fdopen(client_in, "rb") as reading:
            while line := reading.readline():
                if framing == "header":
                    length = int(line.removeprefix(b"Content-Length: "))
                    reading.readline()
                    line = reading.read(length)
                found.append(json.loads(line)["id"])
        return found

    talking = asyncio.get_running_loop().run_in_executor(None, talk)
    assert await asyncio.wait_for(calls.server.serve(server_in, server_out), 6 * DEADLINE) == 0
    os.close(server_out)
    os.close(server_in)
    assert sorted(await talking) == list(range(30_000))


async def test_order_of_arrival_holds_within_a_family(calls, monkeypatch):
    """Alone, in batches, and behind batches."""
    monkeypatch.setattr(limits, "RUNNING", 1)
    numbers = iter(range(3000))
    count = 0
    async with connected(calls.server) as client:
        for size in [1, 3, 1, 1, 20, 5, 1, 7] * 10:
            batch = [
                {"jsonrpc": "2.0", "id": n, "method": "log/write", "params": {"n": n}}
                for n in (next(numbers) for _ in range(size))
            ]
            count += size
            client.write(batch if size > 1 else batch[0])
        ids = []
        while len(ids) < count:
            value = (await client.receive()).value
            ids += [one["id"] for one in (value if isinstance(value, list) else [value])]
    assert sorted(ids) == list(range(count))
    assert calls.log == list(range(count))


async def test_a_batch_over_the_limit_gets_one_error_at_once(calls):
    batch = b"[" + b",".join([b"1"] * 1_000_000) + b"]"
    async with connected(calls.server) as client:
        await client.request("short/nothing")
        client.write(batch)
        error = (await client.receive()).value
        assert (error["id"], error["error"]["code"]) == (None, -32600)
        assert "1000" in error["error"]["message"]
        assert await client.request("short/nothing") is None
    assert await client.rest() == []


@pytest.mark.parametrize("size", [limits.MAX_BATCH, limits.MAX_BATCH + 1])
async def test_the_limit_of_a_batch_counts_only_its_members(calls, size):
    member = {"jsonrpc": "2.0", "method": "short/nothing", "id": 1, "params": {"a": [1, 2, 3]}}
    async with connected(calls.server) as client:
        client.write([member] * size)
        found = (await client.receive()).value
        assert isinstance(found, list) == (size == limits.MAX_BATCH)


async def test_a_batch_of_too_many_bytes_gets_one_error(calls):
    member = b'{"jsonrpc":"2.0","method":"short/nothing","id":1,"params":{"a":"%b"}}'
    large = member % (b"x" * limits.MAX_BATCH_BYTES)
    async with connected(calls.server) as client:
        client.write(b" [%b]" % large)
        error = (await client.receive()).value
        assert (error["id"], error["error"]["code"]) == (None, -32600)
        assert str(limits.MAX_BATCH_BYTES) in error["error"]["message"]
        client.write(large)
        assert (await client.receive()).value["result"] is None
    assert await client.rest() == []


async def test_the_answer_of_a_batch_is_limited(calls, monkeypatch):
    """Members that were not started when it is reached are refused, and do nothing."""
    monkeypatch.setattr(limits, "BATCH_ANSWER_BYTES", 100 * 1024)
    monkeypatch.setattr(limits, "RUNNING", 1)
    calls.gate.set()
    one = {"jsonrpc": "2.0", "method": "long/answer", "params": {"kilobytes": 10}}
    async with connected(calls.server) as client:
        client.write([{**one, "id": number} for number in range(100)])
        found = (await client.receive()).value
    served = [answer["id"] for answer in found if "result" in answer]
    kinds = {answer["error"]["data"]["kind"] for answer in found if "error" in answer}
    assert len(found) == 100
    assert served == list(range(10))
    assert kinds == {"TooLarge"}
    assert calls.started == 10


def test_memory_does_not_grow_with_pipelined_answers_that_are_not_read(tmp_path: Path):
    """200 exports of 3 MB, of which the client reads none before the daemon has gone quiet."""
    lines = [json.dumps({"type": "session", "version": 3, "id": "s", "cwd": "/", "timestamp": ""})]
    lines += [
        json.dumps({
            "type": "message",
            "id": f"{number:08x}",
            "parentId": f"{number - 1:08x}" if number else None,
            "timestamp": "2026-01-01T00:00:00.000Z",
            "message": {"role": "user", "content": "x" * 20_000},
        })
        for number in range(150)
    ]  # fmt: skip
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(lines) + "\n")
    with Daemon(tmp_path / "home") as daemon:
        daemon.request("daemon/status")
        before = peak_memory(daemon.process.pid)
        params = {"path": str(path), "format": "jsonl"}
        for number in range(200):
            daemon.post({
                "jsonrpc": "2.0", "id": number, "method": "catalog/export", "params": params,
            })  # fmt: skip
        wait_until_idle(daemon.process.pid)
        ids = [json.loads(daemon.read_body())["id"] for _ in range(200)]
        assert sorted(ids) == list(range(200))
        assert peak_memory(daemon.process.pid) - before < 300e6


def peak_memory(pid: int) -> int:
    """The most resident memory so far, in bytes."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(re.search(r"VmHWM:\s*(\d+) kB", status)[1]) * 1024


def wait_until_idle(pid: int) -> None:
    """Until the process has used no processor time for a while."""
    end = time.monotonic() + 60
    used, quiet = -1, 0
    while quiet < 10:
        assert time.monotonic() < end
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        now = int(fields[11]) + int(fields[12])
        quiet = quiet + 1 if now == used else 0
        used = now
        time.sleep(0.05)
