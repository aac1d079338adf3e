"""Marks of sessions: what lists have by them, and how they are kept."""

from __future__ import annotations

import asyncio
import json
import os
import random
import time
from pathlib import Path
from typing import Any

import pytest
from support.app import client_of, daemon, engine
from support.client import RpcError
from support.sessions_on_disk import write_session

from sessiond.catalog.mark_file import FileMarks
from sessiond.catalog.marks import MarkChange

HOUR = 3_600_000
BEGIN = 1_772_409_600_000
WORDS = ("bug", "review", "Ünïcode", "later")


def place(home: Path, number: int) -> Path:
    return home / f".pi/agent/sessions/--w--/{number:03}.jsonl"


def write(home: Path, number: int, modified: int = BEGIN) -> str:
    path = place(home, number)
    write_session(path, "x", session_id=f"s{number}", cwd="/w", modified=modified)
    return str(path)


def marks_file(home: Path) -> Path:
    return home / ".local/share/sessiond/marks.jsonl"


@pytest.mark.parametrize("seed", range(4))
async def test_lists_are_those_of_a_naive_model_on_all_pages(tmp_path: Path, seed: int):
    chance = random.Random(seed)
    times = [BEGIN + chance.randrange(20) * HOUR for _ in range(30)]
    paths = [write(tmp_path, number, at) for number, at in enumerate(times)]
    model: list[dict[str, Any]] = [{"pinned": False, "hidden": False, "tags": set()} for _ in paths]
    async with daemon(tmp_path) as client:
        for _ in range(20):
            several = chance.sample(range(30), chance.randrange(1, 6))
            change: dict[str, Any] = {}
            for mark in ("pinned", "hidden"):
                if chance.random() < 0.4:
                    change[mark] = chance.random() < 0.7
            change["addTags"] = chance.sample(WORDS, chance.randrange(3))
            change["removeTags"] = chance.sample(WORDS, chance.randrange(2))
            for number in several:
                model[number].update({key: change[key] for key in change if "Tags" not in key})
                model[number]["tags"] -= set(change["removeTags"])
                model[number]["tags"] |= set(change["addTags"])
            answer = await client.request(
                "catalog/setMarks", {"paths": [paths[each] for each in several], **change}
            )
            expected = [{**model[each], "tags": sorted(model[each]["tags"])} for each in several]
            assert answer["marks"] == expected
        for _ in range(20):
            asked: dict[str, Any] = {
                "tag": chance.choice([None, *WORDS]),
                "hidden": chance.choice([None, "include", "exclude", "only"]),
                "pinnedFirst": chance.random() < 0.5,
                "sort": chance.choice([None, "messages", "used"]),
            }
            numbers = [
                each
                for each, marks in enumerate(model)
                if (asked["tag"] is None or asked["tag"] in marks["tags"])
                and (
                    asked["hidden"] in (None, "include")
                    or marks["hidden"] == (asked["hidden"] == "only")
                )
            ]
            numbers.sort(
                key=lambda each: (
                    asked["pinnedFirst"] and model[each]["pinned"],
                    times[each],
                    paths[each],
                ),
                reverse=True,
            )
            listed, cursor = [], None
            while True:
                page = await client.request(
                    "session/listAll", {**asked, "limit": 4, "cursor": cursor}
                )
                listed += page["sessions"]
                cursor = page.get("nextCursor")
                if cursor is None:
                    break
            assert [each["path"] for each in listed] == [paths[each] for each in numbers], asked
            for number, info in zip(numbers, listed, strict=True):
                marks = {**model[number], "tags": sorted(model[number]["tags"])}
                assert info.get("marks") == (marks if any(marks.values()) else None)


async def test_marks_follow_a_session_that_is_renamed_and_moved_and_survive_the_cache(
    tmp_path: Path,
):
    path = write(tmp_path, 1)
    async with daemon(tmp_path) as client:
        await client.request("catalog/setMarks", {"paths": [path], "pinned": True})
        await client.request("catalog/rename", {"path": path, "name": "n"})
    moved = place(tmp_path, 2)
    os.rename(path, moved)
    for file in (tmp_path / ".cache").rglob("*"):
        if file.is_file():
            file.unlink()
    async with daemon(tmp_path) as client:
        (info,) = (await client.request("session/listAll", {}))["sessions"]
        assert (info["path"], info["name"], info["marks"]["pinned"]) == (str(moved), "n", True)


async def test_a_damaged_line_hides_no_other_and_stays(tmp_path: Path):
    paths = [write(tmp_path, number) for number in range(3)]
    damaged = [
        b"{",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"agent":"pi","id":7,"pinned":true}',
        b'"text"',
        b'{"agent":"pi","id":"s2","pinned":"yes","tags":"bug"}',
    ]
    whole = b'{"agent": "pi", "id": "s0", "pinned": true, "later": {"a": 1}}'
    file = marks_file(tmp_path)
    file.parent.mkdir(parents=True)
    file.write_bytes(b"\n".join([*damaged, whole]))
    async with daemon(tmp_path) as client:
        listed = (await client.request("session/listAll", {"pinnedFirst": True}))["sessions"]
        assert [each.get("marks", {}).get("pinned") for each in listed] == [True, None, None]
        await client.request("catalog/setMarks", {"paths": [paths[1]], "hidden": True})
        await client.request("catalog/setMarks", {"paths": [paths[0]], "addTags": ["a"]})
    lines = file.read_bytes().split(b"\n")
    assert lines[: len(damaged)] == damaged
    # Members of a newer version stay, too.
    assert json.loads(lines[len(damaged)])["later"] == {"a": 1}
    assert json.loads(lines[len(damaged)])["tags"] == ["a"]


