"""Blocks of words find what a naive search of every text finds."""

from __future__ import annotations

import asyncio
import os
import random
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.sessions_on_disk import settle, write_session

from sessiond import processes
from sessiond.catalog.index import blocks, helpers, indexer, reader, words, writer
from sessiond.catalog.index.database import Store
from sessiond.catalog.index.filling import Filling, fill
from sessiond.catalog.index.helpers import Helper, NoHelper
from sessiond.catalog.index.indexer import Indexer, sweep
from sessiond.catalog.scope import Listing, SessionScope
from sessiond.catalog.search.find import search
from sessiond.catalog.search.query import Mode, parse
from sessiond.files import disk
from sessiond.isolation import Faults

WORDS = [
    "a",
    "ab",
    "abc",
    "b",
    "bc",
    "c/a",
    "a;b",
    "字",
    "字a",
    "ü",
    "(",
    "::",
    "a.b",
    "\udc80",
    "\0",
]
texts = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)


@pytest.fixture
def store(tmp_path: Path):
    made = Store(str(tmp_path / "cache" / "sessiond" / "catalog-v5.sqlite3"))
    yield made
    made.close()


def alive() -> None:
    pass


def encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


@given(st.lists(texts, min_size=1, max_size=40), texts.filter(bool), st.integers(min_value=0))
def test_a_block_finds_parts_of_words_in_the_segments_asked_for(
    bodies: list[str], text: str, asked: int
):
    builder = words.BlockBuilder()
    for number, body in enumerate(bodies):
        builder.add(number, encoded(body))
    parts = dict(builder.parts())
    block = words.WordBlock(lambda part: parts.get(part, b""))
    among = asked % (1 << len(bodies))
    for part in filter(None, words.words_of(encoded(text))):
        held = block.holding(part, among, lambda place, part=part: part in encoded(bodies[place]))
        found = set(words.bits(held))
        assert found == {
            place
            for place, body in enumerate(bodies)
            if among >> place & 1 and any(part in word for word in words.words_of(encoded(body)))
        }


def test_a_text_of_very_many_words_is_found_in_every_segment(monkeypatch):
    monkeypatch.setattr(words, "_CHECKED_EVERY", 2)
    chosen = random.Random(3)
    bodies = [
        b" ".join(b"x%d" % chosen.randrange(3000) for _ in range(chosen.randrange(40)))
        for _ in range(300)
    ]
    builder = words.BlockBuilder()
    for number, body in enumerate(bodies):
        builder.add(number, body)
    parts = dict(builder.parts())
    block = words.WordBlock(lambda part: parts.get(part, b""))
    for text in (b"x", b"x1", b"x12", b"x123", b"9", b"none"):
        held = block.holding(text, (1 << 300) - 1, lambda place, text=text: text in bodies[place])
        assert set(words.bits(held)) == {n for n, body in enumerate(bodies) if text in body}


def sessions_in(folder: Path):
    return Listing(SessionScope(str(folder))).read().newest_first()


def found(folder: Path, query: str, store: Store | None) -> set[str]:
    hits = search(sessions_in(folder), parse(query, "text"), store, alive).hits
    return {Path(hit.summary.path).stem for hit in hits}


def written(folder: Path, count: int = 12) -> list[Path]:
    files = [
        write_session(
            folder / f"{n}.jsonl", f"common only{n} text", f"number {n}", session_id=f"s{n}"
        )
        for n in range(count)
    ]
    settle(files)
    return files


def block_sizes(store: Store) -> list[int]:
    with store.connection() as connection:
        return [size for (size,) in connection.execute("SELECT size FROM blocks ORDER BY number")]


