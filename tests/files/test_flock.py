"""Locks on session files: exclusive, never blocking, never on a file that is gone."""

import asyncio
import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sessiond.files import flock
from sessiond.runtime.errors import Busy, ReadFailed

HOLDER = """
import fcntl, os, sys
fd = os.open(sys.argv[1], os.O_RDWR)
fcntl.flock(fd, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("x\n")
    return str(path)


@pytest.fixture
def holder(path):
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"held\n"
        yield process


def hold(path):
    descriptor = os.open(path, os.O_RDWR)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    return descriptor


async def test_a_free_lock_is_had_without_suspending(path):
    acquiring = flock.lock(path, 1)
    with pytest.raises(StopIteration) as stopped:
        acquiring.send(None)
    descriptor, seen = stopped.value.value
    assert seen.st_ino == os.stat(path).st_ino
    with pytest.raises(Busy):
        await flock.lock(path, 0)
    os.close(descriptor)
    os.close((await flock.lock(path, 0))[0])


async def test_a_lock_of_another_process_is_busy_after_the_timeout_and_names_the_process(
    path, holder
):
    with pytest.raises(Busy) as caught:
        await flock.lock(path, 0.02)
    table = Path("/proc/locks")
    known = table.exists() and str(holder.pid) in table.read_text().split()
    assert caught.value.data["owner"] == (f"process {holder.pid}" if known else "another process")
    assert caught.value.retryable


def test_the_owner_is_found_in_the_kernels_table(path, tmp_path, monkeypatch):
    seen = os.stat(path)
    place = f"{os.major(seen.st_dev):02x}:{os.minor(seen.st_dev):02x}:{seen.st_ino}"
    table = tmp_path / "locks"
    table.write_text(
        f"1: POSIX  ADVISORY  WRITE 11 {place} 0 EOF\n"
        "2: FLOCK  ADVISORY  WRITE 22 00:01:1 0 EOF\n"
        f"3: FLOCK  ADVISORY  WRITE 33 {place} 0 EOF\n"
        f"3: -> FLOCK  ADVISORY  WRITE 44 {place} 0 EOF\n"
    )
    monkeypatch.setattr(flock, "_LOCKS", str(table))
    assert flock.owner(path) == "process 33"
    table.write_text("")
    assert flock.owner(path) == "another process"


async def test_a_waiter_gets_the_released_lock_and_the_loop_runs_meanwhile(path):
    held = hold(path)
    waiting = asyncio.ensure_future(flock.lock(path, 10))
    for _ in range(100):
        await asyncio.sleep(0)
    assert not waiting.done()
    os.close(held)
    os.close((await waiting)[0])


async def test_a_lock_on_a_replaced_file_is_released_for_the_new_file(path, tmp_path):
    held = hold(path)
    waiting = asyncio.ensure_future(flock.lock(path, 10))
    await asyncio.sleep(0)
    other = tmp_path / "other"
    other.write_text("new\n")
    os.replace(other, path)
    os.close(held)
    descriptor, _ = await waiting
    assert os.fstat(descriptor).st_ino == os.stat(path).st_ino
    os.write(descriptor, b"line\n")
    os.close(descriptor)
    assert Path(path).read_bytes() == b"new\nline\n"


async def test_a_file_renamed_over_between_opening_and_locking_is_noticed(
    path, tmp_path, monkeypatch
):
    other = tmp_path / "other"
    other.write_text("new\n")
    really = fcntl.flock

    def rename_then_lock(descriptor, how):
        if other.exists():
            os.replace(other, path)
        really(descriptor, how)

    monkeypatch.setattr(flock.fcntl, "flock", rename_then_lock)
    descriptor, _ = await flock.lock(path, 0)
    assert os.fstat(descriptor).st_ino == os.stat(path).st_ino
    os.close(descriptor)


async def test_a_file_deleted_while_waiting_is_missing(path):
    held = hold(path)
    waiting = asyncio.ensure_future(flock.lock(path, 10))
    await asyncio.sleep(0)
    os.unlink(path)
    os.close(held)
    with pytest.raises(FileNotFoundError):
        await waiting


async def test_a_fifo_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(ReadFailed):
        await flock.lock(str(tmp_path / "fifo"), 10)


async def test_giving_up_leaves_no_descriptor_open(path):
    held = hold(path)
    before = len(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else 0
    with pytest.raises(Busy):
        await flock.lock(path, 0)
    after = len(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else 0
    os.close(held)
    assert before == after
