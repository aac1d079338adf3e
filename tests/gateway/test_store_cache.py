"""A store is read again when it may have changed, and only then."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.clocks import coarse

from sessiond.gateway.store import store as stores
from sessiond.gateway.store.entry import StoreEntry
from sessiond.gateway.store.store import StoreFile


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sessions.json"


@pytest.fixture
def store(path: Path) -> StoreFile:
    return StoreFile(str(path), 1, lambda _: None)


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths that were opened for reading a store."""
    found: list[str] = []
    opened = stores.OpenedFile

    def opening(path: str) -> stores.OpenedFile:
        found.append(path)
        return opened(path)

    monkeypatch.setattr(stores, "OpenedFile", opening)
    return found


@pytest.fixture(
    params=[1, 10_000_000, 1_000_000_000, 2_000_000_000], ids=["ns", "10ms", "1s", "2s"]
)
def tick(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system whose clock has this resolution."""
    coarse(monkeypatch, request.param)


def text_of(number: int) -> str:
    """Stores of one size."""
    return json.dumps({"k": {"n": 1000 + number}})


async def number_in(store: StoreFile) -> int:
    entry = (await store.read()).entry("k")
    assert entry is not None
    return entry.get("n") - 1000


def in_place(path: Path, text: str) -> None:
    with path.open("r+") as file:
        file.write(text)


def by_rename(path: Path, text: str) -> None:
    new = path.with_suffix(".new")
    new.write_text(text)
    new.rename(path)


def swapped(path: Path, text: str) -> None:
    """Two files take turns, so that inodes come back."""
    other = path.with_suffix(".other")
    if not other.exists():
        other.write_text(text)
    in_place(other, text)
    between = path.with_suffix(".between")
    path.rename(between)
    other.rename(path)
    between.rename(other)


@pytest.mark.usefixtures("tick")
@pytest.mark.parametrize("change", [in_place, by_rename, swapped])
async def test_every_change_of_the_same_size_is_seen(
    store: StoreFile, path: Path, change: Callable[[Path, str], None]
):
    path.write_text(text_of(0))
    for number in range(200):
        change(path, text_of(number))
        os.utime(path, ns=(0, 0))
        assert await number_in(store) == number
        assert await number_in(store) == number


@pytest.mark.usefixtures("tick")
async def test_alternating_own_and_foreign_changes_are_all_kept(store: StoreFile, path: Path):
    path.write_text(text_of(0))
    for number in range(0, 200, 2):
        async with store.changing() as draft:
            entry = draft.entry("k")
            assert entry is not None
            assert entry.get("n") == 1000 + number
            draft.items["k"] = entry.changed({"n": entry.get("n") + 1})
        assert await number_in(store) == number + 1
        stored = json.loads(path.read_text())
        assert stored["k"]["n"] == 1001 + number
        stored["k"]["n"] += 1
        in_place(path, json.dumps(stored, indent=2))
        os.utime(path, ns=(0, 0))


@pytest.mark.parametrize("tick", [1, 10_000_000, 2_000_000_000], ids=["ns", "10ms", "2s"])
async def test_a_store_that_has_long_not_changed_is_not_read_again(
    store: StoreFile, path: Path, looks: list[str], monkeypatch: pytest.MonkeyPatch, tick: int
):
    coarse(monkeypatch, tick)
    path.write_text(text_of(0))
    later = time.time_ns() + 60 * 10**9
    monkeypatch.setattr(stores.time, "time_ns", lambda: later)
    first = await store.read()
    assert len(looks) == 1
    for _ in range(3):
        assert await store.read() is first
    assert len(looks) == 1
    by_rename(path, text_of(7))
    assert await number_in(store) == 7


async def test_a_store_that_has_just_changed_is_read_until_the_clock_has_moved(
    store: StoreFile, path: Path, looks: list[str], monkeypatch: pytest.MonkeyPatch
):
    path.write_text(text_of(0))
    at = path.stat().st_ctime_ns
    for after, count in ((0, 1), (10**6, 2), (10**9, 3), (10**9, 3)):
        monkeypatch.setattr(stores.time, "time_ns", lambda now=at + after: now)
        await store.read()
        assert len(looks) == count


async def test_entries_that_others_left_alone_stay_the_same_objects(store: StoreFile, path: Path):
    path.write_text('{"a": {"x": 1}, "b": {"y": 2.0}, "c": 7}')
    before = (await store.read()).items
    path.write_text('{"c": 7, "b": {"y": 3}, "a": {"x": 1}}')
    after = (await store.read()).items
    assert list(after) == ["c", "b", "a"]
    assert (after["a"] is before["a"], after["c"] is before["c"]) == (True, True)
    assert after["b"] is not before["b"]


async def test_a_written_store_is_cached_as_it_would_be_read(store: StoreFile, path: Path):
    async with store.changing() as draft:
        draft.items |= {"a": StoreEntry.of({"room": "#r", "lastTo": " x ", "n": b"1.50"})}
    known = await store.read()
    fresh = await StoreFile(str(path), 1, lambda _: None).read()
    assert [(key, item.text) for key, item in known.items.items()] == [
        (key, item.text) for key, item in fresh.items.items()
    ]
    assert known.text == fresh.text == path.read_bytes()
    assert known.problems == fresh.problems


async def test_a_store_that_is_deleted_and_restored_is_followed(store: StoreFile, path: Path):
    found: list[Any] = []
    for text in (None, text_of(1), None, "", text_of(1), "{", text_of(1)):
        path.unlink(missing_ok=True)
        if text is not None:
            path.write_text(text)
        snapshot = await store.read()
        found.append((len(snapshot.items), len(snapshot.problems)))
    assert found == [(0, 0), (1, 0), (0, 0), (0, 1), (1, 0), (0, 1), (1, 0)]
