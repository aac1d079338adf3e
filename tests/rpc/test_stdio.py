"""Pipes, files and devices as standard input and output; slow clients and clients that vanish."""

import asyncio
import os
import socket
import subprocess
import sys
from contextlib import suppress

import attrs
import pytest
from support.client import DEADLINE, connected, framed, many_turns, spawned
from support.serving import Server

from sessiond.rpc.stdio import Output
from sessiond.runtime.limits import OUTGOING_HIGH_WATER
from sessiond.text.spans import Json

MEGABYTE = b'"' + b"x" * (1024 * 1024 - 2) + b'"'

PROGRAM = """
import asyncio, os, sys
from sessiond.rpc.methods import Method
from sessiond.rpc.server import Server
from sessiond.rpc.stdio import claim_stdio

async def nothing(params):
    print("stray print")
    os.system("echo stray child; cat")

server = Server({"nothing": Method("nothing", nothing, None)}.get)
sys.exit(asyncio.run(server.serve(*claim_stdio())))
"""
REQUEST = b'{"jsonrpc":"2.0","id":1,"method":"nothing"}\n'
ANSWER = b'{"jsonrpc":"2.0","id":1,"result":null}\n'


@attrs.define
class Size:
    megabytes: int


@pytest.fixture
async def server():
    server = Server()
    server.started = 0

    async def nothing(_params: None) -> None:
        server.started += 1

    async def big(params: Size) -> Json:
        server.started += 1
        parts = [b"[", *[MEGABYTE, b","] * params.megabytes]
        return Json([*parts[:-1], b"]"])

    async def hang(_params: None) -> None:
        server.started += 1
        await asyncio.Event().wait()

    server.register("nothing", None, nothing)
    server.register("big", Size, big)
    server.register("hang", None, hang)
    return server


async def until(condition) -> None:
    """Turn the loop until the condition holds."""
    async with asyncio.timeout(DEADLINE):
        while not condition():  # noqa: ASYNC110 - there is no event to wait for
            await asyncio.sleep(0.001)


async def test_a_large_answer_arrives_whole(server):
    async with connected(server) as client:
        result = await client.request("big", {"megabytes": 64})
        assert len(result) == 64
        assert {len(text) for text in result} == {len(MEGABYTE) - 2}


async def test_a_large_request_arrives_whole(server):
    async def length(params: list[str]) -> int:
        return len(params["text"])

    server.register("length", dict[str, str], length)
    async with connected(server) as client:
        assert await client.request("length", {"text": "x" * 50_000_000}) == 50_000_000


async def test_no_request_is_started_while_the_client_does_not_read(server):
    async with connected(server) as client:
        await client.request("nothing")
        client.stop_reading()
        answers = [client.start("big", {"megabytes": 3}) for _ in range(10)]
        await until(lambda: server.unsent > OUTGOING_HIGH_WATER)
        assert not server.writable
        started = server.started
        assert started < 10
        answers += [client.start("nothing") for _ in range(100)]
        drained = asyncio.create_task(server.drained())
        await many_turns()
        assert server.started == started
        assert not drained.done()
        client.go_on_reading()
        assert len([(await answer).value["result"] for answer in answers]) == 110
        await asyncio.wait_for(drained, DEADLINE)
        assert server.writable


async def test_drained_is_immediate_for_a_client_that_reads(server):
    async with connected(server) as client:
        await client.request("nothing")
        await server.drained()


@pytest.mark.parametrize("method", ["nothing", "big", "hang"])
async def test_a_client_that_vanishes_ends_the_server(server, method, monkeypatch):
    """Even with unsent bytes before it and running requests."""
    monkeypatch.setattr("sessiond.rpc.server.STOP_SECONDS", 0.05)
    async with connected(server) as client:
        await client.request("nothing")
        client.stop_reading()
        for _ in range(5):
            with suppress(EOFError):
                client.start(method, {"megabytes": 20} if method == "big" else None)
        await until(lambda: server.started > 1)
        client.vanish()
        assert await client.ends() == 0


