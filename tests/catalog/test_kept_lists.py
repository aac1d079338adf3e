"""A kept list of a directory saves reading its sessions, and never changes an answer."""

from __future__ import annotations

import os
import random
import threading
from pathlib import Path

import pytest
from support.sessions_on_disk import settle, write_session

from sessiond.catalog.index.database import Store
from sessiond.catalog.index.indexer import sweep
from sessiond.catalog.kept import kept_lists, scope_reading
from sessiond.catalog.kept.kept_lists import KeptLists
from sessiond.catalog.scope import AgentsScope, Listing, SessionScope
from sessiond.catalog.summaries import Summary

FEW = 4


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a list of five sessions be kept."""
    monkeypatch.setattr(kept_lists, "FEW", FEW)
    monkeypatch.setattr(scope_reading, "FEW", FEW)


@pytest.fixture
def store(tmp_path: Path):
    made = Store(str(tmp_path / "cache" / "sessiond" / "catalog-v5.sqlite3"))
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
    """The files that were read, or looked up in the database."""
    found: list[str] = []
    summarise, resume = scope_reading.summarise, scope_reading.resume

    def read_whole(path, **options):
        found.append(path)
        return summarise(path, **options)

    def read_on(known):
        found.append(known.path)
        return resume(known)

    monkeypatch.setattr(scope_reading, "summarise", read_whole)
    monkeypatch.setattr(scope_reading, "resume", read_on)
    find = scope_reading.SummaryCache.find

    def looked_up(self, path, state):
        found.append(path)
        return find(self, path, state)

    monkeypatch.setattr(scope_reading.SummaryCache, "find", looked_up)
    return found


def kept_file(store: Store) -> Path:
    (found,) = (Path(store.path).parent / "lists").iterdir()
    return found


def listed(scope: SessionScope, store: Store | None) -> list[Summary]:
    """The list that a new process shows."""
    return list(Listing(scope).read(store=store).newest_first())


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


def test_a_new_process_examines_no_file_that_the_list_has(folder, store, asked):
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


def test_a_change_a_moment_ago_is_not_kept(folder, store):
    scope = SessionScope(str(folder))
    file = folder / "03.jsonl"
    # In the future: it may change again and keep its times.
    os.utime(file, (4_000_000_000, 4_000_000_000))
    listed(scope, store)
    kept = KeptLists.beside(store.path).load(scope.key)
    assert len(kept) == 11
    assert str(file) not in {summary.path for summary in kept}


def test_a_newer_summary_of_the_database_is_preferred(folder, store, asked):
    scope = SessionScope(str(folder))
    listed(scope, store)
    file = folder / "03.jsonl"
    with file.open("a") as grown:
        grown.write('{"type":"session_info","name":"grown"}\n')
    settle([file])
    assert {item.name for item in listed(scope, store)} == {None, "grown"}
    kept = KeptLists.beside(store.path).load(scope.key)
    assert {item.name for item in kept} == {None}, "the list is not written for one change"
    asked.clear()
    assert {item.name for item in listed(scope, store)} == {None, "grown"}
    assert asked.count(str(file)) == 1, "it was found, and not read"


def test_a_list_that_differs_in_any_byte_is_not_used(folder, store):
    scope = SessionScope(str(folder))
    before = listed(scope, store)
    file = kept_file(store)
    good = file.read_bytes()
    lists = KeptLists.beside(store.path)
    for place in [*range(40), *range(40, len(good), 31)]:
        file.write_bytes(good[:place] + bytes([good[place] ^ 1]) + good[place + 1 :])
        assert lists.load(scope.key) == []
    for bad in (b"", good[:-1], good + b"x", b"something else\n" * 1000):
        file.write_bytes(bad)
        assert listed(scope, store) == before
    file.unlink(missing_ok=True)
    file.mkdir()
    assert listed(scope, store) == before


def test_a_file_that_is_gone_is_forgotten_at_once(folder, store):
    scope = SessionScope(str(folder))
    listed(scope, store)
    (folder / "05.jsonl").unlink()
    (folder / "06.jsonl").unlink()
    assert b"text 5" in kept_file(store).read_bytes()
    listed(scope, store)
    assert b"text 5" not in kept_file(store).read_bytes()
    assert b"text 6" not in kept_file(store).read_bytes()
    for file in list(folder.iterdir())[2:]:
        file.unlink()
    listed(scope, store)
    assert not list((Path(store.path).parent / "lists").iterdir())


def test_files_that_are_gone_are_forgotten_without_a_list(folder, store):
    listed(SessionScope(str(folder)), store)
    listed(SessionScope(str(folder.parent), below=True), store)
    sweep(store)
    assert len(list((Path(store.path).parent / "lists").iterdir())) == 2
    (folder / "05.jsonl").unlink()
    sweep(store)
    assert not list((Path(store.path).parent / "lists").iterdir())


def test_texts_that_are_not_unicode_are_read_from_the_database(folder, store, asked):
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


def test_other_users_may_not_read_the_lists(folder, store):
    old = os.umask(0)
    try:
        listed(SessionScope(str(folder)), store)
    finally:
        os.umask(old)
    assert kept_file(store).stat().st_mode & 0o777 == 0o600
    assert kept_file(store).parent.stat().st_mode & 0o777 == 0o700


def test_processes_that_write_at_once_leave_a_good_list(folder, store):
    scope = SessionScope(str(folder))
    expected = listed(scope, None)
    lists = KeptLists.beside(store.path)
    found: list[list[Summary]] = []

    def work() -> None:
        for _ in range(20):
            lists.save(scope.key, expected)
            found.append(lists.load(scope.key))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 80
    assert all(each == expected for each in found)
