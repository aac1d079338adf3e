"""The catalogue's database saves reading files, and never changes an answer."""

from __future__ import annotations

import fcntl
import os
import random
import sqlite3
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from support.effort import effort, some
from support.process import Daemon
from support.sessions_on_disk import settle, write_session

from sessiond.catalog import scope_reading as reading_module
from sessiond.catalog.index import database
from sessiond.catalog.index.database import FILE_NAME, SearchCache, Unavailable, cache_path
from sessiond.catalog.index.indexer import sweep
from sessiond.catalog.index.texts import fill
from sessiond.catalog.listing import Listing
from sessiond.catalog.scope import SessionScope
from sessiond.catalog.search.find import search
from sessiond.catalog.search.query import parse
from sessiond.catalog.search.snippets import snippets
from sessiond.cli.main import parse as parse_options
from sessiond.runtime.isolation import Faults


@pytest.mark.parametrize(
    ("arguments", "env", "kept"),
    [
        ([], {}, True),
        (["--no-catalog-cache"], {}, False),
        ([], {"SESSIOND_NO_CATALOG_CACHE": "1"}, False),
        ([], {"SESSIOND_NO_CATALOG_CACHE": "0"}, True),
    ],
)
def test_it_can_be_done_without(arguments, env, kept, monkeypatch):
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    assert parse_options(arguments).catalog_cache == kept


@pytest.fixture
def store(tmp_path: Path):
    made = SearchCache(str(tmp_path / "cache" / "sessiond" / "catalog-v6.sqlite3"))
    yield made
    made.close()


