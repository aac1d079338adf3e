"""Stored summaries save reading sessions, and never change a list."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from support.sessions_on_disk import settle, write_session

from sessiond.catalog import scope_reading
from sessiond.catalog.index.database import SearchCache
from sessiond.catalog.listing import Listing
from sessiond.catalog.scope import AgentsScope, SessionScope
from sessiond.catalog.summaries import Summary


@pytest.fixture
def store(tmp_path: Path):
    made = SearchCache(str(tmp_path / "cache" / "sessiond" / "catalog-v6.sqlite3"))
    yield made
    made.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Twelve sessions of two working directories, and a file that is not a session.

    The directory above has other sessions: it can be one of an agent.
    """
    place = tmp_path / "agents" / "main" / "sessions"
    for number in range(6):
        write_session(place.parent / f"above{number}.jsonl", "above")
    for number in range(12):
        cwd = "/home/me/one" if number % 3 else "/home/me/two"
        write_session(
            place / f"{number:02}.jsonl", f"text {number}", session_id=f"id{number}", cwd=cwd
        )
    (place / "other.jsonl").write_text("no session\n")
    settle([*place.iterdir(), *place.parent.glob("*.jsonl")])
    return place


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that were read."""
    found: list[str] = []
    read_all, resume = scope_reading.read_all, scope_reading.resume

    def read_whole(path):
        found.append(path)
        return read_all(path)

    def read_on(known):
        found.append(known.path)
        return resume(known)

    monkeypatch.setattr(scope_reading, "read_all", read_whole)
    monkeypatch.setattr(scope_reading, "resume", read_on)
    return found


def listed(scope: SessionScope, store: SearchCache | None) -> list[Summary]:
    """The list that a new process shows."""
    return list(Listing(scope).read(cache=store).newest_first())


def scopes(folder: Path) -> list[SessionScope]:
    return [
        SessionScope(str(folder)),
        SessionScope(str(folder), cwd="/home/me/one"),
        SessionScope(str(folder.parent), below=True),
        SessionScope(str(folder.parent.parent), below=True),
        AgentsScope(str(folder.parent.parent)),
        SessionScope(str(folder.parent), below=True, cwd="/home/me/two"),
        SessionScope(str(folder), roots=(str(folder),)),
        SessionScope(str(folder), roots=("/nowhere",)),
    ]


def change(folder: Path, chosen: random.Random) -> None:
    """Change something in the directory, as another program would."""
    files = sorted(folder.glob("*.jsonl"))
    file = chosen.choice(files)
    match chosen.randrange(8):
        case 0:
            with file.open("a") as grown:
                grown.write('{"type":"session_info","name":"grown"}\n')
        case 1:
            write_session(file, "another", session_id="another", cwd="/home/me/one")
        case 2 if len(files) > 6:
            file.unlink()
        case 3:
            file.rename(folder / f"moved{chosen.random()}.jsonl")
        case 4:
            write_session(folder / f"new{chosen.random()}.jsonl", "new", cwd="/home/me/two")
        case 5:
            other = chosen.choice(files)
            os.replace(file, folder / "spare")
            if other.exists():
                os.replace(other, file)
            os.replace(folder / "spare", other)
        case 6:
            (folder / f"link{chosen.random()}.jsonl").symlink_to(file)
        case _:
            # The same length and time of modification.
            seen = file.stat()
            file.write_bytes(file.read_bytes().replace(b"text", b"TEXT"))
            os.utime(file, ns=(seen.st_atime_ns, seen.st_mtime_ns))


def test_a_new_process_reads_no_file_that_the_database_has(folder, store, asked):
    for scope in scopes(folder)[:6]:
        before = listed(scope, store)
        asked.clear()
        assert listed(scope, store) == before
        # Only what is not a session has no summary.
        assert set(asked) <= {f"{folder}/other.jsonl"}


@pytest.mark.parametrize("seed", range(4))
def test_lists_are_those_of_a_fresh_reading_after_any_change(folder, store, seed):
    chosen = random.Random(seed)
    for _ in range(12):
        for _ in range(chosen.randrange(4)):
            change(folder, chosen)
        if chosen.random() < 0.5:
            settle([file for file in folder.iterdir() if file.exists()])
        for scope in scopes(folder):
            assert listed(scope, store) == listed(scope, None)


def test_a_session_that_cannot_be_stored_is_read_again(folder, store, asked):
    scope = SessionScope(str(folder))
    name = os.fsdecode(b"\xff.jsonl")
    write_session(folder / name, "text", session_id="bytes")
    half = folder / "half.jsonl"
    write_session(half, "text")
    half.write_text(half.read_text() + '{"type":"session_info","name":"half \\ud83d"}\n')
    settle([half, folder / name])
    before = listed(scope, store)
    assert "half \ud83d" in {item.name for item in before}
    asked.clear()
    assert listed(scope, store) == before
    assert set(asked) == {str(half), f"{folder}/{name}", f"{folder}/other.jsonl"}
