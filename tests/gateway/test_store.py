"""Reading and changing a store: its file, damage, and its lock."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from support.agents import store_at
from support.app import daemon
from support.client import DEADLINE, RpcError

from sessiond.gateway import store as stores
from sessiond.gateway.entry import NonEntry, StoreEntry, entry_in
from sessiond.gateway.store import Draft, Store, StoreProblem, Stores
from sessiond.runtime.errors import Busy, GatewayRejected, ReadFailed, WriteFailed

T = TypeVar("T")

ENTRY = {"sessionId": "s1", "updatedAt": 1}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "agents/main/sessions/sessions.json"


@pytest.fixture
def store(path: Path) -> Store:
    return store_at(path)


@pytest.fixture
def other() -> Iterator[int]:
    """A living process that is not ours."""
    with subprocess.Popen(
        [sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE
    ) as process:
        yield process.pid
        assert process.stdin is not None
        process.stdin.close()


def lay(path: Path, content: bytes | str | dict[str, Any]) -> bytes:
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, dict):
        content = json.dumps(content)
    data = content.encode() if isinstance(content, str) else content
    path.write_bytes(data)
    return data


async def change(store: Store, edit: Callable[[Draft], object]) -> list[StoreProblem]:
    _, problems = await store.change(edit)
    return problems


async def put(store: Store, **entries: dict[str, Any]) -> None:
    def edit(draft: Draft) -> None:
        for key, members in entries.items():
            draft.put(key, (entry_in(draft.items, key) or StoreEntry.of({})).changed(members))

    await change(store, edit)


def others_of(path: Path) -> list[str]:
    """All files next to the store."""
    return sorted(name for name in os.listdir(path.parent) if name != path.name)


async def test_a_store_is_spelled_as_coderclaw_spells_it(store: Store, path: Path):
    await put(
        store, b={"sessionId": "é😀", "x": [], "n": {}}, a={"ok": True, "l": [1, {"y": None}]}
    )
    assert (
        path.read_bytes()
        == (
            '{\n  "b": {\n    "sessionId": "é😀",\n    "x": [],\n    "n": {}\n  },\n'
            '  "a": {\n    "ok": true,\n    "l": [\n      1,\n      {\n        "y": null\n      }\n'
            "    ]\n  }\n}"
        ).encode()
    )
    assert others_of(path) == []


async def test_removing_the_last_entry_leaves_an_empty_object(store: Store, path: Path):
    lay(path, {"a": ENTRY})
    await change(store, lambda draft: draft.items.pop("a"))
    assert path.read_bytes() == b"{}"


@pytest.mark.parametrize("mode", [None, 0o644, 0o666, 0o600])
async def test_a_store_and_directories_made_for_it_are_for_their_owner_only(
    store: Store, path: Path, mode: int | None
):
    if mode is not None:
        lay(path, "{}")
        path.chmod(mode)
    before = os.umask(0o077 if mode else 0)
    try:
        await put(store, a=ENTRY)
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o600
    if mode is None:
        made = (path.parent, path.parent.parent, path.parent.parent.parent)
        assert [one.stat().st_mode & 0o777 for one in made] == [0o700] * 3


async def test_a_symbolic_link_stays_one(store: Store, path: Path, tmp_path: Path):
    target = tmp_path / "target.json"
    lay(target, {"a": ENTRY})
    path.parent.mkdir(parents=True)
    path.symlink_to(target)
    await put(store, b=ENTRY)
    assert path.is_symlink()
    assert list(json.loads(target.read_bytes())) == ["a", "b"]
    assert sorted(os.listdir(tmp_path)) == ["agents", "target.json"]
    assert others_of(path) == []


async def test_a_change_keeps_everything_it_does_not_mean(store: Store, path: Path):
    text = (
        '{\n  "a": {\n    "zzz": {\n      "7": [\n        {\n          "deep": "\\ud800"\n'
        '        }\n      ]\n    },\n    "sessionId": "s",\n    "big": 12345678901234567890,\n'
        '    "deliveryContext": {\n      "to": "t",\n      "new": null\n    },\n'
        '    "lastTo": "t",\n    "3": false\n  },\n  "odd": null,\n  "text": "x",\n'
        '  "list": [\n    1\n  ],\n  "1": 2.5,\n  "b": {\n    "x": 1\n  }\n}'
    )
    lay(path, text)
    await put(store, b={"x": 2})
    assert path.read_text() == text.replace('"x": 1', '"x": 2')


async def test_an_unchanged_store_is_not_written(path: Path):
    told: list[str] = []
    store = store_at(path, 1, told.append)
    before = lay(path, '{"a":{"x":1 }}')
    await put(store, a={"x": 1})
    await change(store, lambda draft: draft.put("a", draft.items["a"]))
    assert (path.read_bytes(), told) == (before, [])
    await put(store, a={"x": 2})
    assert path.read_bytes() == b'{\n  "a": {\n    "x": 2\n  }\n}'
    assert told == [str(path)]


async def test_an_edit_that_raises_changes_nothing(store: Store, path: Path):
    before = lay(path, {"a": ENTRY})

    def edit(draft: Draft) -> None:
        draft.items.clear()
        raise LookupError

    with pytest.raises(LookupError):
        await change(store, edit)
    assert path.read_bytes() == before
    assert others_of(path) == []
    assert "a" in (await store.read()).items


@pytest.mark.parametrize(
    "content", [None, b"", b" \n\t", b"{}", b"\xef\xbb\xbf", b"\xef\xbb\xbf{ }"]
)
async def test_a_missing_or_empty_store_has_no_entries(
    store: Store, path: Path, content: bytes | None
):
    if content is not None:
        lay(path, content)
    found = await store.read()
    assert found.items == {}
    # A file without anything in it is what a power cut leaves behind.
    is_blank = content is not None and not content.removeprefix(b"\xef\xbb\xbf").strip()
    assert [problem.kind for problem in found.problems] == ["corruptStore"] * is_blank
    await put(store, a=ENTRY)
    assert json.loads(path.read_bytes()) == {"a": ENTRY}
    assert others_of(path) == []


async def test_the_new_file_is_on_the_disk_before_it_replaces_the_old_one(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
):
    synced: list[bytes] = []
    fsync = os.fsync

    def noted(descriptor: int) -> None:
        fsync(descriptor)
        synced.append(os.pread(descriptor, 1_000, 0))
        assert not path.exists()

    monkeypatch.setattr(os, "fsync", noted)
    await put(store, a=ENTRY)
    assert synced == [path.read_bytes()]


NO_STORES = [
    b"[]",
    b"null",
    b'"x"',
    b"42",
    b"true",
    b"garbage",
    b"{",
    b'{"a": {"sessionId": "s1", "upda',
    b'{"a": {}} x',
    b'{"a": {},}',
    b"{'a': {}}",
    b'{"a": {"x": NaN}}',
    b'{"a": {"x": "\n"}}',
    b'{"a": {"x": 01}}',
    b"\0" * 100,
    b"\xff\xfe{\0}\0",
    b"[" * 5000 + b"]" * 5000,
    b'{"a":' * 3000,
    b'{"a":' * 3000 + b"1" + b"}" * 2999 + b"]",
    b"\xef\xbb\xbf\xef\xbb\xbf{}",
]


@pytest.mark.parametrize("content", NO_STORES, ids=lambda text: repr(text[:30]))
async def test_an_invalid_store_is_renamed_before_it_is_replaced(
    store: Store, path: Path, content: bytes
):
    lay(path, content)
    found = await store.read()
    assert found.items == {}
    assert [(each.kind, each.path) for each in found.problems] == [("corruptStore", str(path))]
    await change(store, lambda _: None)
    assert path.read_bytes() == content
    assert others_of(path) == []
    problems = await change(store, lambda draft: draft.put("a", StoreEntry.of(ENTRY)))
    (copy,) = others_of(path)
    assert re.fullmatch(r"sessions\.json\.corrupt\.\d{13}", copy)
    kept = path.with_name(copy)
    assert kept.read_bytes() == content
    assert [(each.kind, each.path) for each in problems] == [
        ("corruptStore", str(path)),
        ("corruptStore", str(kept)),
    ]
    assert json.loads(path.read_bytes()) == {"a": ENTRY}
    assert (await store.read()).problems == ()
    await put(store, b=ENTRY)
    assert others_of(path) == [copy]


@pytest.mark.parametrize("linked", [False, True])
async def test_a_file_that_was_never_a_store_does_not_change(path: Path, linked: bool):
    other = path.with_name("passwords")
    lay(other, "root:x:0:0\n")
    if linked:
        path.symlink_to(other)
    store = store_at(path if linked else other, 1)
    with pytest.raises(GatewayRejected, match="is not a store") as refused:
        await put(store, a=ENTRY)
    assert refused.value.data["rule"] == "storePath"
    assert other.read_text() == "root:x:0:0\n"
    assert others_of(path) == ["passwords"]


@pytest.mark.parametrize("content", ['{"name": "x", "scripts": {"a": "b"}}', '{"a": {}}'])
async def test_another_json_file_does_not_change(path: Path, content: str):
    other = path.with_name("package.json")
    before = lay(other, content)
    with pytest.raises(GatewayRejected, match="is not a store"):
        await put(store_at(other), a=ENTRY)
    assert other.read_bytes() == before
    lay(other, '{"a": {"updatedAt": 1}}')
    await put(store_at(other), b=ENTRY)


@pytest.mark.parametrize(
    "content",
    [
        "[1,2,3]\n",
        '"x"',
        "5",
        "null",
        '// my settings\n{"editor.fontSize": 12}\n',
        '{ // mine\n"editor.fontSize": 12}\n',
        "a: 1\n",
        '{"type":"session","id":"x"}\n{"type":"custom","sessionId":"x"}\n',
    ],
)
async def test_a_json_file_that_is_no_object_does_not_change(path: Path, content: str):
    other = path.with_name("data.json")
    before = lay(other, content)
    with pytest.raises(GatewayRejected, match="is not a store"):
        await put(store_at(other), a=ENTRY)
    assert other.read_bytes() == before
    assert others_of(path) == ["data.json"]


async def test_a_torn_store_of_another_name_is_copied_and_replaced(path: Path):
    other = path.with_name("data.json")
    before = lay(other, '{\n  "agent:main:main": {\n    "sessionId": "a",\n  "upda')
    await put(store_at(other), a=ENTRY)
    assert json.loads(other.read_bytes()) == {"a": ENTRY}
    (copy,) = (each for each in others_of(other) if ".corrupt." in each)
    assert other.with_name(copy).read_bytes() == before


async def test_copies_of_invalid_stores_do_not_replace_one_another(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(stores.time, "time_ns", lambda: 1_770_000_000_000_000_000)
    for content in ("one", "two"):
        lay(path, content)
        await put(store, a=ENTRY)
    copies = [path.with_name(f"{path.name}.corrupt.177000000000{end}") for end in (0, 1)]
    assert [copy.read_text() for copy in copies] == ["one", "two"]


async def test_a_store_that_is_not_utf8_is_read_as_node_reads_it_and_renamed(
    store: Store, path: Path
):
    content = b'{"a": {"label": "x\xff\xc3"}, "\xe9": {"sessionId": "s"}}'
    lay(path, content)
    found = await store.read()
    assert list(found.items) == ["a", "\ufffd"]
    assert [each.kind for each in found.problems] == ["corruptStore"]
    await put(store, a={"x": 1})
    assert json.loads(path.read_text()) == {
        "a": {"label": "x\ufffd\ufffd", "x": 1},
        "\ufffd": {"sessionId": "s"},
    }
    (copy,) = others_of(path)
    assert path.with_name(copy).read_bytes() == content


async def test_a_store_with_a_byte_order_mark_is_read(store: Store, path: Path):
    lay(path, b"\xef\xbb\xbf" + json.dumps({"a": ENTRY}).encode())
    found = await store.read()
    assert (list(found.items), found.problems) == (["a"], ())
    await put(store, b=ENTRY)
    assert path.read_bytes().startswith(b"{")
    assert json.loads(path.read_bytes()) == {"a": ENTRY, "b": ENTRY}
    assert others_of(path) == []


async def test_values_that_are_not_entries_are_kept_and_reported(store: Store, path: Path):
    odd = {"s": "x", "n": None, "l": [{"sessionId": "q"}], "i": 7, "constructor": {"a": 1}}
    lay(path, {**odd, "a": ENTRY})
    found = await store.read()
    assert [(each.kind, each.sessionKey) for each in found.problems] == [
        ("notAnEntry", key) for key in odd
    ]
    assert all(
        isinstance(found.items[key], NonEntry) and entry_in(found.items, key) is None for key in odd
    )
    await put(store, a={"x": 1})
    assert json.loads(path.read_bytes()) == {**odd, "a": {**ENTRY, "x": 1}}
    assert (await store.read()).problems == found.problems


@pytest.mark.parametrize("levels", [90, 300, 1100, 30_000])
async def test_deep_nesting_in_an_entry_does_not_make_the_store_corrupt(
    store: Store, path: Path, levels: int
):
    deep = "[" * levels + "]" * levels
    lay(path, f'{{"a":{{"sessionId":"s1","deep":{deep}}},"b":{{"sessionId":"s2"}}}}')
    found = await store.read()
    assert found.problems == ()
    entry = entry_in(found.items, "a")
    assert entry is not None
    assert entry.get("sessionId") == "s1"
    await put(store, a={"x": 1}, b={"y": 1})
    stored = entry_in((await store_at(path, 1).read()).items, "a")
    assert stored is not None
    assert re.sub(rb"\s", b"", stored.members["deep"]) == deep.encode()
    assert stored.get("x") == 1
    assert others_of(path) == []


async def beside(work: Awaitable[T]) -> tuple[T, int]:
    """The result, and how often the event loop turned meanwhile."""
    turns = 0
    task = asyncio.ensure_future(work)
    while not task.done():
        await asyncio.sleep(0.001)
        turns += 1
    return await asyncio.wait_for(task, DEADLINE), turns


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("big") / "sessions.json"
    members = {
        **ENTRY,
        "channel": "x",
        "skillsSnapshot": {"prompt": "line\n" * 250, "skills": [{}]},
    }
    lay(path, {f"agent:main:x:direct:{number}": members for number in range(35_000)})
    assert path.stat().st_size > 50_000_000
    return path


async def test_a_store_of_50_megabytes_is_read_and_changed_while_the_loop_turns(big: Path):
    store = store_at(big, 10)
    found, turns = await beside(store.read())
    assert (len(found.items), found.problems) == (35_000, ())
    assert turns >= 10
    for number in range(2):
        _, turns = await beside(put(store, **{"agent:main:x:direct:17": {"n": number}}))
        assert turns >= 5
    stored = json.loads(big.read_bytes())
    assert len(stored) == 35_000
    assert stored["agent:main:x:direct:17"]["n"] == 1
    assert others_of(big) == []


@pytest.mark.parametrize("content", [b"{}", json.dumps({"a": ENTRY}).encode(), b"garbage"])
async def test_a_store_marked_read_only_is_not_written(store: Store, path: Path, content: bytes):
    lay(path, content)
    path.chmod(0o444)
    with pytest.raises(WriteFailed) as raised:
        await put(store, b=ENTRY)
    assert raised.value.data["path"] == str(path)
    assert raised.value.data["errno"] == errno.EACCES
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (content, 0o444)
    assert others_of(path) == []


MAKE: dict[str, tuple[Callable[[Path], Any], int]] = {
    "directory": (lambda path: path.mkdir(), errno.EISDIR),
    "fifo": (os.mkfifo, errno.EINVAL),
    "device": (lambda path: path.symlink_to("/dev/zero"), errno.EINVAL),
    "loop": (lambda path: path.symlink_to(path), errno.ELOOP),
}


@pytest.mark.parametrize("kind", MAKE)
async def test_a_path_that_is_not_a_file_is_refused_unchanged(store: Store, path: Path, kind: str):
    path.parent.mkdir(parents=True)
    make, number = MAKE[kind]
    make(path)
    for _ in range(2):
        with pytest.raises(ReadFailed) as raised:
            await store.read()
        assert (raised.value.data["path"], raised.value.data["errno"]) == (str(path), number)
        with pytest.raises(ReadFailed):
            await put(store, a=ENTRY)
    assert os.listdir(path.parent) == [path.name]


async def test_a_file_where_the_directory_should_be_is_refused(path: Path, store: Store):
    lay(path.parent, "")
    with pytest.raises(ReadFailed, match="Not a directory"):
        await put(store, a=ENTRY)
    assert path.parent.read_bytes() == b""


async def test_a_change_of_nothing_makes_no_directory(store: Store, path: Path):
    await change(store, lambda draft: draft.items)
    assert not path.parent.exists()
    # A change that makes it is made under the lock, too.
    locks: list[list[str]] = []

    def edit(draft: Draft) -> None:
        locks.append(os.listdir(path.parent) if path.parent.exists() else [])
        draft.put("a", StoreEntry.of(ENTRY))

    await change(store, edit)
    assert locks == [[], [f"{path.name}.lock"]]


FULL = """
import asyncio, os, resource, sys
from pathlib import Path
from sessiond.runtime.errors import WriteFailed
from sessiond.gateway.entry import StoreEntry
from sessiond.gateway.places import Layout
from sessiond.gateway.config import Part
from sessiond.gateway.keys import KeyRules
from sessiond.gateway.store import Store, Stores

