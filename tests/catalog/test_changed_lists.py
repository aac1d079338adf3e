"""A list after changes equals that of a new process, and shows every change at once."""

import asyncio
import contextlib
import json
import mmap
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessiond.catalog.listing import Listing, Listings
from sessiond.catalog.scope import SessionScope

HEADER = {"type": "session", "version": 3, "id": "x", "cwd": "/w"}
LINE = '{"type":"message","id":"a","message":{"role":"user","content":"one"}}\n'
NAMES = ["a.jsonl", "b.jsonl", "c.jsonl", "note.txt"]
FOLDERS = ["s", "s/one", "s/two", "out"]


def text_of(count: int) -> str:
    return json.dumps(HEADER) + "\n" + LINE * count


places = st.tuples(st.sampled_from(FOLDERS), st.sampled_from(NAMES)).map("/".join)
folders = st.sampled_from(FOLDERS)
changes = st.one_of(
    st.tuples(st.just("write"), places, st.integers(0, 3)),
    st.tuples(st.just("append"), places),
    st.tuples(st.just("overwrite"), places),
    st.tuples(st.just("truncate"), places),
    st.tuples(st.just("rename"), places, places),
    st.tuples(st.just("delete"), places),
    st.tuples(st.just("mode"), places),
    st.tuples(st.just("time"), places),
    st.tuples(st.just("symlink"), places, places),
    st.tuples(st.just("link"), places, places),
    st.tuples(st.just("move folder"), folders, folders),
    st.tuples(st.just("remove folder"), folders),
    st.tuples(st.just("make folder"), folders),
    st.tuples(st.just("link folder"), folders, folders),
)


def change(root: Path, kind: str, name: str, *more: object) -> None:
    """Change a file as another program does; some changes are not possible."""
    path = root / name
    other = root / str(more[0]) if more else root
    match kind:
        case "write":
            path.write_text(text_of(int(str(more[0]))))
        case "append":
            with path.open("a") as file:
                file.write(LINE)
        case "overwrite":
            # The size stays the same.
            path.write_text(path.read_text().replace('"one"', '"two"'))
        case "truncate":
            os.truncate(path, path.stat().st_size // 2)
        case "rename" | "move folder":
            path.rename(other)
        case "delete":
            path.unlink()
        case "mode":
            path.chmod(0o640)
        case "time":
            os.utime(path, (1, 1))
        case "symlink" | "link folder":
            path.symlink_to(other)
        case "link":
            path.hardlink_to(other)
        case "remove folder":
            shutil.rmtree(path)
        case "make folder":
            path.mkdir(parents=True)


def facts(found: Listing) -> dict[str, tuple[object, ...]]:
    return {
        path: (each.message_count, each.first_message, each.state)
        for path, each in found.sessions.items()
    }


@pytest.fixture
def folder(tmp_path):
    for name in NAMES:
        (tmp_path / name).write_text(text_of(1))
    return tmp_path


def list_(listings: Listings, scope: SessionScope) -> Listing:
    return asyncio.run(listings.get(scope))


def counts(found: Listing) -> dict[str, int]:
    return {Path(path).name: each.message_count for path, each in found.sessions.items()}


@settings(max_examples=50)
@given(st.lists(st.lists(changes, max_size=3), max_size=8), st.booleans())
def test_after_any_changes_the_list_equals_that_of_a_new_process(rounds, below):
    with tempfile.TemporaryDirectory() as name:
        root, listings = Path(name), Listings()
        for each in FOLDERS:
            (root / each).mkdir(exist_ok=True)
        change(root, "write", "s/a.jsonl", 1)
        change(root, "write", "s/one/a.jsonl", 1)
        scope = SessionScope(str(root / "s"), below)
        for _ in range(2):
            list_(listings, scope)
        for changed in rounds:
            for each in changed:
                with contextlib.suppress(OSError):
                    change(root, *each)
            fresh = Listing(scope).read()
            assert facts(list_(listings, scope)) == facts(fresh), changed


def test_lists_at_the_same_time_each_show_every_change(folder):
    listings, scope = Listings(), SessionScope(str(folder))

    async def several():
        return await asyncio.gather(*(listings.get(scope) for _ in range(4)))

    asyncio.run(several())
    for count in range(2, 6):
        (folder / "a.jsonl").write_text(text_of(count))
        assert [counts(each)["a.jsonl"] for each in asyncio.run(several())] == [count] * 4


def test_a_change_through_a_memory_map_shows_at_once(folder):
    listings, scope = Listings(), SessionScope(str(folder))
    list_(listings, scope)
    with (folder / "a.jsonl").open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        at = mapped.find(b'"one"')
        mapped[at : at + 5] = b'"two"'
        mapped.flush()
    found = list_(listings, scope).sessions.values()
    assert {each.first_message for each in found} == {"one", "two"}
