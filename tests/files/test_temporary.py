"""Temporary files, and what killed processes left behind."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.app import daemon

from sessiond.files import temporary
from sessiond.runtime.processes import is_alive

DAY = 24 * 60 * 60


def left(directory: Path, *, age: float) -> Path:
    """A temporary file of a process that was killed so many seconds ago."""
    with temporary.temporary(str(directory), 0o600) as (_, path):
        content = Path(path)
    content.write_text("x")
    at = time.time() - age
    os.utime(content, (at, at))
    return content


@pytest.mark.parametrize("age", [2 * DAY, -2 * DAY], ids=["old", "before the clock was set back"])
def test_only_old_files_of_ours_are_removed(age: float, tmp_path: Path):
    for name in ("a.jsonl", ".sessiond-note.tmp", ".sessiond-0123.tmp", "sessions.json.1.uuid.tmp"):
        (tmp_path / name).write_text("x")
        os.utime(tmp_path / name, (1, 1))
    (tmp_path / ".sessiond-ffffffffffffffff.tmp").mkdir()
    link = tmp_path / ".sessiond-eeeeeeeeeeeeeeee.tmp"
    link.symlink_to(tmp_path / "a.jsonl")
    os.utime(link, (1, 1), follow_symlinks=False)
    left(tmp_path, age=60)
    before = {item.name for item in tmp_path.iterdir()}
    left(tmp_path, age=age)
    temporary.sweep(str(tmp_path), below=0)
    assert {item.name for item in tmp_path.iterdir()} == before


@pytest.mark.parametrize("profile", ["pi", "coderclaw"])
async def test_a_start_removes_what_killed_daemons_left_behind(tmp_path: Path, profile: str):
    where = {"pi": ".pi/agent/sessions/--w--", "coderclaw": ".coderclaw/agents/main/sessions"}
    folder = tmp_path / where[profile]
    folder.mkdir(parents=True)
    old, new = left(folder, age=2 * DAY), left(folder, age=60)
    async with daemon(tmp_path, profile=profile, read_only=True) as client:
        await client.request("session/listAll")
    assert old.exists()
    async with daemon(tmp_path, profile=profile) as client:
        await gone(old)
        await client.request("session/listAll")
    assert new.exists()


async def gone(path: Path) -> None:
    import asyncio

    async with asyncio.timeout(20):
        while path.exists():  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0.01)


async def test_the_next_start_removes_marks_of_dead_processes(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    marks = tmp_path / "sessiond"
    marks.mkdir(mode=0o700)
    mark = marks / "99999-01234567.open"
    mark.write_text("\n+fd01:2a\n")
    async with daemon(tmp_path / "home"):
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