path, room = Path(sys.argv[1]), int(sys.argv[2])
known, config = Stores(1), Part.root(None)
known.listeners.append(lambda _: print("told"))
store = Store(str(path), Layout(config, KeyRules.of(config), {}, None), "main", known)

async def change(n):
    def edit(draft):
        draft.put("new", StoreEntry.of({"n": n}))
    await store.change(edit)

def limit(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

async def main():
    limit(room)
    before = path.read_bytes()
    for n in range(3):
        try:
            await change(n)
        except WriteFailed as error:
            print("refused", error.data["errno"] > 0, path.read_bytes() == before,
                  sorted(os.listdir(path.parent)) == [path.name])
        print("new" in (await store.read()).items)
    limit(resource.RLIM_INFINITY)
    await change(7)

asyncio.run(main())
"""


@pytest.mark.parametrize("content", [json.dumps({"a": {"x": "y" * 500}}), "{" + "x" * 500])
@pytest.mark.parametrize("room", [0, 20, 100, 490])
def test_without_room_on_the_disk_the_store_stays_whole(path: Path, room: int, content: str):
    lay(path, content)
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(path), str(room)],
        capture_output=True,
        check=True,
        text=True,
    )
    assert done.stdout.splitlines() == ["refused True True True", "False"] * 3 + ["told"]
    assert json.loads(path.read_bytes())["new"] == {"n": 7}


def write_lock(path: Path, content: object, age: float = 0) -> Path:
    lock = path.with_name(f"{path.name}.lock")
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.write_text(content if isinstance(content, str) else json.dumps(content))
    then = time.time() - age
    os.utime(lock, (then, then))
    return lock


def stamp(ago: float = 0) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() - ago))


async def test_a_store_that_a_living_process_has_locked_is_busy(
    store: Store, path: Path, other: int
):
    before = lay(path, {"a": ENTRY})
    lock = write_lock(path, {"pid": other, "createdAt": stamp(20)})
    content = lock.read_bytes()
    with pytest.raises(Busy) as raised:
        await put(store, b=ENTRY)
    assert (raised.value.data["owner"], raised.value.data["path"]) == (
        f"process {other}",
        str(path),
    )
    assert "a" in (await store.read()).items
    assert (path.read_bytes(), lock.read_bytes()) == (before, content)
    lock.unlink()
    await put(store, b=ENTRY)
    assert others_of(path) == []


DEAD = 2**22 + 7
LEFT_BEHIND: dict[str, tuple[object, float]] = {
    "dead": ({"pid": DEAD, "createdAt": stamp()}, 0),
    "garbage": ("garbage", 0),
    "half": ('{\n  "pid": 1', 0),
    "no pid": ({"createdAt": stamp()}, 0),
    "pid of a string": ({"pid": "1", "createdAt": stamp()}, 0),
    "no time": ({"pid": 1}, 0),
    "bad time": ({"pid": 1, "createdAt": "yesterday"}, 0),
    "too old": ({"pid": 1, "createdAt": stamp(31)}, 0),
    "empty": ("", 6),
}


@pytest.mark.parametrize("name", LEFT_BEHIND)
async def test_an_abandoned_lock_is_replaced(store: Store, path: Path, name: str):
    lay(path, {"a": ENTRY})
    write_lock(path, *LEFT_BEHIND[name])

    def edit(draft: Draft) -> None:
        held = json.loads(path.with_name(f"{path.name}.lock").read_bytes())
        assert held["pid"] == os.getpid()
        draft.put("b", StoreEntry.of(ENTRY))

    await change(store, edit)
    assert list(json.loads(path.read_bytes())) == ["a", "b"]
    assert others_of(path) == []


async def test_an_empty_lock_is_given_five_seconds(store: Store, path: Path):
    lock = write_lock(path, "", 4)
    with pytest.raises(Busy):
        await put(store, a=ENTRY)
    assert lock.read_bytes() == b""
    assert not path.exists()


async def test_a_change_that_loses_the_lock_writes_nothing(store: Store, path: Path, other: int):
    before = lay(path, {"a": ENTRY})
    lock = path.with_name(f"{path.name}.lock")

    def edit(draft: Draft) -> None:
        draft.put("b", StoreEntry.of(ENTRY))
        lock.unlink()
        write_lock(path, {"pid": other, "createdAt": stamp()})

    with pytest.raises(Busy):
        await change(store, edit)
    assert path.read_bytes() == before
    assert others_of(path) == [lock.name]
    assert json.loads(lock.read_bytes())["pid"] == other


async def test_changes_of_one_store_wait_for_one_another(path: Path):
    store = store_at(path, 10)

    def add(draft: Draft) -> None:
        entry = entry_in(draft.items, "k") or StoreEntry.of({"n": 0})
        draft.put("k", entry.changed({"n": entry.get("n") + 1}))

    await asyncio.gather(*(store.change(add) for _ in range(100)))
    assert json.loads(path.read_bytes()) == {"k": {"n": 100}}


async def cancelled(task: asyncio.Task[Any]) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, DEADLINE)


async def test_an_edit_is_finished_although_it_is_cancelled_and_a_waiter_changes_nothing(
    store: Store, path: Path
):
    lay(path, {"a": ENTRY})
    inside, go_on = threading.Event(), threading.Event()

    def edit(draft: Draft) -> None:
        draft.put("b", StoreEntry.of(ENTRY))
        inside.set()
        assert go_on.wait(DEADLINE)

    task = asyncio.create_task(store.change(edit))
    assert await asyncio.to_thread(inside.wait, DEADLINE)
    waiting = asyncio.create_task(put(store, c=ENTRY))
    await asyncio.sleep(0)
    await cancelled(waiting)
    task.cancel()
    await asyncio.sleep(0)
    assert not task.done()
    go_on.set()
    await asyncio.wait([task], timeout=DEADLINE)
    assert list(json.loads(path.read_bytes())) == ["a", "b"]
    assert others_of(path) == []
    await put(store, d=ENTRY)
    assert list(json.loads(path.read_bytes())) == ["a", "b", "d"]


async def test_what_an_edit_created_is_removed_if_the_store_is_not_saved(store: Store, path: Path):
    before = lay(path, {"a": ENTRY})

    def edit(draft: Draft) -> None:
        draft.put("b", StoreEntry.of(ENTRY))
        made = path.with_name("b.jsonl")
        made.write_text("")
        draft.created.append(str(made))
        path.chmod(0o400)

    with pytest.raises(WriteFailed):
        await change(store, edit)
    assert (path.read_bytes(), others_of(path)) == (before, [])


async def test_a_save_is_finished_although_it_is_cancelled(
    path: Path, monkeypatch: pytest.MonkeyPatch
):
    told: list[str] = []
    store = store_at(path, 1, told.append)
    saving, go_on = threading.Event(), threading.Event()
    save = stores._save

    def slowly(*arguments: Any, **options: Any) -> Any:
        saving.set()
        assert go_on.wait(DEADLINE)
        return save(*arguments, **options)

    monkeypatch.setattr(stores, "_save", slowly)
    entries = {f"k{number}": ENTRY for number in range(50)}
    task = asyncio.create_task(put(store, **entries))
    assert await asyncio.to_thread(saving.wait, DEADLINE)
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.sleep(0)
    assert not task.done()
    go_on.set()
    # The work is done by then, so that the cancellation may find nothing left to end.
    await asyncio.wait([task], timeout=DEADLINE)
    assert json.loads(path.read_bytes()) == entries
    assert others_of(path) == []
    assert told == [str(path)]
    assert list((await store.read()).items) == list(entries)


async def test_a_cancelled_waiter_does_not_change_the_lock(path: Path, other: int):
    lock = write_lock(path, {"pid": other, "createdAt": stamp()})
    store = store_at(path, 60)
    task = asyncio.create_task(put(store, a=ENTRY))
    await asyncio.sleep(0.01)
    await cancelled(task)
    assert os.listdir(path.parent) == [lock.name]
    lock.unlink()
    await put(store, a=ENTRY)
    assert json.loads(path.read_bytes()) == {"a": ENTRY}


async def test_a_request_that_is_cancelled_leaves_a_whole_store(tmp_path: Path, other: int):
    path = tmp_path / "s/agents/main/sessions/sessions.json"
    before = lay(path, {"agent:main:main": ENTRY})
    lock = write_lock(path, {"pid": other, "createdAt": stamp()})
    async with daemon(tmp_path, profile="coderclaw", agent_dir=str(tmp_path / "s")) as client:
        request = {"sessionKey": "main"}
        waiting = asyncio.create_task(
            client.request("gateway/recordCompaction", request, id_="waiting")
        )
        await asyncio.sleep(0)
        await client.request("gateway/get", request)
        client.notify("$/cancelRequest", {"id": "waiting"})
        with pytest.raises(RpcError) as raised:
            await waiting
        assert raised.value.code == -32800
        assert path.read_bytes() == before
        lock.unlink()
        assert (await client.request("gateway/recordCompaction", request))["count"] == 1
    assert others_of(path) == []


async def test_a_directory_that_vanishes_meanwhile_is_an_error_and_made_again(
    store: Store, path: Path
):
    lay(path, {"a": ENTRY})

    def edit(draft: Draft) -> None:
        draft.put("b", StoreEntry.of(ENTRY))
        shutil.rmtree(path.parent)

    with pytest.raises(WriteFailed) as raised:
        await change(store, edit)
    assert raised.value.data["errno"] == errno.ENOENT
    assert not path.parent.exists()
    assert (await store.read()).items == {}
    await put(store, c=ENTRY)
    assert json.loads(path.read_bytes()) == {"c": ENTRY}
    assert others_of(path) == []


async def test_a_store_that_vanishes_meanwhile_is_written(store: Store, path: Path):
    lay(path, {"a": ENTRY})

    def edit(draft: Draft) -> None:
        draft.put("b", StoreEntry.of(ENTRY))
        path.unlink()

    await change(store, edit)
    assert list(json.loads(path.read_bytes())) == ["a", "b"]


async def test_readers_find_a_whole_store_at_every_moment(path: Path):
    store = store_at(path, 10)
    await put(store, k={"n": 0, "text": "x" * 100_000})
    stop = threading.Event()
    wrong: list[bytes] = []
    seen: set[int] = set()

    def look() -> None:
        while not stop.is_set():
            text = path.read_bytes()
            try:
                seen.add(json.loads(text)["k"]["n"])
            except (ValueError, KeyError):
                wrong.append(text)

    reader = threading.Thread(target=look)
    reader.start()
    for number in range(1, 200):
        await put(store, k={"n": number, "text": "x" * (number * 500)})
    stop.set()
    reader.join()
    assert wrong == []
    assert seen <= set(range(200))


async def test_one_store_under_several_names_has_one_turn(tmp_path: Path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").symlink_to("a")
    known = Stores(1)
    turn = known.turn(f"{tmp_path}/a/s.json")
    assert known.turn(f"{tmp_path}/b/s.json") is turn
    assert known.turn(f"{tmp_path}/a/t.json") is not turn


async def test_few_stores_are_remembered(tmp_path: Path):
    known = Stores(1)
    for number in range(100):
        path = tmp_path / f"{number}.json"
        lay(path, {"a": ENTRY})
        assert len(known.read(str(path)).items) == 1
    held = [value for value in vars(known).values() if hasattr(value, "__len__")]
    assert max(map(len, held)) < 20


async def test_a_store_that_is_too_large_is_refused(store: Store, path: Path):
    lay(path, "{}")
    os.truncate(path, 65 * 1024 * 1024)
    with pytest.raises(ReadFailed, match="64 MB"):
        await store.read()
