"""Temporary files: a living process keeps its own, and those of dead ones are removed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.app import daemon
from support.sessions_on_disk import write_session

from sessiond.files import journal, temporary
from sessiond.processes import is_alive

HOLDER = """
import sys, time
from sessiond.files.temporary import temporary
with temporary(sys.argv[1], 0o600) as (_, path):
    print(path, flush=True)
    time.sleep(600)
"""


@contextmanager
def another(directory: Path) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """A process in the middle of writing a file."""
    command = [sys.executable, "-c", HOLDER, str(directory)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process, Path(process.stdout.readline().strip())
        finally:
            process.kill()


def test_only_files_of_a_killed_process_are_removed(tmp_path: Path):
    kept = {
        "a.jsonl", ".sessiond-note.tmp", ".sessiond-l0123.tmp", "sessions.json.1.uuid.tmp",
        ".sessiond-0123456789abcdef.tmp",
    }  # fmt: skip
    for name in kept:
        (tmp_path / name).write_text("x")
    (tmp_path / ".sessiond-lffffffffffffffff.tmp").mkdir()
    (tmp_path / ".sessiond-leeeeeeeeeeeeeeee.tmp").symlink_to(tmp_path / "a.jsonl")
    old = tmp_path / ".sessiond-aaaaaaaaaaaaaaaa.tmp"
    old.write_text("x")
    os.utime(old, (1, 1))
    before = {item.name for item in tmp_path.iterdir()}
    with another(tmp_path) as (living, path):
        temporary.sweep(str(tmp_path))
        assert {item.name for item in tmp_path.iterdir()} == before - {old.name} | {path.name}
        # Stopped is not dead.
        living.send_signal(signal.SIGSTOP)
        temporary.sweep(str(tmp_path))
        assert path.exists()
        living.kill()
        # Its exit code was not read yet.
        os.waitid(os.P_PID, living.pid, os.WEXITED | os.WNOWAIT)
        temporary.sweep(str(tmp_path))
        assert not path.exists()
    assert {item.name for item in tmp_path.iterdir()} == before - {old.name}


def test_the_file_of_this_process_is_kept(tmp_path: Path):
    with temporary.temporary(str(tmp_path), 0o600) as (_, path):
        temporary.sweep(str(tmp_path))
        assert Path(path).exists()
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_taken_for_one_left_behind_is_made_again(tmp_path: Path, monkeypatch):
    made = []
    plain = os.open

    def swept_at_once(path, *args, **kwargs):
        descriptor = plain(path, *args, **kwargs)
        if str(path).endswith(".tmp") and not made:
            made.append(path)
            temporary.sweep(str(tmp_path))
        return descriptor

    monkeypatch.setattr("sessiond.files.temporary.os.open", swept_at_once)
    path = tmp_path / "a.jsonl"
    journal.create(str(path), [b"whole\n"])
    assert path.read_bytes() == b"whole\n"
    assert [item.name for item in tmp_path.iterdir()] == ["a.jsonl"]


@pytest.mark.parametrize("profile", ["pi", "coderclaw"])
async def test_the_next_start_removes_temporary_files_of_killed_daemons(
    tmp_path: Path, profile: str
):
    where = {"pi": ".pi/agent/sessions/--w--", "coderclaw": ".coderclaw/agents/main/sessions"}
    folder = tmp_path / where[profile]
    folder.mkdir(parents=True)
    with another(folder) as (process, path), another(folder) as (_, living):
        process.kill()
        process.wait()
        async with daemon(tmp_path, profile=profile, read_only=True) as client:
            await client.request("session/listAll")
        assert path.exists()
        async with daemon(tmp_path, profile=profile) as client:
            await gone(path)
            await client.request("session/listAll")
        assert living.exists()


async def gone(path: Path) -> None:
    import asyncio  # noqa: PLC0415

    async with asyncio.timeout(20):
        while path.exists():  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0.01)


async def test_a_session_opened_elsewhere_has_its_directory_swept(tmp_path: Path):
    file = write_session(tmp_path / "own" / "a.jsonl", "text")
    with another(file.parent) as (process, path):
        process.kill()
        process.wait()
        async with daemon(tmp_path) as client:
            await client.request("session/open", {"path": str(file), "readOnly": True})
            assert path.exists()
            await client.request("session/open", {"path": str(file)})
            await gone(path)


async def test_the_next_start_removes_marks_of_dead_processes(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    marks = tmp_path / "sessiond"
    marks.mkdir(mode=0o700)
    (marks / "99999-01234567").mkdir(mode=0o700)
    dead = [marks / "99999-01234567.lock", marks / "99999-01234567" / "fd01-2a"]
    for mark in dead:
        mark.touch(mode=0o600)
    async with daemon(tmp_path / "home"):
        for mark in dead:
            await gone(mark)


def test_a_process_that_ended_is_not_alive_before_its_parent_asks():
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        assert is_alive(process.pid)
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        os.kill(process.pid, 0)
        assert not is_alive(process.pid)
    assert not is_alive(process.pid)


def test_a_process_whose_first_thread_ended_is_alive():
    script = (
        "import ctypes, threading, time\n"
        "threading.Thread(target=lambda: (print('runs', flush=True), time.sleep(600))).start()\n"
        "ctypes.CDLL(None).pthread_exit(None)\n"
    )
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            assert is_alive(process.pid)
        finally:
            process.kill()


def test_a_temporary_file_is_closed_although_its_directory_was_replaced(tmp_path: Path):
    directory = tmp_path / "s"
    directory.mkdir()
    with temporary.temporary(str(directory), 0o600) as (descriptor, _):
        shutil.rmtree(directory)
        directory.write_text("")
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(descriptor)