@pytest.mark.parametrize("kind", ["directory", "fifo", "loop"])
async def test_a_file_of_marks_that_cannot_be_read_hides_no_session(tmp_path: Path, kind: str):
    path, file = write(tmp_path, 1), marks_file(tmp_path)
    file.parent.mkdir(parents=True)
    if kind == "directory":
        file.mkdir()
    elif kind == "fifo":
        os.mkfifo(file)
    else:
        file.symlink_to(file)
    async with daemon(tmp_path) as client:
        asked = {"hidden": "exclude", "pinnedFirst": True}
        assert (await client.request("session/listAll", asked))["total"] == 1
        assert len((await client.request("catalog/subscribe", {}))["sessions"]) == 1
        with pytest.raises(RpcError) as refused:
            await client.request("catalog/setMarks", {"paths": [path], "pinned": True})
    assert refused.value.data["kind"] in {"ReadFailed", "WriteFailed"}


async def test_looking_creates_no_file(tmp_path: Path):
    write(tmp_path, 1)
    async with daemon(tmp_path) as client:
        await client.request("session/listAll", {"hidden": "exclude", "pinnedFirst": True})
        await client.request("catalog/subscribe", {})
    assert not marks_file(tmp_path).parent.exists()


async def test_a_daemon_that_only_reads_refuses(tmp_path: Path):
    path = write(tmp_path, 1)
    async with daemon(tmp_path, read_only=True) as client:
        with pytest.raises(RpcError) as refused:
            await client.request("catalog/setMarks", {"paths": [path], "pinned": True})
    assert refused.value.data["kind"] == "ReadOnly"
    assert not marks_file(tmp_path).exists()


@pytest.mark.parametrize("tag", ["", "a b", "a,b", "a\nb", "a\u202eb", "x" * 65, "\ud800"])
async def test_a_tag_that_is_no_word_is_refused(tmp_path: Path, tag: str):
    path = write(tmp_path, 1)
    async with daemon(tmp_path) as client:
        with pytest.raises(RpcError) as refused:
            await client.request("catalog/setMarks", {"paths": [path], "addTags": ["ok", tag]})
    assert refused.value.data["kind"] == "InvalidParams"
    assert not marks_file(tmp_path).exists()


async def test_all_sessions_get_their_marks_or_none(tmp_path: Path):
    path = write(tmp_path, 1)
    missing = str(place(tmp_path, 9))
    async with daemon(tmp_path) as client:
        with pytest.raises(RpcError):
            await client.request("catalog/setMarks", {"paths": [path, missing], "pinned": True})
    assert not marks_file(tmp_path).exists()


async def test_processes_that_mark_at_once_lose_nothing(tmp_path: Path):
    path = str(tmp_path / "data/marks.jsonl")
    writers = [FileMarks(path, 10) for _ in range(8)]
    await asyncio.gather(
        *(
            each.change([("pi", f"s{number}")], MarkChange(pinned=True))
            for number, each in enumerate(writers * 5)
        )
    )
    assert {key for key, marks in (await FileMarks(path, 1).read()).items() if marks.pinned} == {
        ("pi", f"s{number}") for number in range(40)
    }


async def test_the_lists_of_other_clients_and_processes_are_notified(tmp_path: Path):
    path = write(tmp_path, 1)
    env = {"HOME": str(tmp_path)}
    async with engine(tmp_path) as made, client_of(made, env) as one, client_of(made, env) as other:
        await other.request("catalog/subscribe", {"tag": "bug"})
        await one.request("catalog/setMarks", {"paths": [path], "addTags": ["bug"]})
        told = await other.notification("catalog/didChange")
        assert [each["kind"] for each in told["changes"]] == ["added"]
        # Another process writes the file without a word to this one.
        await FileMarks(str(marks_file(tmp_path)), 1).change(
            [("pi", "s1")], MarkChange(removed=frozenset({"bug"}))
        )
        told = await other.notification("catalog/didChange")
        assert told["changes"] == [{"kind": "removed", "path": path}]


async def test_a_resumed_subscription_gets_marks_that_changed_meanwhile(tmp_path: Path):
    paths = [write(tmp_path, number) for number in range(3)]
    async with daemon(tmp_path) as client:
        asked = {"hidden": "exclude"}
        token = (await client.request("catalog/subscribe", asked))["resumeToken"]
    async with daemon(tmp_path) as client:
        await client.request("catalog/setMarks", {"paths": [paths[0]], "pinned": True})
        await client.request("catalog/setMarks", {"paths": [paths[1]], "hidden": True})
        answer = await client.request("catalog/subscribe", {**asked, "resumeToken": token})
    assert [each["path"] for each in answer["sessions"]] == [paths[0]]
    assert answer["removed"] == [paths[1]]


async def test_reading_and_changing_take_linear_time(tmp_path: Path):
    times = []
    for count in (5_000, 40_000):
        path = tmp_path / f"{count}/marks.jsonl"
        path.parent.mkdir()
        lines = (json.dumps({"agent": "pi", "id": f"s{n}", "pinned": True}) for n in range(count))
        path.write_text("\n".join(lines) + "\n")
        marks = FileMarks(str(path), 1)
        began = time.process_time()
        assert len(await marks.read()) == count
        keys = [("pi", f"n{number}") for number in range(count // 10)]
        await marks.change(keys, MarkChange(hidden=True))
        times.append(time.process_time() - began)
    # Eight times as much; quadratic time would be 64 times as much.
    assert times[1] < 24 * times[0]
