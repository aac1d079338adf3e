"""`catalog/undo`, and the names of changes."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from support.app import daemon
from support.client import Client, RpcError
from support.session_lines import header, line


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    folder = tmp_path / ".pi/agent/sessions/--w--"
    folder.mkdir(parents=True)
    made = []
    for name in ("aaa", "bbb", "ccc"):
        file = folder / f"{name}.jsonl"
        file.write_text(header(name, "/w") + line(f"{name}1") + line(f"{name}2", f"{name}1"))
        made.append(file)
    return made


async def undo(client: Client) -> dict[str, Any]:
    return await client.request("catalog/undo")  # type: ignore[no-any-return]


async def test_deletions_with_one_name_come_back_together(tmp_path: Path, files: list[Path]):
    async with daemon(tmp_path) as client:
        for file, change in zip(files, ("one", "two", "two"), strict=True):
            params = {"path": str(file), "change": change}
            done = await client.request("catalog/delete", params)
            assert done == {"trashed": True, "undoable": True}
        assert [each["path"] for each in (await undo(client))["changes"]] == list(
            map(str, files[1:])
        )
        assert [file.exists() for file in files] == [False, True, True]
    # Another process of the same user goes on.
    async with daemon(tmp_path) as client:
        assert (await undo(client))["changes"] == [{"kind": "delete", "path": str(files[0])}]
        assert await undo(client) == {"changes": []}


async def test_a_change_without_a_name_is_not_noted(tmp_path: Path, files: list[Path]):
    async with daemon(tmp_path) as client:
        assert await client.request("catalog/delete", {"path": str(files[0])}) == {"trashed": True}
        assert await undo(client) == {"changes": []}
        assert not files[0].exists()


async def test_names_and_labels_are_what_they_were(tmp_path: Path, files: list[Path]):
    path = str(files[0])
    async with daemon(tmp_path) as client:
        for name in ("First", " Second\n"):
            await client.request("catalog/rename", {"path": path, "name": name, "change": name})
        label = {"path": path, "entryId": "aaa1", "change": "x"}
        await client.request("catalog/label", {**label, "label": "good"})
        await client.request("catalog/label", {**label, "label": ""})
        expected = [
            {"kind": "label", "path": path, "entryId": "aaa1", "label": "good"},
            {"kind": "label", "path": path, "entryId": "aaa1", "label": ""},
            {"kind": "rename", "path": path, "name": "First"},
            {"kind": "rename", "path": path, "name": ""},
        ]
        for change in expected:
            assert await undo(client) == {"changes": [change]}
        assert await undo(client) == {"changes": []}


async def test_what_was_changed_since_stays(tmp_path: Path, files: list[Path]):
    path = str(files[0])
    async with daemon(tmp_path) as client:
        await client.request("catalog/rename", {"path": path, "name": "Mine", "change": "1"})
        await client.request("catalog/rename", {"path": path, "name": "Newer"})
        before = files[0].read_bytes()
        answer = await undo(client)
        assert answer["changes"] == []
        (problem,) = answer["problems"]
        assert (problem["kind"], problem["path"]) == ("changed", path)
        assert files[0].read_bytes() == before
        # It is not tried again.
        assert await undo(client) == {"changes": []}


async def test_what_failed_can_be_tried_again(tmp_path: Path, files: list[Path]):
    async with daemon(tmp_path) as client:
        for file in files[:2]:
            await client.request("catalog/delete", {"path": str(file), "change": "1"})
        files[0].write_text("in the way\n")
        answer = await undo(client)
        assert [each["path"] for each in answer["changes"]] == [str(files[1])]
        assert [each["path"] for each in answer["problems"]] == [str(files[0])]
        files[0].unlink()
        assert (await undo(client))["changes"] == [{"kind": "delete", "path": str(files[0])}]


async def test_a_label_needs_its_entry_and_moves_no_leaf(tmp_path: Path, files: list[Path]):
    path = str(files[0])
    async with daemon(tmp_path) as client:
        opened = await client.request("session/open", {"path": path})
        await client.request("session/branch", {"session": opened["session"], "entryId": "aaa1"})
        with pytest.raises(RpcError) as refused:
            await client.request("catalog/label", {"path": path, "entryId": "zzz", "label": "x"})
        assert refused.value.kind == "EntryNotFound"
        done = await client.request(
            "catalog/label", {"path": path, "entryId": "aaa2", "label": "x"}
        )
        entry = json.loads(files[0].read_text().splitlines()[-1])
        assert (entry["id"], entry["parentId"], entry["targetId"]) == (done["id"], "aaa2", "aaa2")
        leaf = await client.request("session/getLeafId", {"session": opened["session"]})
        assert leaf["leafId"] == "aaa1"


async def test_nothing_is_noted_outside_of_roots(tmp_path: Path, files: list[Path]):
    async with daemon(tmp_path, roots=[str(files[0].parent)]) as client:
        done = await client.request("catalog/delete", {"path": str(files[0]), "change": "1"})
        assert done == {"trashed": True, "undoable": False}
    assert not (tmp_path / ".local/state/sessiond/changes.json").exists()


async def test_a_daemon_that_only_reads_takes_nothing_back(tmp_path: Path, files: list[Path]):
    async with daemon(tmp_path) as client:
        await client.request("catalog/delete", {"path": str(files[0]), "change": "1"})
    async with daemon(tmp_path, read_only=True) as client:
        with pytest.raises(RpcError) as refused:
            await undo(client)
        assert refused.value.kind == "ReadOnly"
    assert not files[0].exists()


@pytest.mark.parametrize("content", ["", "{", "[1, null]", "{}", "[" * 100_000])
async def test_a_damaged_record_is_no_record(tmp_path: Path, files: list[Path], content: str):
    record = tmp_path / ".local/state/sessiond/changes.json"
    record.parent.mkdir(parents=True)
    record.write_text(content)
    async with daemon(tmp_path) as client:
        assert await undo(client) == {"changes": []}
        await client.request("catalog/delete", {"path": str(files[0]), "change": "1"})
        assert len((await undo(client))["changes"]) == 1


async def test_a_change_of_a_later_version_is_refused_and_kept(tmp_path: Path):
    record = tmp_path / ".local/state/sessiond/changes.json"
    record.parent.mkdir(parents=True)
    record.write_text('[{"command": "transmogrify"}]')
    async with daemon(tmp_path) as client:
        with pytest.raises(RpcError) as refused:
            await undo(client)
        assert refused.value.kind == "Unsupported"
    assert "transmogrify" in record.read_text()


async def test_two_at_once_take_two_changes_back_or_say_why(tmp_path: Path, files: list[Path]):
    async with daemon(tmp_path) as one, daemon(tmp_path) as other:
        for file in files:
            await one.request("catalog/delete", {"path": str(file), "change": file.name})
        answers = await asyncio.gather(undo(one), undo(other))
        restored = [each["path"] for answer in answers for each in answer["changes"]]
        assert restored
        while (await undo(one)) != {"changes": []}:
            pass
        assert all(file.exists() for file in files)
