"""Other processes save time when much must be read, and change no answer."""

from __future__ import annotations

import os
import subprocess
import threading
from contextlib import closing
from pathlib import Path

import pytest
from support import claude_lines, codex_lines
from support.sessions_on_disk import settle, write_session

from sessiond.catalog import reading_processes, scope_reading
from sessiond.catalog.index.database import SearchCache
from sessiond.catalog.listing import Listing
from sessiond.catalog.reading_processes import ReadingProcesses, processes_for, read_all
from sessiond.catalog.scope import SessionScope, SeveralScopes
from sessiond.catalog.usage.readings import UsageReadings
from sessiond.files import disk
from sessiond.runtime.isolation import Abandoned, Faults, abandoned


@pytest.fixture
def scope(tmp_path: Path) -> SeveralScopes:
    """Sessions of three agents, with damaged files and a name that is not UTF-8."""
    folder = tmp_path / "s"
    for number in range(20):
        write_session(folder / f"{number}.jsonl", f"text {number}", session_id=f"id{number}")
    write_session(folder / os.fsdecode(b"\xff.jsonl"), "a name of bytes", session_id="bytes")
    write_session(folder / "surrogate.jsonl", "half \ud83d", session_id="half")
    (folder / "none.jsonl").write_text("no session\n")
    (folder / "empty.jsonl").write_text("")
    os.mkfifo(folder / "fifo.jsonl")
    claude = claude_lines.lay(tmp_path, claude_lines.user(1, None, "to Claude"))
    codex = codex_lines.lay(tmp_path, codex_lines.Rollout().meta().prompt("to Codex").text)
    settle([*filter(Path.is_file, folder.iterdir()), Path(claude), Path(codex)])
    places = (str(folder), str(Path(claude).parent), str(Path(codex).parent))
    return SeveralScopes(several=tuple(map(SessionScope, places)))


def listed(scope: SeveralScopes, cache: Path) -> tuple[list, set, list]:
    """The list that a new process shows, what it cannot read, and the rows that it keeps."""
    with closing(SearchCache(str(cache / "c.sqlite3"))) as store:
        listing = Listing(scope).read(cache=store)
        usages = UsageReadings(store)._read(listing.newest_first(), {}, Faults())
        with store.connection() as connection:
            rows = sorted(connection.execute("SELECT * FROM summaries"))
            rows += sorted(connection.execute("SELECT * FROM usage"))
        faults = {(fault.path, fault.message) for fault in listing.faults}
        return [*listing.newest_first(), *usages], faults, rows


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_any_number_of_processes_gives_the_same_list_and_cache(
    tmp_path: Path, scope: SeveralScopes, processes: int, monkeypatch: pytest.MonkeyPatch
):
    expected = listed(scope, tmp_path / "alone")
    read_here: list[str] = []

    def read(path: str):
        read_here.append(Path(path).name)
        return read_all(path)

    monkeypatch.setattr(scope_reading, "processes_for", lambda _: processes)
    monkeypatch.setattr(scope_reading, "read_all", read)
    # They get all files at once, before this process reads the first one.
    monkeypatch.setattr(reading_processes, "_AHEAD", 30 // processes + 1)
    assert listed(scope, tmp_path / "together") == expected
    # What cannot be sent or read is read again where the list is made.
    assert set(read_here) == {os.fsdecode(b"\xff.jsonl"), "surrogate.jsonl", "fifo.jsonl"}


def test_processes_that_end_change_nothing(
    tmp_path: Path, scope: SeveralScopes, monkeypatch: pytest.MonkeyPatch
):
    expected = listed(scope, tmp_path / "alone")
    monkeypatch.setattr(scope_reading, "processes_for", lambda _: 2)
    taken = ReadingProcesses.take

    def take(self: ReadingProcesses, path: str):
        if path.endswith("7.jsonl"):
            for process in self._processes:
                process._process.kill()
        return taken(self, path)

    monkeypatch.setattr(ReadingProcesses, "take", take)
    assert listed(scope, tmp_path / "together") == expected
    monkeypatch.setattr(subprocess, "Popen", refuse)
    assert listed(scope, tmp_path / "without") == expected


def refuse(*_: object, **__: object) -> None:
    raise BlockingIOError("no more processes")


def test_they_end_with_the_list_and_when_nobody_waits_for_it(tmp_path: Path):
    paths = [str(write_session(tmp_path / f"{n}.jsonl", "text")) for n in range(4)]
    with ReadingProcesses(paths, 2) as ahead:
        reading = ahead.take(paths[0])
        assert reading is not None
        assert reading == read_all(paths[0])
        running = [process._process for process in ahead._processes]
        assert len(running) == 2
    assert all(process.returncode is not None for process in running)

    event = threading.Event()
    event.set()
    token = abandoned.set(event)
    try:
        with ReadingProcesses(paths, 1) as ahead:
            running = [process._process for process in ahead._processes]
            with pytest.raises(Abandoned):
                ahead.take(paths[0])
    finally:
        abandoned.reset(token)
    assert all(process.returncode is not None for process in running)


def test_they_keep_to_the_roots(tmp_path: Path):
    inside = write_session(tmp_path / "in" / "a.jsonl", "text")
    outside = write_session(tmp_path / "out" / "b.jsonl", "text")
    (tmp_path / "in" / "link.jsonl").symlink_to(outside)
    paths = [str(inside), str(tmp_path / "in" / "link.jsonl"), str(outside)]
    with disk.confined([str(tmp_path / "in")]), ReadingProcesses(paths, 1) as ahead:
        readings = [ahead.take(path) for path in paths]
    assert readings[0] is not None
    assert readings[1:] == [None, None]


def test_none_are_started_for_little(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(reading_processes.os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
    assert processes_for(50_000_000) == 0
    assert processes_for(50_000_001) == 1
    monkeypatch.setattr(reading_processes.os, "sched_getaffinity", lambda _: {0}, raising=False)
    assert processes_for(10**12) == 0
