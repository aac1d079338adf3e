"""Lock files of gateways: respected, replaced when abandoned, released."""

import asyncio
import contextlib
import errno
import json
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from support.app import daemon, user
from support.client import RpcError
from support.session_lines import header, line

from sessiond.files import lock_file
from sessiond.runtime.errors import Busy, WriteFailed


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / ".coderclaw/agents/main/sessions/abc.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(header() + line("a"))
    return path


def lock_of(file: Path) -> Path:
    return file.with_name(file.name + ".lock")


def write_lock(file: Path, content: object, age: float = 0) -> None:
    text = content if isinstance(content, str) else json.dumps(content)
    lock_of(file).write_text(text)
    then = time.time() - age
    os.utime(lock_of(file), (then, then))


def now(offset: float = 0) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() + offset))


@pytest.fixture
def other():
    """A living process that is not ours."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        yield process.pid
        assert process.stdin is not None
        process.stdin.close()


@pytest.mark.parametrize(
    ("path", "gateway"),
    [
        ("/h/.coderclaw/agents/main/sessions/x.jsonl", True),
        ("/h/.openclaw/0123abcd/agents/ops/sessions/x-topic-1.jsonl", True),
        ("/h/.pi/agent/sessions/--w--/x.jsonl", False),
        ("/agents/sessions/x.jsonl", False),
        ("/x.jsonl", False),
    ],
)
def test_transcripts_are_recognised_by_their_directory(path: str, gateway: bool):
    assert lock_file.is_transcript(path) is gateway


async def test_the_lock_file_equals_that_of_coderclaw_and_is_removed_afterwards(file: Path):
    async with lock_file.lock_file(str(file), 1):
        content = lock_of(file).read_text()
        expected = r'\{\n  "pid": (\d+),\n  "createdAt": "[-\dT:]{19}\.\d{3}Z"\n\}'
        found = re.fullmatch(expected, content)
        assert found
        assert int(found[1]) == os.getpid()
        assert lock_of(file).stat().st_mode & 0o777 == 0o644 & ~_umask()
    assert not lock_of(file).exists()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@pytest.mark.parametrize(
    ("content", "age"),
    [
        ("not JSON", 0),
        ("[]", 0),
        ({"createdAt": now()}, 0),
        ({"pid": "7", "createdAt": now()}, 0),
        ({"pid": 2**22 + 7, "createdAt": now()}, 0),
        ({"pid": 2**70, "createdAt": now()}, 0),
        ({"pid": 1, "createdAt": "soon"}, 0),
        ({"pid": 1}, 0),
        ({"pid": 1, "createdAt": now(-31 * 60)}, 0),
        ("", 6),
    ],
)
async def test_an_abandoned_lock_is_replaced_at_once(file: Path, content: object, age: float):
    write_lock(file, content, age)
    async with lock_file.lock_file(str(file), 0):
        assert json.loads(lock_of(file).read_text())["pid"] == os.getpid()


async def test_a_lock_of_a_living_process_is_waited_for_and_then_busy(file: Path, other: int):
    write_lock(file, {"pid": other, "createdAt": now()})
    with pytest.raises(Busy) as raised:
        async with lock_file.lock_file(str(file), 0.02):
            pass
    assert raised.value.data["owner"] == f"process {other}"
    assert json.loads(lock_of(file).read_text())["pid"] == other


async def test_an_empty_lock_is_given_time(file: Path):
    write_lock(file, "", 1)
    with pytest.raises(Busy):
        async with lock_file.lock_file(str(file), 0.02):
            pass
    assert lock_of(file).read_text() == ""


async def test_a_process_that_may_not_be_signalled_is_alive(file: Path, monkeypatch):
    def refuse(_pid: int, _signal: int) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "kill", refuse)
    write_lock(file, {"pid": 1, "createdAt": now()})
    with pytest.raises(Busy):
        async with lock_file.lock_file(str(file), 0):
            pass


@pytest.fixture(params=["links", "no links"])
def created(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """How lock files come to be: some file systems have no hard links."""

    def refuse(*_paths: str, **_options: object) -> None:
        raise OSError(errno.EPERM, "no links here")

    if request.param == "no links":
        monkeypatch.setattr(os, "link", refuse)


@pytest.mark.usefixtures("created")
async def test_a_lock_is_taken_and_given_back_on_every_file_system(file: Path):
    for _ in range(2):
        async with lock_file.lock_file(str(file), 0) as held:
            assert (held.exists, held.still()) == (True, True)
            assert json.loads(lock_of(file).read_text())["pid"] == os.getpid()
            assert lock_of(file).stat().st_mode & 0o777 == 0o644 & ~_umask()
            with pytest.raises(Busy):
                async with lock_file.lock_file(str(file), 0):
                    pass
        assert os.listdir(file.parent) == [file.name]


@pytest.mark.usefixtures("created")
async def test_no_lock_is_taken_on_a_full_disk(file: Path, monkeypatch: pytest.MonkeyPatch):
    written = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: written(descriptor, data[:9]))
    with pytest.raises(WriteFailed) as raised:
        async with lock_file.lock_file(str(file), 0):
            pass
    assert raised.value.data["errno"] == errno.ENOSPC
    assert os.listdir(file.parent) == [file.name]


async def test_our_lock_file_is_never_seen_empty(file: Path):
    # Gateways take those away.
    seen: set[bytes] = set()
    stop = threading.Event()

    def look() -> None:
        while not stop.is_set():
            with contextlib.suppress(FileNotFoundError):
                seen.add(lock_of(file).read_bytes()[:1])

    looking = threading.Thread(target=look)
    looking.start()
    for _ in range(2000):
        async with lock_file.lock_file(str(file), 0):
            pass
    stop.set()
    looking.join()
    assert seen <= {b"{"}


def test_only_one_of_many_processes_acquires_a_lock(file: Path):
    program = """