def test_blocks_of_deleted_and_rewritten_files_are_dissolved(tmp_path: Path, store: Store):
    folder = tmp_path / "s"
    files = written(folder)
    for file in files:
        fill(store, str(file), alive)
    assert blocks.merge(store, alive, least=2)
    assert block_sizes(store) == [12]
    for file in files[:7]:
        file.unlink()
    write_session(files[7], "rewritten", session_id="s7")
    settle(files[7:8])
    sweep(store)
    assert block_sizes(store) == []
    fill(store, str(files[7]), alive)
    assert found(folder, "common", store) == {"8", "9", "10", "11"}
    while blocks.merge(store, alive, least=2):
        pass
    assert block_sizes(store) == [5]
    assert found(folder, "common", store) == {"8", "9", "10", "11"}
    assert found(folder, "rewritten", store) == {"7"}
    assert found(folder, "only3", store) == set()


def test_a_segment_that_grew_while_a_block_was_made_keeps_waiting(tmp_path: Path, store: Store):
    folder = tmp_path / "s"
    (file,) = written(folder, 1)
    builder = words.BlockBuilder()
    fill(store, str(file), alive, builder)
    with file.open("a") as out:
        out.write('{"type":"message","message":{"role":"user","content":"later"}}\n')
    settle([file])
    fill(store, str(file), alive)
    assert not blocks.save(store, builder)
    assert block_sizes(store) == []
    assert found(folder, "later", store) == found(folder, "common", store) == {"0"}


def test_many_files_are_filled_together(tmp_path: Path, store: Store, monkeypatch):
    monkeypatch.setattr("sessiond.catalog.index.writer._SEGMENT", 20)
    monkeypatch.setattr("sessiond.catalog.index.writer._STEP", 3)
    monkeypatch.setattr("sessiond.catalog.index.filling._TOGETHER", 4)
    folder = tmp_path / "s"
    files = written(folder, 5)
    files.append(write_session(folder / "long.jsonl", *(f"long {n} text" for n in range(30))))
    settle(files)
    faults = Faults()
    missing = folder / "missing.jsonl"
    filling = Filling(store, alive)
    filling.add(map(str, [missing, *files]), faults)
    assert not filling.moving
    assert not list(faults)
    with store.connection() as connection:
        assert len(reader.numbers(connection)) == 6
    for query, expected in [
        ("long 29", {"long"}),
        ("only2", {"2"}),
        ("text", {*map(str, range(5)), "long"}),
    ]:
        assert found(folder, query, store) == expected == found(folder, query, None)


def test_a_search_finds_segments_whose_block_is_dissolved_meanwhile(tmp_path: Path, store: Store):
    """Another daemon writes at each step of the search, and never waits for the search."""
    folder = tmp_path / "s"
    for file in written(folder, 12):
        fill(store, str(file), alive)
    assert blocks.merge(store, alive, least=2)
    other = Store(store.path, busy_seconds=0)
    sessions = sessions_in(folder)
    steps = 0

    def rearrange() -> None:
        nonlocal steps
        steps += 1
        with other.connection(writing=True) as connection:
            connection.execute(
                "UPDATE placed SET block = 0; DELETE FROM blocks; DELETE FROM parts"
            ).fetchall()
        if steps % 2:
            assert blocks.merge(other, alive, least=2)

    def once() -> None:
        # The first block is listed by then, and the search is about to look into it.
        if steps < 5:
            rearrange()

    hits = search(sessions, parse("only7", "text"), store, once).hits
    assert [Path(hit.summary.path).stem for hit in hits] == ["7"]
    assert steps == 5
    other.close()


@pytest.mark.parametrize(
    ("query", "mode"), [("only7", "text"), ("common only7", "text"), ("on.y7", "regex")]
)
def test_a_search_finds_what_is_removed_from_the_index_meanwhile(
    tmp_path: Path, store: Store, query: str, mode: Mode
):
    """As when another daemon indexes a file again that was moved."""
    folder = tmp_path / "s"
    for file in written(folder, 12):
        fill(store, str(file), alive)
    assert blocks.merge(store, alive, least=2)
    other = Store(store.path, busy_seconds=0)
    sessions = sessions_in(folder)
    forgotten = False

    def forget() -> None:
        nonlocal forgotten
        if not forgotten:
            forgotten = True
            with other.connection(writing=True) as connection:
                for (number,) in connection.execute("SELECT file FROM indexed").fetchall():
                    writer.forget(connection, number)

    hits = search(sessions, parse(query, mode), store, forget).hits
    assert forgotten
    assert [Path(hit.summary.path).stem for hit in hits] == ["7"]
    other.close()