def listed(folder: Path, store: SearchCache | None) -> list[tuple]:
    return [
        (item.path, item.header.id, item.name, item.message_count, item.modified, item.state)
        for item in Listing(SessionScope(str(folder))).read(cache=store).newest_first()
    ]


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The reads of files, in order: `whole`, or `on` from the old end."""
    taken: list[str] = []
    whole, on = reading_module.read_all, reading_module.resume
    monkeypatch.setattr(
        reading_module, "read_all", lambda *a, **k: (taken.append("whole"), whole(*a, **k))[1]
    )
    monkeypatch.setattr(
        reading_module, "resume", lambda *a, **k: (taken.append("on"), on(*a, **k))[1]
    )
    return taken


def filled(folder: Path, count: int = 5) -> list[Path]:
    files = [
        write_session(folder / f"{n}.jsonl", f"text {n}", "answer", session_id=f"id{n}", modified=n)
        for n in range(count)
    ]
    settle(files)
    return files


def test_a_new_daemon_reads_only_changed_files(
    tmp_path: Path, store: SearchCache, reads: list[str]
):
    folder = tmp_path / "s"
    files = filled(folder)
    before = listed(folder, store)
    assert reads == ["whole"] * 5
    reads.clear()
    assert listed(folder, SearchCache(store.path)) == before
    assert reads == []
    files[0].write_text(files[0].read_text() + '{"type":"session_info","name":"grown"}\n')
    write_session(files[1], "another beginning", session_id="other")
    settle(files)
    after = listed(folder, SearchCache(store.path))
    assert sorted(reads) == ["on", "on"]
    assert after == listed(folder, None)
    assert {item[2] for item in after} == {None, "grown"}


def test_names_are_those_of_the_directory(tmp_path: Path, store: SearchCache):
    folder = tmp_path / "s"
    files = filled(folder)
    listed(folder, store)
    files[0].rename(folder / "moved.jsonl")
    files[1].unlink()
    os.link(files[2], folder / "linked.jsonl")
    assert listed(folder, store) == listed(folder, None)
    assert [Path(item[0]).name for item in sorted(listed(folder, store))] == [
        "2.jsonl",
        "3.jsonl",
        "4.jsonl",
        "linked.jsonl",
        "moved.jsonl",
    ]


def test_a_file_changed_a_moment_ago_is_not_kept(
    tmp_path: Path, store: SearchCache, reads: list[str]
):
    folder = tmp_path / "s"
    file = write_session(folder / "a.jsonl", "text")
    # In the future: no clock can say that nothing will happen at that time any more.
    os.utime(file, (4_000_000_000, 4_000_000_000))
    listed(folder, store)
    listed(folder, store)
    assert reads == ["whole", "whole"]


def test_a_file_in_the_place_of_the_directory_keeps_its_mode(tmp_path: Path):
    taken = tmp_path / "taken"
    taken.write_bytes(b"not a directory")
    taken.chmod(0o666)
    filled(tmp_path / "s")
    with closing(SearchCache(str(taken / "index.db"))) as store:
        assert listed(tmp_path / "s", store)
    assert stat.S_IMODE(taken.stat().st_mode) == 0o666
    assert taken.read_bytes() == b"not a directory"


def test_other_users_may_not_read_the_texts(tmp_path: Path, store: SearchCache):
    old = os.umask(0)
    try:
        folder = tmp_path / "s"
        filled(folder)
        listed(folder, store)
    finally:
        os.umask(old)
    directory = Path(store.path).parent
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    with sqlite3.connect(store.path) as held:
        held.execute("SELECT count(*) FROM summaries").fetchone()
        modes = {item.name: stat.S_IMODE(item.stat().st_mode) for item in directory.iterdir()}
    held.close()
    assert set(modes.values()) == {0o600}
    assert "catalog-v6.sqlite3" in modes


@pytest.mark.parametrize(
    ("env", "path"),
    [
        ({"HOME": "/h"}, "/h/.cache/sessiond/catalog-v6.sqlite3"),
        ({"HOME": "/h", "XDG_CACHE_HOME": "/x"}, "/x/sessiond/catalog-v6.sqlite3"),
        ({"HOME": "/h", "XDG_CACHE_HOME": "rel"}, "/h/.cache/sessiond/catalog-v6.sqlite3"),
        ({"HOME": "/h", "XDG_CACHE_HOME": ""}, "/h/.cache/sessiond/catalog-v6.sqlite3"),
    ],
)
def test_the_index_path_follows_the_xdg_specification(env, path):
    assert cache_path(env) == path


def spoil(path: Path, how: str) -> None:
    data = path.read_bytes()
    if how == "missing":
        path.unlink()
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "no database":
        path.write_bytes(b"something else\n" * 1000)
    elif how == "cut off":
        path.write_bytes(data[: len(data) // 2])
    elif how == "overwritten":
        path.write_bytes(data[:4096] + b"\xa5" * (len(data) - 4096))
    else:
        script = {
            "other version": "PRAGMA user_version = 7",
            "another's": "DROP TABLE texts",
            "without checksums": "UPDATE summaries SET path = path || 'x'",
        }[how]
        # The standard library's SQLite writes pages without checksums.
        with closing(sqlite3.connect(path)) as other:
            other.executescript(script)


SPOILT = [
    "missing", "empty", "no database", "cut off", "overwritten", "other version", "another's",
    "without checksums",
]  # fmt: skip


def test_a_daemon_survives_that_its_cache_is_truncated(tmp_path: Path):
    folder = tmp_path / "s"
    filled(folder)
    asked = {"sessionDir": str(folder), "cwd": "/c"}
    with Daemon(tmp_path / "home") as daemon:
        daemon.request("initialize")
        before = daemon.request("session/list", **asked)
        found = daemon.request("catalog/search", query="text", **asked)
        assert before["total"] == 5
        assert found["hits"]
        cache = tmp_path / "home" / ".cache" / "sessiond"
        assert (cache / FILE_NAME).exists()
        for file in cache.rglob("*"):
            if file.is_file():
                os.truncate(file, 0)
        write_session(folder / "later.jsonl", "a text", session_id="later")
        assert daemon.request("session/list", **asked)["total"] == 6
        again = daemon.request("catalog/search", query="text", **asked)
        assert len(again["hits"]) == len(found["hits"]) + 1


@pytest.mark.parametrize("how", SPOILT)
def test_a_damaged_store_is_built_again_and_changes_no_answer(
    tmp_path: Path, store: SearchCache, reads: list[str], how: str
):
    folder = tmp_path / "s"
    filled(folder, 40)
    before = listed(folder, store)
    store.close()
    spoil(Path(store.path), how)
    again = SearchCache(store.path)
    assert listed(folder, again) == before
    # The first may have met the damage on its way.
    assert listed(folder, again) == before
    reads.clear()
    assert listed(folder, again) == before
    assert reads == []
    again.close()
    with sqlite3.connect(store.path) as checked:
        assert checked.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    checked.close()


def test_a_daemon_uses_the_new_file_when_another_daemon_removed_the_old_one(
    tmp_path: Path, store: SearchCache
):
    folder = tmp_path / "s"
    filled(folder)
    before = listed(folder, store)
    other = SearchCache(store.path)
    assert listed(folder, other) == before
    for suffix in ("", "-journal"):
        os.unlink(store.path + suffix)
    assert listed(folder, store) == before
    assert listed(folder, other) == before
    with other.connection() as connection:
        assert connection.execute("SELECT count(*) FROM summaries").fetchone() == (5,)
    other.close()


def test_checksums_are_found_in_any_arrangement_of_apsw(monkeypatch):
    with closing(apsw.Connection(":memory:")) as connection:
        monkeypatch.setattr(apsw, "__file__", "/nowhere/apsw/__init__.so")
        database._load(connection, "cksumvfs")
        with pytest.raises(LookupError):
            database._load(connection, "no_such_extension")
        # No statement of a query may load an extension.
        with pytest.raises(apsw.SQLError, match="not authorized"):
            connection.execute("SELECT load_extension('cksumvfs')")


def test_a_place_that_cannot_be_used_is_done_without(tmp_path: Path):
    folder = tmp_path / "s"
    filled(folder)
    (tmp_path / "file").write_text("")
    store = SearchCache(str(tmp_path / "file" / "sessiond" / "catalog-v6.sqlite3"))
    assert listed(folder, store) == listed(folder, None)
    with pytest.raises(Unavailable), store.connection():
        pass


def test_a_lock_held_by_another_only_delays(tmp_path: Path, store: SearchCache, monkeypatch):
    monkeypatch.setattr("sessiond.catalog.index.database._BUSY_SECONDS", 0.05)
    folder = tmp_path / "s"
    filled(folder)
    with SearchCache(store.path).connection(writing=True):
        assert listed(folder, store) == listed(folder, None)
    listed(folder, store)
    with store.connection() as connection:
        assert connection.execute("SELECT count(*) FROM summaries").fetchone() == (5,)


FULL_DISK = """
import resource, signal, sys
from sessiond.catalog.listing import Listing
from sessiond.catalog.scope import SessionScope
from sessiond.catalog.index.database import SearchCache
from sessiond.catalog.index.texts import fill
from sessiond.runtime.isolation import Faults
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store = SearchCache(sys.argv[1])
with store.connection(): pass
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]),) * 2)
for _ in range(2):
    found = Listing(SessionScope(sys.argv[2])).read(cache=store).newest_first()
    try:
        fill(store, [item.path for item in found], lambda: None, Faults())
    except Exception as error:
        assert type(error).__name__ == "Unavailable", error
