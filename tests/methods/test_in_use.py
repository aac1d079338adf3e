"""Other processes that have a session open for writing."""

import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from support.app import daemon
from support.client import Client, spawned
from support.process import isolated_environment
from support.session_lines import append, header, line

from sessiond.files.presence import Presence

SESSIOND = [sys.executable, "-m", "sessiond"]


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "s" / "s.jsonl"
    path.parent.mkdir()
    path.write_text(header() + line("a"))
    return str(path)


@asynccontextmanager
async def started(tmp_path: Path, *options: str) -> AsyncIterator[tuple[Client, Any]]:
    env = isolated_environment(tmp_path, XDG_RUNTIME_DIR=str(tmp_path))
    async with spawned([*SESSIOND, *options], env=env) as (client, process):
        yield client, process


async def seen_by(client: Client, file: str) -> list[dict[str, list[int]] | None]:
    """The answers in the three places that report it."""
    folder = str(Path(file).parent)
    state = await client.request("session/open", {"path": file, "readOnly": True})
    listed = await client.request("session/listAll", {"sessionDir": folder})
    followed = await client.request("catalog/subscribe", {"sessionDir": folder})
    await client.request("catalog/unsubscribe", {"subscription": followed["subscription"]})
    await client.request("session/close", {"session": state["session"]})
    shown = [state, listed["sessions"][0], followed["sessions"][0]]
    return [each.get("inUse") for each in shown]


async def test_a_session_open_for_writing_is_shown_to_other_processes(tmp_path: Path, file: str):
    async with started(tmp_path) as (one, first), started(tmp_path) as (two, second):
        assert await seen_by(two, file) == [None] * 3
        opened = await one.request("session/open", {"path": file})
        assert "inUse" not in opened
        assert await seen_by(two, file) == [{"pids": [first.pid]}] * 3
        mine = await two.request("session/open", {"path": file})
        assert mine["inUse"] == {"pids": [first.pid]}
        told = await one.request("session/getState", {"session": opened["session"]})
        assert told["inUse"] == {"pids": [second.pid]}
        await one.request("session/close", {"session": opened["session"]})
        assert await seen_by(two, file) == [None] * 3


async def test_the_last_write_of_another_program_is_told_from_own_ones(tmp_path: Path, file: str):
    def changed() -> str:
        ms = Path(file).stat().st_mtime_ns // 1_000_000
        return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds")[:23] + "Z"

    async def active(client: Client) -> str | None:
        listed = await client.request("session/listAll", {"sessionDir": str(Path(file).parent)})
        return next(each for each in listed["sessions"] if each["path"] == file).get("activeSince")

    os.utime(file, (1_750_000_000, 1_750_000_000.25))
    foreign = changed()
    message = {"role": "user", "content": "hello"}
    async with daemon(tmp_path) as client:
        assert await active(client) == foreign == "2025-06-15T15:06:40.250Z"
        opened = await client.request("session/open", {"path": file})
        own = {"session": opened["session"], "message": message}
        for _ in range(2):
            await client.request("session/appendMessage", own)
            assert await active(client) == foreign
        append(Path(file), line("b", "a"))
        os.utime(file, (1_760_000_000, 1_760_000_000.5))
        foreign = changed()
        assert await active(client) == foreign == "2025-10-09T08:53:20.500Z"
        await client.request("session/appendMessage", own)
        assert await active(client) == foreign
        folder = str(Path(file).parent)
        made = await client.request("session/create", {"cwd": "/w", "sessionDir": folder})
        await client.request("session/appendMessage", {**own, "session": made["session"]})
        listed = await client.request("session/listAll", {"sessionDir": folder})
        (info,) = [each for each in listed["sessions"] if each["path"] == made["sessionFile"]]
        assert "activeSince" not in info


@pytest.mark.parametrize("method", ["catalog/search", "catalog/subscribe", "session/listAll"])
async def test_marks_are_read_once_for_all_sessions_of_an_answer(
    tmp_path: Path, file: str, monkeypatch: pytest.MonkeyPatch, method: str
):
    for number in range(20):
        Path(file).with_name(f"{number}.jsonl").write_text(Path(file).read_text())
    read, looked = Presence.snapshot, []
    monkeypatch.setattr(Presence, "snapshot", lambda marks: looked.append(1) or read(marks))
    monkeypatch.setattr(Presence, "others", None)
    params = {"sessionDir": str(Path(file).parent)}
    if method == "catalog/search":
        params["query"] = ""
    async with daemon(tmp_path) as client:
        await client.request("daemon/status")
        # The start of a daemon reads them, too.
        looked.clear()
        answer = await client.request(method, params)
    assert len(answer["hits" if "query" in params else "sessions"]) == 21
    assert len(looked) == 1


async def test_reading_does_not_mark_a_session_as_in_use(tmp_path: Path, file: str):
    async with started(tmp_path) as (one, _), started(tmp_path) as (two, _):
        await one.request("session/open", {"path": file, "readOnly": True})
        assert await seen_by(two, file) == [None] * 3


async def test_a_session_is_shown_from_its_first_write_on(tmp_path: Path):
    async with started(tmp_path) as (one, first), started(tmp_path) as (two, _):
        params = {"cwd": "/w", "sessionDir": str(tmp_path / "new")}
        state = await one.request("session/create", params)
        message = {"role": "user", "content": "x"}
        await one.request(
            "session/appendMessage", {"session": state["session"], "message": message}
        )
        assert await seen_by(two, state["sessionFile"]) == [{"pids": [first.pid]}] * 3


async def test_a_file_put_in_its_place_is_in_use_as_well(tmp_path: Path, file: str):
    async with started(tmp_path) as (one, first), started(tmp_path) as (two, _):
        opened = await one.request("session/open", {"path": file})
        other = Path(file).with_suffix(".tmp")
        other.write_text(header() + line("b"))
        other.rename(file)
        await one.request("session/getState", {"session": opened["session"]})
        assert await seen_by(two, file) == [{"pids": [first.pid]}] * 3


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
async def test_a_process_that_ends_holds_nothing(tmp_path: Path, file: str, how: signal.Signals):
    async with started(tmp_path) as (two, _):
        async with started(tmp_path) as (one, first):
            await one.request("session/open", {"path": file})
            assert await seen_by(two, file) == [{"pids": [first.pid]}] * 3
            os.kill(first.pid, how)
            await first.wait()
        assert await seen_by(two, file) == [None] * 3
