"""A list that examines only the files with events equals one that examines all files."""

import asyncio
import contextlib
import errno
import json
import mmap
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessiond.catalog import discover, listing
from sessiond.catalog.listing import Listings
from sessiond.catalog.scope import Listing, SessionScope
from sessiond.files.watch import changed_names, inotify
from sessiond.files.watch.changed_names import ChangedNames

pytestmark = pytest.mark.skipif(not inotify.AVAILABLE, reason="inotify is part of Linux")

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


@pytest.fixture(autouse=True, scope="module")
def local():
    """Let all directories count as local, whatever the tests run on."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inotify, "_file_system_of", lambda _name: 0xEF53)
        yield


@pytest.fixture
def scanned(monkeypatch):
    """The directories all of whose files were examined."""
    found: list[str] = []
    scan = discover.disk.stat_entries

    def counted(path, suffix):
        found.append(path)
        return scan(path, suffix)

    monkeypatch.setattr(discover.disk, "stat_entries", counted)
    return found


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
    with tempfile.TemporaryDirectory() as name, contextlib.closing(Listings()) as listings:
        root = Path(name)
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
            if any(each[0] == "link" for each in changed):
                # Another name for a known file causes no event for the known name.
                listings.close()
            assert facts(list_(listings, scope)) == facts(fresh), changed


def test_without_changes_no_file_is_examined(folder, scanned):
    listings, scope = Listings(), SessionScope(str(folder))
    first = list_(listings, scope)
    list_(listings, scope)
    scanned.clear()
    assert list_(listings, scope).sessions == first.sessions
    (folder / "a.jsonl").write_text(text_of(2))
    assert counts(list_(listings, scope)) == {"a.jsonl": 2, "b.jsonl": 1, "c.jsonl": 1}
    assert not scanned
    listings.close()


def test_lists_at_the_same_time_each_show_every_change(folder, scanned):
    listings, scope = Listings(), SessionScope(str(folder))

    async def several():
        return await asyncio.gather(*(listings.get(scope) for _ in range(4)))

    asyncio.run(several())
    asyncio.run(several())
    scanned.clear()
    for count in range(2, 6):
        (folder / "a.jsonl").write_text(text_of(count))
        assert [counts(each)["a.jsonl"] for each in asyncio.run(several())] == [count] * 4
    assert not scanned
    listings.close()


def test_a_change_without_an_event_shows_when_all_files_are_examined_again(folder, monkeypatch):
    listings, scope = Listings(), SessionScope(str(folder))
    for _ in range(2):
        list_(listings, scope)
    with (folder / "a.jsonl").open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        at = mapped.find(b'"one"')
        mapped[at : at + 5] = b'"two"'
        mapped.flush()
    monkeypatch.setattr(listing, "_EXAMINED_SECONDS", 0)
    assert {each.first_message for each in list_(listings, scope).sessions.values()} == {
        "one",
        "two",
    }
    listings.close()


def test_a_lost_event_makes_a_list_examine_all_files(folder, scanned, monkeypatch):
    listings, scope = Listings(), SessionScope(str(folder))
    for _ in range(2):
        list_(listings, scope)
    monkeypatch.setattr(changed_names, "_MOST_NAMES", 10)
    for number in range(20):
        (folder / f"{number}.jsonl").write_text(text_of(number))
    scanned.clear()
    assert len(list_(listings, scope).sessions) == 23
    assert scanned
    listings.close()


def test_a_file_system_that_other_machines_change_is_always_examined(folder, scanned, monkeypatch):
    monkeypatch.setattr(inotify, "_file_system_of", lambda _name: 0x6969)  # NFS
    listings, scope = Listings(), SessionScope(str(folder))
    for _ in range(3):
        scanned.clear()
        list_(listings, scope)
        assert scanned
    listings.close()


def test_without_watches_all_files_are_examined(folder, scanned, monkeypatch):
    def refused(_flags):
        inotify.ctypes.set_errno(errno.EMFILE)
        return -1

    monkeypatch.setattr(inotify, "_init", refused)
    listings, scope = Listings(), SessionScope(str(folder))
    for _ in range(3):
        scanned.clear()
        list_(listings, scope)
        assert scanned
    listings.close()


def test_a_directory_in_place_of_another_is_not_known(tmp_path):
    names = ChangedNames()
    directory = tmp_path / "d"
    directory.mkdir()
    mark = names.begin([str(directory)])
    assert mark is not None
    assert names.since(mark) is not None
    directory.rename(tmp_path / "e")
    directory.mkdir()
    assert names.since(mark) is None
    again = names.begin([str(directory)])
    assert again is not None
    (directory / "new.jsonl").touch()
    since = names.since(again)
    assert since is not None
    assert since[1] == {str(directory / "new.jsonl")}
    later = names.since(since[0])
    assert later is not None
    assert later[1] == set()
    names.close()


def test_a_full_queue_loses_all_directories(tmp_path):
    limit = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    if limit > 20_000:
        pytest.skip("the system's queue is long")
    names = ChangedNames()
    mark = names.begin([str(tmp_path)])
    assert mark is not None
    paths = [tmp_path / "a", tmp_path / "b"]
    for number in range(limit + 10):
        # Equal events in a row are merged, so each differs from the one before.
        os.close(os.open(paths[number % 2], os.O_CREAT | os.O_WRONLY | os.O_TRUNC))
        os.utime(paths[number % 2])
    assert names.since(mark) is None
    names.close()