async def test_requests_of_a_client_that_vanished_are_carried_out(server):
    async with connected(server) as client:
        await client.request("nothing")
        await client.send_raw(framed({"jsonrpc": "2.0", "id": 9, "method": "nothing"}) * 500)
        client.vanish()
        assert await client.ends() == 0
    assert server.started == 501


async def test_closing_only_the_reading_end_disconnects_a_client(server):
    """Although its writing end, left open, never comes to an end."""
    server_in, client_out = os.pipe()
    client_in, server_out = os.pipe()
    os.close(client_in)
    try:
        assert await asyncio.wait_for(server.serve(server_in, server_out), DEADLINE) == 0
    finally:
        for fd in (server_in, client_out, server_out):
            os.close(fd)


@pytest.mark.parametrize("kind", ["pipe", "socket"])
@pytest.mark.parametrize("when", ["idle", "at once", "later", "many"])
async def test_a_disconnected_reader_ends_the_server_although_its_input_is_open(server, when, kind):
    """Wherever the loss is noticed: by the watch on the pipe, or by any of the writes."""

    async def later(_params: None) -> None:
        await asyncio.sleep(0.01)

    server.register("later", None, later)
    if kind == "pipe":
        client_in, server_out = os.pipe()
    else:
        reading, writing = socket.socketpair()
        client_in, server_out = reading.detach(), writing.detach()
    server_in, client_out = os.pipe()
    serving = asyncio.create_task(server.serve(server_in, server_out))
    os.write(client_out, REQUEST)
    await until(lambda: server.started == 1)
    later_ = REQUEST.replace(b"nothing", b"later")
    given = {"idle": b"", "at once": REQUEST, "later": later_, "many": REQUEST * 200 + later_}
    os.close(client_in)
    if when == "idle" and kind == "socket":
        # Nothing tells of a socket that is closed at its other end but the next write to it.
        os.write(client_out, REQUEST)
    elif given[when]:
        os.write(client_out, given[when])
    assert await asyncio.wait_for(serving, DEADLINE) == 0
    for fd in (server_in, client_out, server_out):
        os.close(fd)


async def test_a_client_that_closes_its_writing_end_may_read_slowly(server):
    async with connected(server) as client:
        client.stop_reading()
        answers = [client.start("big", {"megabytes": 5}) for _ in range(4)]
        client.end_input()
        await until(lambda: server.unsent > 0)
        await many_turns()
        client.go_on_reading()
        assert [len((await answer).value["result"]) for answer in answers] == [5] * 4
        assert await client.ends() == 0


async def test_a_stop_gives_up_a_client_that_does_not_read(server, monkeypatch):
    monkeypatch.setattr("sessiond.rpc.server.STOP_SECONDS", 0.05)
    async with connected(server) as client:
        client.stop_reading()
        client.start("big", {"megabytes": 20})
        await until(lambda: server.unsent > 0)
        server.stop(3)
        assert await client.ends() == 3


async def test_a_socket_serves_as_both(server):
    ours, theirs = socket.socketpair()
    with ours, theirs:
        serving = asyncio.create_task(server.serve(ours.fileno(), ours.fileno()))
        theirs.setblocking(False)
        loop = asyncio.get_running_loop()
        await loop.sock_sendall(theirs, REQUEST)
        assert await asyncio.wait_for(loop.sock_recv(theirs, 1000), DEADLINE) == ANSWER
        theirs.shutdown(socket.SHUT_WR)
        assert await asyncio.wait_for(serving, DEADLINE) == 0


async def test_a_socket_that_is_closed_with_bytes_unsent_ends_the_server(server):
    ours, theirs = socket.socketpair()
    with ours:
        serving = asyncio.create_task(server.serve(ours.fileno(), ours.fileno()))
        request = b'{"jsonrpc":"2.0","id":1,"method":"big","params":{"megabytes":20}}\n'
        await asyncio.get_running_loop().run_in_executor(None, theirs.sendall, request)
        await until(lambda: server.unsent > OUTGOING_HIGH_WATER)
        theirs.close()
        assert await asyncio.wait_for(serving, DEADLINE) == 0


