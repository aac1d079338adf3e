"""Fronts that break the protocol, and a socket that is removed while its daemon runs."""

import asyncio
import fcntl
import logging
import os
import shutil
import socket
from pathlib import Path

import pytest
from support.client import DEADLINE
from support.fronts import Home, is_gone, until

from sessiond.shared import connection as connections
from sessiond.shared import server
from sessiond.shared.connection_logs import StreamLog
from sessiond.shared.front import wire
from sessiond.shared.front.place import Place
from sessiond.shared.server import SharedDaemon


def connected(home: Home, head: bytes) -> socket.socket:
    """Connect to the daemon and send the beginning of a greeting, with three streams."""
    (path,) = home.sockets.glob("*.sock")
    front = socket.socket(socket.AF_UNIX)
    front.settimeout(DEADLINE)
    front.connect(str(path))
    null = os.open(os.devnull, os.O_RDWR)
    socket.send_fds(front, [head], [null] * 3)
    os.close(null)
    return front


async def test_half_a_greeting_leaves_no_file_open(home: Home):
    async with home.front() as keeper:
        descriptors = f"/proc/{keeper.daemon}/fd"
        before = len(os.listdir(descriptors))
        for head in (b"x", b"\0\0\0", b"\0\0\0\x04abcd", b"\xff\xff\xff\xff"):
            connected(home, head).close()
        # It is taken after them.
        connected(home, greeting()).close()
        await until(lambda: len(os.listdir(descriptors)) <= before)
        assert (await keeper.client.request("daemon/status"))["connections"] == 1
    (log,) = home.sockets.glob("*.log")
    assert log.read_text().count("A connection was refused") == 4
    assert "Traceback" not in log.read_text()


async def test_a_front_that_goes_at_once_is_not_taken_for_a_shortage_of_files(home: Home):
    async with home.front():
        (path,) = home.sockets.glob("*.sock")
        with socket.socket(socket.AF_UNIX) as front:
            front.connect(str(path))
        (log,) = home.sockets.glob("*.log")
        await until(lambda: "A connection was refused: it ended" in log.read_text())
        assert "too many files" not in log.read_text()


def test_a_record_that_was_cut_off_leaves_the_next_one_its_own_line():
    output, input_ = os.pipe()
    os.set_blocking(input_, False)
    size = fcntl.fcntl(input_, fcntl.F_SETPIPE_SZ, 8192)
    log = StreamLog(input_)
    try:
        os.write(input_, b"." * (size - 4096))
        for text in ("a" * 6000, "while it is full"):
            log.emit(record(text))
        assert os.read(output, size).endswith(b"." + b"a" * 4096)
        log.emit(record("next"))
        assert os.read(output, size) == b"\nnext\n"
    finally:
        log.close()
        os.close(output)
        os.close(input_)


def record(text: str) -> logging.LogRecord:
    return logging.LogRecord("sessiond", logging.WARNING, "", 0, text, (), None)


async def test_a_greeting_may_arrive_byte_by_byte(home: Home):
    async with home.front():
        with connected(home, greeting()[:1]) as front:
            for at in range(1, len(greeting())):
                front.send(greeting()[at : at + 1])
            answer = await asyncio.to_thread(wire.receive, front)
    assert answer is not None
    assert answer[0] == wire.ANSWER


def greeting() -> bytes:
    body = wire.Greeting("", wire.STATUS, os.getpid(), "/", [], {}).pack()
    return wire.LENGTH.pack(len(body)) + body


async def test_a_front_that_never_agrees_is_left(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(connections, "_ANSWER_SECONDS", 0.01)
    front, taken = socket.socketpair()
    taken.setblocking(False)
    asked = wire.Greeting("", wire.SERVE, 1, "/", [], {})
    made = connections.FrontConnection(taken, asked, [])
    with front, taken:
        async with asyncio.timeout(DEADLINE):
            with pytest.raises(ConnectionResetError, match="does not answer"):
                await connections.end(made, 0, "")


async def test_a_daemon_without_its_socket_lets_another_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(server, "_CHECK_SECONDS", 0.01)
    monkeypatch.setattr(server, "Logs", lambda _path: None)
    monkeypatch.chdir(tmp_path)
    place = Place("", "")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(place.socket)
    listener.listen()
    lock = os.open(place.lock, os.O_RDWR | os.O_CREAT)
    fcntl.flock(lock, fcntl.LOCK_EX)
    running = asyncio.create_task(SharedDaemon(place, listener, lock, NotImplemented, 600).run())
    with socket.socket(socket.AF_UNIX) as front:
        front.connect(place.socket)
        os.unlink(place.socket)
        other = os.open(place.lock, os.O_RDWR)
        async with asyncio.timeout(DEADLINE):
            await asyncio.to_thread(fcntl.flock, other, fcntl.LOCK_EX)
        Path(place.socket).write_text("of the next daemon")
        assert not running.done()
    async with asyncio.timeout(DEADLINE):
        await running
    os.close(other)
    assert Path(place.socket).read_text() == "of the next daemon"


async def test_a_daemon_whose_directory_was_removed_leaves_the_next_one_alone(home: Home):
    async with home.front("--idle-exit", "0") as one:
        shutil.rmtree(home.sockets)
        async with home.front() as two:
            assert two.daemon != one.daemon
            one.client.end_input()
            await until(lambda: is_gone(one.daemon))
            async with home.front() as three:
                assert three.daemon == two.daemon