print(len(found))
"""


@pytest.mark.parametrize("limit", [0, 70_000, 200_000])
def test_a_full_disk_changes_no_answer(tmp_path: Path, store: SearchCache, limit: int):
    folder = tmp_path / "s"
    for number in range(40):
        write_session(folder / f"{number}.jsonl", f"text {number} " * 500)
    settle(list(folder.iterdir()))
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, store.path, str(folder), str(limit)],
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert done.stdout == "40\n", done.stderr
    assert listed(folder, store) == listed(folder, None)


def test_files_that_are_gone_are_forgotten(tmp_path: Path, store: SearchCache):
    folder = tmp_path / "s"
    files = filled(folder)
    listed(folder, store)
    files[0].unlink()
    files[1].rename(folder / "moved.jsonl")
    sweep(store)
    with store.connection() as connection:
        kept = connection.execute("SELECT path FROM summaries ORDER BY path").fetchall()
    assert kept == [(os.fsencode(file),) for file in files[2:]]


def test_the_number_of_connections_is_limited_for_any_number_of_workers(
    store: SearchCache, monkeypatch: pytest.MonkeyPatch
):
    opened: set[int] = set()
    connect, close = store._connect, database._close

    def counted():
        made = connect()
        opened.add(id(made))
        return made

    def uncounted(made):
        opened.discard(id(made))
        close(made)

    monkeypatch.setattr(store, "_connect", counted)
    monkeypatch.setattr(database, "_close", uncounted)
    workers = 12
    barrier = threading.Barrier(workers)

    def work() -> None:
        for _ in range(30):
            with store.connection() as connection:
                # All of them hold one at the same time, and all give it back at the same time.
                barrier.wait(30)
                connection.execute("SELECT count(*) FROM indexed").fetchone()
                assert len(opened) <= workers
            with store.connection():
                pass

    with ThreadPoolExecutor(workers) as pool:
        for done in [pool.submit(work) for _ in range(workers)]:
            done.result()
    # Unused ones are closed, except for a few.
    assert 1 <= len(opened) <= 4
    store.close()
    assert not opened


QUERIES = [
    ("text", "needle"), ("text", '"two needles"'), ("text", "ab"), ("text", "absent"),
    ("fuzzy", "ndl 17"), ("fuzzy", "word17 word200"),
]  # fmt: skip


def answers(folder: Path, store: SearchCache | None) -> list[object]:
    """Everything that is asked of the database: summaries, which sessions are found, and where."""
    sessions = Listing(SessionScope(str(folder))).read(cache=store).newest_first()
    found: list[object] = [
        (
            item.path,
            item.header.id,
            item.name,
            item.message_count,
            item.first_message,
            item.modified,
        )
        for item in sessions
    ]
    for mode, text in QUERIES:
        query = parse(text, mode)
        hits = search(sessions, query, store, lambda: None).hits
        found += [(mode, text, hit.summary.path, hit.distance) for hit in hits]
        found += snippets(hits, query, store, lambda: None)
    return found


@pytest.fixture
def searched(tmp_path: Path, store: SearchCache) -> Path:
    """Sessions that are all in the database."""
    folder = tmp_path / "s"
    chosen = random.Random(7)
    words = [f"word{number}" for number in range(400)]
    for number in range(8):
        texts = [" ".join(chosen.choices(words, k=400)) for _ in range(6)]
        texts[number % 6] += " needle" if number % 3 else " two needles ab"
        name = f"session {number}"
        write_session(folder / f"{number}.jsonl", *texts, name=name, modified=number + 1)
    settle(list(folder.iterdir()))
    listed = Listing(SessionScope(str(folder))).read(cache=store).newest_first()
    fill(store, [summary.path for summary in listed], lambda: None, Faults())
    return folder


PAGE = 16384


@pytest.mark.parametrize("seed", range(effort(1, 2)))
def test_a_flipped_bit_in_any_page_changes_no_answer(
    tmp_path: Path, store: SearchCache, searched: Path, seed: int, caplog
):
    chosen = random.Random(seed)
    expected = answers(searched, None)
    assert answers(searched, store) == expected
    store.close()
    whole = Path(store.path).read_bytes()
    pages = len(whole) // PAGE
    assert pages > 12
    damaged = 0
    for page in some(range(pages), 2):
        # Of the first page and of each page's beginning there is most to break.
        places = range(0, 100, 7) if page == 0 else [chosen.randrange(16)]
        for at in [*places, chosen.randrange(PAGE)]:
            broken = bytearray(whole)
            broken[page * PAGE + at] ^= 1 << chosen.randrange(8)
            path = tmp_path / "broken" / str(page * PAGE + at) / "catalog-v6.sqlite3"
            path.parent.mkdir(parents=True, mode=0o700)
            path.write_bytes(broken)
            again = SearchCache(str(path))
            assert answers(searched, again) == expected
            again.close()
            damaged += "damaged" in caplog.text
            caplog.clear()
    assert damaged >= pages / effort(4, 2)


def test_who_holds_the_lock_for_opening_keeps_nobody_waiting(tmp_path: Path):
    path = tmp_path / "catalog.db"
    with open(tmp_path / "catalog.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(Unavailable), SearchCache(str(path), busy_seconds=0.05).connection():
            pass
    with SearchCache(str(path)).connection() as connection:
        assert list(connection.execute("SELECT count(*) FROM summaries")) == [(0,)]