async def test_files_serve_as_input_and_output(server, tmp_path):
    (tmp_path / "in").write_bytes(REQUEST * 10_000)
    with (tmp_path / "in").open("rb") as given, (tmp_path / "out").open("wb") as taken:
        assert await asyncio.wait_for(server.serve(given.fileno(), taken.fileno()), DEADLINE) == 0
    assert (tmp_path / "out").read_bytes() == ANSWER * 10_000


async def test_an_empty_device_is_an_input_that_ends(server):
    device = os.open(os.devnull, os.O_RDWR)
    assert await asyncio.wait_for(server.serve(device, device), DEADLINE) == 0
    os.close(device)


async def test_writing_to_a_full_device_counts_as_a_disconnected_client(server, tmp_path):
    (tmp_path / "in").write_bytes(REQUEST * 10)
    taken = os.open("/dev/full", os.O_WRONLY)
    with (tmp_path / "in").open("rb") as given:
        assert await asyncio.wait_for(server.serve(given.fileno(), taken), DEADLINE) == 0
    os.close(taken)


async def test_the_descriptors_are_left_as_they_were_found(server):
    server_in, client_out = os.pipe()
    client_in, server_out = os.pipe()
    os.close(client_out)
    assert await server.serve(server_in, server_out) == 0
    assert os.get_blocking(server_in)
    assert os.get_blocking(server_out)
    for fd in (server_in, server_out, client_in):
        os.close(fd)


async def test_buffers_are_written_in_order_for_any_partial_writes():
    reading, writing = os.pipe()
    output = Output(writing, lambda: None)
    buffers = [bytes([number % 256]) * (number * 7 % 5000) for number in range(2000)]
    output.write([memoryview(buffer) for buffer in buffers])
    expected = b"".join(buffers)
    assert output.unsent == len(expected)
    await asyncio.sleep(0)
    assert 0 < output.unsent < len(expected)
    found = bytearray()
    async with asyncio.timeout(DEADLINE):
        while len(found) < len(expected):
            found += os.read(reading, 3333)
            await asyncio.sleep(0)
    assert found == expected
    assert output.unsent == 0
    output.close()
    os.close(reading)
    os.close(writing)


@pytest.mark.parametrize("noticed_by", ["the write", "the watch on the pipe"])
async def test_an_output_reports_no_progress_after_it_was_closed(noticed_by):
    """Also when the loss of the reader was noticed right before."""
    reading, writing = os.pipe()
    reports = []
    output = Output(writing, lambda: reports.append(output.is_lost))
    os.close(reading)
    if noticed_by == "the write":
        output.write([b"x"])
        await asyncio.sleep(0)
    else:
        output._lose()
    assert output.is_lost
    output.close()
    for _ in range(3):
        await asyncio.sleep(0)
    assert reports == []
    os.close(writing)


def run(given: bytes, **options) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=given,
        capture_output=True,
        timeout=30,
        check=False,
        **options,
    )


def test_stray_prints_and_children_stay_out_of_the_protocol():
    """A child process does not eat the client's messages either."""
    done = run(REQUEST * 3)
    assert (done.returncode, done.stdout) == (0, ANSWER * 3)
    assert done.stderr.count(b"stray child\n") == 3
    assert done.stderr.count(b"stray print\n") == 3


def test_garbage_ends_the_process_with_1_and_a_line_on_standard_error():
    done = run(b"hello\n")
    assert done.returncode == 1
    assert b'"id":null,"error":{"code":-32700' in done.stdout
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("closed", [[0], [1], [2], [0, 1, 2]])
def test_a_process_started_with_closed_descriptors_ends_as_at_the_end_of_input(closed):
    shell = " ".join(f"{fd}{'<' if fd == 0 else '>'}&-" for fd in closed)
    command = f'exec "$0" -c "$1" {shell}'
    done = subprocess.run(
        ["sh", "-c", command, sys.executable, PROGRAM],
        input=b"",
        capture_output=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 0


async def test_a_process_ends_with_its_client():
    async with spawned([sys.executable, "-c", PROGRAM], "line", stderr=-3) as (client, process):
        await client.request("nothing")
        client.vanish()
        assert await asyncio.wait_for(process.wait(), DEADLINE) == 0
