"""A fault injected at any step between a message and its answer: the request is answered once."""

import asyncio
import errno
import os
import resource
from importlib import import_module
from pathlib import Path

import attrs
import pytest
from support.client import Client, RpcError, connected, framed
from support.process import Daemon
from support.process import RpcError as DaemonError
from support.serving import Server

from sessiond.rpc import codec
from sessiond.rpc.methods import Method
from sessiond.runtime.errors import ReadFailed

ERRORS = [
    MemoryError(),
    RecursionError("too deep"),
    OSError(errno.EMFILE, "Too many open files", "/a/file"),
    ImportError("cannot open shared object file"),
    ValueError("bad"),
    KeyError("missing"),
    UnicodeEncodeError("utf-8", "\ud83d", 0, 1, "surrogates not allowed"),
    StopIteration(5),
    StopAsyncIteration(),
    AssertionError(),
    TimeoutError(),
]
RAISED = pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
RAISED_IN_HANDLERS = pytest.mark.parametrize(
    "error",
    [*ERRORS, asyncio.CancelledError(), GeneratorExit()],
    ids=lambda error: type(error).__name__,
)


class Unprintable(Exception):
    def __str__(self) -> str:
        raise self


@attrs.define
class Given:
    value: str = "x"


@pytest.fixture
async def server():
    server = Server()

    async def at_once(params: Given) -> Given:
        return params

    async def later(params: Given) -> Given:
        await asyncio.sleep(0)
        return params

    server.register("at once", Given, at_once)
    server.register("later", Given, later)
    return server


class Once:
    """Replaces a function: the first call raises, later calls run the function."""

    def __init__(self, function, error) -> None:
        self.function = function
        self.error = error
        self.raised = False

    def __call__(self, *args, **more):
        if not self.raised:
            self.raised = True
            raise self.error
        return self.function(*args, **more)

    def __get__(self, instance, owner):
        return lambda *args, **more: self(instance, *args, **more)


async def answers(client: Client, number: int) -> list[dict]:
    return [(await client.receive()).value for _ in range(number)]


async def check(client: Client, fault: Once, method: str) -> None:
    """One request meets the fault; it and those around it are answered, each once."""
    client.write({"jsonrpc": "2.0", "id": "a", "method": method})
    client.write({"jsonrpc": "2.0", "id": "b", "method": method, "params": {"value": "z"}})
    found = await answers(client, 2)
    assert fault.raised
    assert sum("error" in one for one in found) == 1
    assert {one["id"] for one in found} <= {"a", "b", None}
    assert await client.request(method) == {"value": "x"}


@RAISED
@pytest.mark.parametrize("method", ["at once", "later"])
@pytest.mark.parametrize(
    "name",
    [
        "sessiond.rpc.codec.decode",
        "sessiond.rpc.methods.decode_params",
        "sessiond.rpc.codec.answer",
        "sessiond.rpc.codec.encode",
        "sessiond.rpc.server.frame",
    ],
)
async def test_a_fault_in_a_step_is_answered(server, monkeypatch, name, method, error):
    async with connected(server) as client:
        await client.request(method)
        module, _, attribute = name.rpartition(".")
        fault = Once(getattr(import_module(module), attribute), error)
        monkeypatch.setattr(name, fault)
        await check(client, fault, method)


@RAISED_IN_HANDLERS
@pytest.mark.parametrize("waits", [False, True])
async def test_a_fault_in_a_handler_is_answered(server, waits, error):
    async def work(_params: Given) -> Given:
        if waits:
            await asyncio.sleep(0)
        if not fault.raised:
            fault.raised = True
            raise error
        return Given()

    fault = Once(None, error)
    server.register("work", Given, work)
    async with connected(server) as client:
        await check(client, fault, "work")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (MemoryError(), "Cannot allocate memory"),
        (OSError(errno.EMFILE, "Too many open files", "/a/file"), "Too many open files"),
        (OSError(errno.ENFILE, "x"), "Too many open files in system"),
        (OSError(errno.ENOMEM, "x"), "Cannot allocate memory"),
        (ReadFailed("/a", OSError(errno.EMFILE, "x")), "Too many open files"),
        (RuntimeError("can't start new thread"), "No thread can be started"),
        (ImportError("x.so: cannot open: Too many open files"), "Too many open files"),
        (ImportError("x.so: failed to map segment from it"), "failed to map segment"),
    ],
)
async def test_a_shortage_is_reported_as_out_of_resources(server, error, reason):
    async def work(_params: Given) -> Given:
        raise error

    server.register("work", Given, work)
    async with connected(server) as client:
        with pytest.raises(RpcError) as raised:
            await client.request("work")
    assert (raised.value.code, raised.value.kind) == (1019, "OutOfResources")
    assert raised.value.data["retryable"] is True
    assert raised.value.data["strerror"] == reason