import asyncio, os, sys
from sessiond.files.lock_file import lock_file

async def main(file, counter):
    for _ in range(100):
        async with lock_file(file, 30):
            with open(counter) as found:
                number = int(found.read())
            with open(counter, "w") as found:
                found.write(str(number + 1))

asyncio.run(main(*sys.argv[1:]))
"""
    counter = file.with_name("counter")
    counter.write_text("0")
    command = [sys.executable, "-c", program, str(file), str(counter)]
    processes = [subprocess.Popen(command) for _ in range(3)]
    assert [process.wait(30) for process in processes] == [0, 0, 0]
    assert counter.read_text() == "300"
    assert sorted(os.listdir(file.parent)) == [file.name, "counter"]


@pytest.mark.parametrize("kind", ["directory", "fifo", "dangling link"])
async def test_a_path_that_is_not_a_lock_file_is_awaited_and_kept(file: Path, kind: str):
    lock = lock_of(file)
    match kind:
        case "directory":
            lock.mkdir()
        case "fifo":
            os.mkfifo(lock)
        case _:
            lock.symlink_to("nowhere")
    with pytest.raises(Busy):
        async with lock_file.lock_file(str(file), 0.01):
            pass
    assert os.path.lexists(lock)
    assert not lock.is_file()


async def test_an_old_dangling_lock_link_is_removed(file: Path):
    lock = lock_of(file)
    lock.symlink_to("nowhere")
    then = time.time() - 31 * 60
    os.utime(lock, (then, then), follow_symlinks=False)
    async with lock_file.lock_file(str(file), 0):
        assert json.loads(lock.read_text())["pid"] == os.getpid()
    assert not os.path.lexists(lock)


async def test_an_empty_lock_from_the_future_is_not_waited_for(file: Path):
    write_lock(file, "", -3600)
    async with lock_file.lock_file(str(file), 0):
        assert json.loads(lock_of(file).read_text())["pid"] == os.getpid()


async def test_a_lock_that_was_replaced_is_not_removed(file: Path, other: int):
    async with lock_file.lock_file(str(file), 1):
        lock_of(file).unlink()
        write_lock(file, {"pid": other, "createdAt": now()})
    assert json.loads(lock_of(file).read_text())["pid"] == other


async def test_a_waiter_continues_when_the_lock_is_released(file: Path, other: int):
    write_lock(file, {"pid": other, "createdAt": now()})

    async def append() -> None:
        async with lock_file.lock_file(str(file), 10):
            pass

    waiting = asyncio.create_task(append())
    await asyncio.sleep(0)
    assert not waiting.done()
    lock_of(file).unlink()
    await asyncio.wait_for(waiting, 30)


async def test_appends_to_a_transcript_wait_for_the_gateway(file: Path, tmp_path: Path, other: int):
    async with daemon(tmp_path, profile="coderclaw", lock_timeout=0.05) as client:
        state = await client.request("session/open", {"path": str(file)})
        params = {"session": state["session"], "message": user("x")}
        write_lock(file, {"pid": other, "createdAt": now()})
        with pytest.raises(RpcError) as raised:
            await client.request("session/appendMessage", params)
        assert (raised.value.kind, raised.value.data["owner"]) == ("Busy", f"process {other}")
        assert len(file.read_text().splitlines()) == 2
        lock_of(file).unlink()
        assert (await client.request("session/appendMessage", params))["written"]
    assert not lock_of(file).exists()
    assert len(file.read_text().splitlines()) == 3


async def test_a_transcript_that_is_not_written_yet_is_locked_for_its_first_write(tmp_path: Path):
    async with daemon(tmp_path, profile="openclaw") as client:
        state = await client.request("session/create", {"cwd": "/w", "id": "new"})
        params = {"session": state["session"], "message": user("x")}
        assert (await client.request("session/appendMessage", params))["written"]
        assert (await client.request("session/appendMessage", params))["written"]
    folder = Path(state["sessionFile"]).parent
    assert [path.name for path in folder.iterdir()] == ["new.jsonl"]


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC])
async def test_a_lock_is_held_although_its_temporary_file_cannot_be_removed(
    file: Path, monkeypatch: pytest.MonkeyPatch, number: int
):
    unlink = os.unlink

    def refuse(path: str, **options: int) -> None:
        if ".sessiond-" in path:
            raise OSError(number, os.strerror(number))
        unlink(path, **options)

    monkeypatch.setattr(os, "unlink", refuse)
    async with lock_file.lock_file(str(file), 0):
        assert lock_of(file).exists()
    assert not lock_of(file).exists()


async def test_a_lock_that_was_not_acquired_leaves_no_file(file: Path, monkeypatch):
    def refuse(_: int) -> int:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(os, "dup", refuse)
    with pytest.raises(WriteFailed):
        async with lock_file.lock_file(str(file), 0):
            pass
    assert not lock_of(file).exists()