def test_a_helper_indexes_files_inside_the_roots_only(tmp_path: Path, store: Store):
    inside, outside = tmp_path / "in", tmp_path / "out"
    files = written(inside, 3)
    odd = os.fsdecode(b"odd-\xff.jsonl")
    write_session(inside / odd, "odd name")
    written(outside, 1)
    (inside / "link.jsonl").symlink_to(outside / "0.jsonl")
    recent = inside / "recent.jsonl"
    write_session(recent, "just now")
    os.utime(recent, (4_000_000_000, 4_000_000_000))
    settle([*files, inside / odd])
    paths = [str(path) for path in (*files, inside / odd, inside / "link.jsonl", recent)]
    with Helper(store.path) as helper:
        done = helper.index(paths, (os.path.realpath(inside),), alive)
    assert done.moving == [5]
    assert done.is_available
    with store.connection() as connection:
        indexed = {path for (path,) in connection.execute("SELECT path FROM indexed")}
    assert indexed == {encoded(path) for path in paths if "link" not in path}
    # Blocks are made at the end of the input.
    assert sum(block_sizes(store)) == 5
    assert found(inside, "common", store) == {"0", "1", "2"} | {"link"}


def test_a_helper_that_cannot_start_or_ends_is_done_without(
    tmp_path: Path, store: Store, monkeypatch
):
    monkeypatch.setattr(processes.sys, "executable", str(tmp_path / "no python"))
    with pytest.raises(NoHelper):
        Helper(store.path)
    monkeypatch.setattr(processes.sys, "executable", "/bin/false")
    with Helper(store.path) as helper, pytest.raises(NoHelper):
        helper.index(["/x"], None, alive)


def test_a_helper_of_another_build_is_done_without(store: Store, monkeypatch):
    """Another build may have been installed since the daemon started."""
    monkeypatch.setattr(helpers, "BUILD", "another")
    with Helper(store.path) as helper, pytest.raises(NoHelper):
        helper.index(["/x"], None, alive)


@pytest.mark.parametrize("works", [True, False])
async def test_much_text_is_indexed_by_helpers(
    tmp_path: Path, store: Store, monkeypatch, works: bool
):
    monkeypatch.setattr(indexer, "_MUCH", 1)
    monkeypatch.setattr(indexer, "_BATCH", 500)
    if not works:
        monkeypatch.setattr(processes.sys, "executable", "/bin/false")
    folder = tmp_path / "s"
    written(folder)
    tested = Indexer(store)
    tested.want(sessions_in(folder))
    await tested.idle()
    with store.connection() as connection:
        assert len(reader.numbers(connection)) == 12
    assert (sum(block_sizes(store)) == 12) == works
    assert found(folder, "common", store) == {str(n) for n in range(12)}
    await tested.close()


async def test_closing_ends_the_helpers(tmp_path: Path, store: Store, monkeypatch):
    monkeypatch.setattr(indexer, "_MUCH", 1)
    folder = tmp_path / "s"
    written(folder)
    tested = Indexer(store)
    started: list[Helper] = []
    is_started = threading.Event()

    class Noted(Helper):
        def __init__(self, database: str) -> None:
            super().__init__(database)
            started.append(self)
            is_started.set()

    monkeypatch.setattr(indexer, "Helper", Noted)
    tested.want(sessions_in(folder))
    assert await asyncio.to_thread(is_started.wait, 30)
    await tested.close()
    assert all(helper._process.poll() is not None for helper in started)
    with disk.unconfined():
        assert found(folder, "common", None) == {str(n) for n in range(12)}