@RAISED
async def test_a_fault_where_a_handler_is_called_is_answered(server, error):
    async def work(_params: Given) -> Given:
        return Given()

    fault = Once(work, error)
    server.register("work", Given, fault)
    async with connected(server) as client:
        await check(client, fault, "work")


@RAISED
async def test_a_fault_in_making_a_task_is_answered(server, monkeypatch, error):
    async with connected(server) as client:
        await client.request("later")
        loop = asyncio.get_running_loop()
        create_task = loop.create_task
        fault = Once(create_task, error)

        def create(coroutine, **more):
            ours = coroutine.__qualname__ == "Server._run"
            return (fault if ours else create_task)(coroutine, **more)

        monkeypatch.setattr(loop, "create_task", create)
        await check(client, fault, "later")


@RAISED
async def test_a_fault_in_loading_methods_is_answered_and_they_are_loaded_the_next_time(
    server, error
):

    async def late(params: Given) -> Given:
        return params

    def find(name: str) -> Method | None:
        if name.startswith("late/"):
            fault()
            server.register(name, Given, late)
        return server.known.get(name)

    fault = Once(lambda: None, error)
    server._find = find
    async with connected(server) as client:
        await check(client, fault, "late/one")
        assert await client.request("late/other") == {"value": "x"}


async def test_an_error_that_cannot_be_described_is_answered(server):
    async def work(_params: None) -> None:
        raise Unprintable

    server.register("work", None, work)
    async with connected(server) as client:
        with pytest.raises(RpcError, match="-32603"):
            await client.request("work")


@pytest.mark.parametrize("method", ["at once", "later"])
async def test_an_answer_is_made_even_where_errors_cannot_be_encoded(server, monkeypatch, method):
    def fail(*_args, **_more):
        raise MemoryError

    async with connected(server) as client:
        monkeypatch.setattr(codec, "encode", fail)
        with pytest.raises(RpcError, match="-32603"):
            await client.request(method)


@pytest.mark.parametrize("method", ["at once", "later"])
async def test_a_fault_in_a_batch_is_the_fault_of_one_member(server, monkeypatch, method):
    fault = Once(codec.answer, MemoryError())
    async with connected(server) as client:
        monkeypatch.setattr(codec, "answer", fault)
        client.write([{"jsonrpc": "2.0", "id": name, "method": method} for name in "abc"])
        [found] = await answers(client, 1)
        assert sorted(one["id"] for one in found) == ["a", "b", "c"]
        assert [one["id"] for one in found if "error" in one] == ["a"]


@pytest.mark.parametrize("method", ["catalog/check", "gateway/list", "context/prepareCompaction"])
def test_a_shortage_of_descriptors_at_the_first_request_of_a_family(tmp_path: Path, method: str):
    with Daemon(tmp_path / "home", "--profile", "coderclaw") as daemon:
        session = daemon.request("session/inMemory")["session"]
        params = {
            "catalog/check": {},
            "gateway/list": {},
            "context/prepareCompaction": {"session": session},
        }[method]
        pid = daemon.process.pid
        before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        open_now = [int(name) for name in os.listdir(f"/proc/{pid}/fd")]
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (max(open_now) + 1, before[1]))
        with pytest.raises(DaemonError, match="Too many open files"):
            daemon.request(method, **params)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, before)
        daemon.request(method, **params)


async def test_ids_of_a_flood_are_each_answered_once(server):
    """Of a thousand messages in one piece, some of them cancelled, some of them in batches."""
    expected = []
    data = b""
    for number in range(1000):
        message = {"jsonrpc": "2.0", "id": number, "method": ["at once", "later"][number % 2]}
        data += framed([message] if number % 7 == 0 else message)
        expected.append(number)
        if number % 5 == 0:
            data += framed({
                "jsonrpc": "2.0",
                "method": "$/cancelRequest",
                "params": {"id": number},
            })  # fmt: skip
    async with connected(server) as client:
        await client.send_raw(data)
        found = await answers(client, 1000)
    ones = [one for answer in found for one in (answer if isinstance(answer, list) else [answer])]
    assert sorted(one["id"] for one in ones) == expected


async def test_a_fault_in_a_member_of_a_batch_is_answered_in_its_array(server, monkeypatch):
    async with connected(server) as client:
        await client.request("later")
        fault = Once(import_module("sessiond.rpc.codec").decode_member, RuntimeError("boom"))
        monkeypatch.setattr("sessiond.rpc.codec.decode_member", fault)
        client.write([{"jsonrpc": "2.0", "id": each, "method": "later"} for each in "ab"])
        (found,) = await answers(client, 1)
        assert fault.raised
        assert sorted((one["id"] or "", "error" in one) for one in found) == [
            ("", True),
            ("b", False),
        ]
