"""Renaming, checking and repairing session files over the wire."""

import asyncio
import errno
import itertools
import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.app import daemon, lines_of, user
from support.client import Client, RpcError
from support.session_lines import append, header, line

from sessiond.catalog import check as checking
from sessiond.catalog import repair as repairing
from sessiond.files import identity, journal

TORN = '{"type":"message","id":"t","parentId":"b","times'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "s" / "s.jsonl"
    path.parent.mkdir()
    path.write_text(header() + line("a") + line("b", "a"))
    return path


async def refused(client: Client, method: str, **params: Any) -> RpcError:
    with pytest.raises(RpcError) as raised:
        await client.request(method, params)
    return raised.value


def kinds(found: list[dict[str, Any]]) -> list[tuple[int, str]]:
    assert all(item["message"].endswith(".") for item in found)
    return [(item["line"], item["kind"]) for item in found]


async def test_a_new_name_is_appended_after_the_tip_and_moves_no_leaf(tmp_path: Path, file: Path):
    append(file, line("c", "a"))
    async with daemon(tmp_path) as client:
        opened = await client.request("session/open", {"path": str(file)})
        session = {"session": opened["session"]}
        await client.request("session/branch", {**session, "entryId": "b"})
        given = {"path": str(file), "name": " A\r\nname "}
        entry_id = (await client.request("catalog/rename", given))["id"]
        told = await client.notification("session/didChange")
        state = await client.request("session/getState", session)
    written = json.loads(lines_of(file)[-1])
    assert list(written) == ["type", "id", "parentId", "timestamp", "name"]
    assert (written["type"], written["id"], written["parentId"]) == ("session_info", entry_id, "c")
    assert written["name"] == "A name"
    assert (told["kind"], told["leafId"], told["name"]) == ("appended", "b", "A name")
    assert (state["leafId"], state["tipId"]) == ("b", entry_id)


async def test_a_session_that_is_not_open_is_renamed_and_its_old_version_migrated(
    tmp_path: Path, file: Path
):
    file.write_text(header().replace(' "version": 3,', "") + '{"type":"message","message":{}}\n')
    async with daemon(tmp_path) as client:
        await client.request("catalog/rename", {"path": str(file), "name": "n"})
        listed = await client.request("session/listAll", {"sessionDir": str(file.parent)})
        await client.request("catalog/rename", {"path": str(file), "name": ""})
        again = await client.request("session/listAll", {"sessionDir": str(file.parent)})
    assert listed["sessions"][0]["name"] == "n"
    assert "name" not in again["sessions"][0]
    first, entry, name, _ = map(json.loads, lines_of(file))
    assert first["version"] == 3
    assert name["parentId"] == entry["id"]


async def test_a_file_that_is_not_a_session_is_not_renamed(tmp_path: Path, file: Path):
    other = tmp_path / "other.jsonl"
    other.write_text("notes\n")
    async with daemon(tmp_path) as client:
        for path, kind in [
            (tmp_path / "none.jsonl", "SessionNotFound"),
            (other, "InvalidSessionFile"),
            (file.parent, "ReadFailed"),
        ]:
            error = await refused(client, "catalog/rename", path=str(path), name="n")
            assert error.kind == kind
    assert other.read_text() == "notes\n"
    assert not (tmp_path / "none.jsonl").exists()


async def test_a_read_only_daemon_looks_and_changes_nothing(tmp_path: Path, file: Path):
    append(file, TORN)
    before = file.read_bytes()
    async with daemon(tmp_path, read_only=True) as client:
        for method, more in [
            ("catalog/rename", {"name": "n"}),
            ("catalog/repair", {"dryRun": False}),
        ]:
            assert (await refused(client, method, path=str(file), **more)).kind == "ReadOnly"
        assert not (await client.request("catalog/check", {"path": str(file)}))["files"][0]["ok"]
        assert (await client.request("catalog/repair", {"path": str(file), "dryRun": True}))[
            "actions"
        ]
    assert file.read_bytes() == before
    assert [path.name for path in file.parent.iterdir()] == ["s.jsonl"]


async def test_no_path_leads_out_of_the_roots(tmp_path: Path, file: Path):
    outside = tmp_path / "outside.jsonl"
    outside.write_text(header())
    async with daemon(tmp_path, roots=[str(file.parent)]) as client:
        for method, params in [
            ("catalog/rename", {"path": str(outside), "name": "n"}),
            ("catalog/check", {"path": str(outside)}),
            ("catalog/check", {"cwd": "/w"}),
            ("catalog/check", {}),
            ("catalog/repair", {"path": str(outside), "dryRun": True}),
            ("catalog/repair", {"path": str(outside), "dryRun": False}),
            ("catalog/stats", {"path": str(outside)}),
        ]:
            assert (await refused(client, method, **params)).kind == "PathNotAllowed"


@pytest.mark.parametrize(
    "params", [{"path": "/a", "cwd": "/"}, {"path": "/a", "sessionDir": "/"}, {"all": True}]
)
async def test_a_file_or_a_scope_selects_the_files_to_check(tmp_path: Path, params: dict[str, Any]):
    async with daemon(tmp_path) as client:
        assert (await refused(client, "catalog/check", **params)).code == -32602


def laid(tmp_path: Path) -> Path:
    """Sessions of two working directories, whole ones and others."""
    store = tmp_path / ".pi" / "agent" / "sessions"
    for name in ("--w--", "--v--"):
        (store / name).mkdir(parents=True)
    (store / "--w--" / "good.jsonl").write_text(header() + line("a"))
    (store / "--w--" / "torn.jsonl").write_text(header() + line("b") + TORN)
    (store / "--w--" / "empty.jsonl").touch()
    (store / "--w--" / "dir.jsonl").mkdir()
    (store / "--w--" / "x.jsonl.bak-1").write_text("x")
    (store / "--v--" / "other.jsonl").write_text("\n" + line("a"))
    return store


W = {
    "dir": [(0, "unreadable")],
    "empty": [(0, "notASession")],
    "good": [],
    "torn": [(3, "tornTail")],
}


async def test_the_sessions_of_one_directory_or_of_all_are_checked(tmp_path: Path):
    store = laid(tmp_path)
    before = {path: path.stat().st_mtime_ns for path in store.rglob("*")}
    async with daemon(tmp_path) as client:
        one = (await client.request("catalog/check", {"cwd": "/w"}))["files"]
        every = (await client.request("catalog/check", {}))["files"]
    assert {Path(item["path"]).stem: kinds(item["problems"]) for item in one} == W
    assert [item["ok"] for item in one] == [False, False, True, False]
    found = {Path(item["path"]).stem: kinds(item["problems"]) for item in every}
    assert found == {"other": [(2, "notASession")], **W}
    assert {path: path.stat().st_mtime_ns for path in store.rglob("*")} == before


async def test_where_one_directory_is_for_all_only_sessions_of_the_cwd_are_checked(tmp_path: Path):
    store = tmp_path / "store"
    store.mkdir()
    (store / "a.jsonl").write_text(header(cwd="/w") + TORN)
    (store / "b.jsonl").write_text(header(cwd="/v"))
    (store / "c.jsonl").write_text("notes")
    env = {"PI_CODING_AGENT_SESSION_DIR": str(store)}
    async with daemon(tmp_path, env=env) as client:
        one = (await client.request("catalog/check", {"cwd": "/w"}))["files"]
        every = (await client.request("catalog/check", {}))["files"]
    assert [Path(item["path"]).name for item in one] == ["a.jsonl"]
    assert [Path(item["path"]).name for item in every] == ["a.jsonl", "b.jsonl", "c.jsonl"]


async def test_a_single_file_that_cannot_be_read_is_an_error(tmp_path: Path, file: Path):
    async with daemon(tmp_path) as client:
        missing = await refused(client, "catalog/check", path=str(tmp_path / "none.jsonl"))
        directory = await refused(client, "catalog/check", path=str(file.parent))
    assert (missing.kind, directory.kind) == ("SessionNotFound", "ReadFailed")


async def test_a_cancelled_check_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    laid(tmp_path)
    begun, go_on = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()
    looked: list[str] = []

    def slow(path: str) -> checking.Checked:
        looked.append(path)
        loop.call_soon_threadsafe(begun.set)
        asyncio.run_coroutine_threadsafe(go_on.wait(), loop).result(30)
        return checking.Checked(path, [])

    monkeypatch.setattr(checking, "check", slow)
    async with daemon(tmp_path) as client:
        answer = client.start("catalog/check", {}, id_="c")
        await asyncio.wait_for(begun.wait(), 30)
        client.notify("$/cancelRequest", {"id": "c"})
        assert (await asyncio.wait_for(answer, 30)).value["error"]["code"] == -32800
        go_on.set()
        await client.request("daemon/status")
    assert len(looked) == 1


async def test_a_dry_run_has_to_be_chosen_and_changes_nothing(tmp_path: Path, file: Path):
    append(file, TORN)
    before = file.read_bytes()
    async with daemon(tmp_path) as client:
        found = await client.request("catalog/repair", {"path": str(file), "dryRun": True})
        assert kinds(found["problems"]) == kinds(found["actions"]) == [(4, "tornTail")]
        assert found.keys() == {"problems", "actions"}
        for more in ({}, {"dryRun": None}):
            error = await refused(client, "catalog/repair", path=str(file), **more)
            assert (error.kind, error.data["pointer"]) == ("InvalidParams", "/dryRun")
    assert file.read_bytes() == before
    assert [path.name for path in file.parent.iterdir()] == ["s.jsonl"]


async def test_a_repaired_file_has_a_backup_and_open_handles_see_it_rewritten(
    tmp_path: Path, file: Path
):
    whole = file.read_bytes()
    append(file, "null\n" + TORN)
    file.chmod(0o640)
    before = file.read_bytes()
    params = {"path": str(file), "dryRun": False}
    async with daemon(tmp_path) as client:
        session = (await client.request("session/open", {"path": str(file)}))["session"]
        await client.request("catalog/subscribe", {"sessionDir": str(file.parent)})
        done = await client.request("catalog/repair", params)
        told = await client.notification("session/didChange")
        assert (told["kind"], told["entryCount"], told["leafId"]) == ("rewritten", 2, "b")
        state = await client.request("session/getState", {"session": session})
        assert (state["diagnostics"], state["generation"]) == ([], 1)
        message = {"session": session, "message": user("on")}
        await client.request("session/appendMessage", message)
        again = await client.request("catalog/repair", params)
        checked = await client.request("catalog/check", {"path": str(file)})
        listed = await client.request("session/listAll", {"sessionDir": str(file.parent)})
    assert kinds(done["problems"]) == kinds(done["actions"]) == [(4, "notAnEntry"), (5, "tornTail")]
    backup = Path(done["backup"])
    assert backup.name.startswith("s.jsonl.bak-2")
    assert backup.read_bytes() == before
    assert {stat.S_IMODE(path.stat().st_mode) for path in (file, backup)} == {0o640}
    assert again == {"problems": [], "actions": []}
    assert checked == {"files": [{"path": str(file), "ok": True, "problems": []}]}
    assert listed["total"] == 1
    assert file.read_bytes().startswith(whole)
    assert sorted(path.name for path in file.parent.iterdir()) == ["s.jsonl", backup.name]


async def test_repair_through_a_link_changes_its_target_and_puts_the_backup_next_to_it(
    tmp_path: Path, file: Path
):
    append(file, TORN)
    link = tmp_path / "link.jsonl"
    link.symlink_to(file)
    async with daemon(tmp_path) as client:
        done = await client.request("catalog/repair", {"path": str(link), "dryRun": False})
    assert link.is_symlink()
    assert Path(done["backup"]).parent == file.parent
    assert len(lines_of(file)) == 3


@pytest.mark.parametrize("linked", [True, False])
def test_lines_that_others_write_meanwhile_are_kept(
    file: Path, monkeypatch: pytest.MonkeyPatch, linked: bool
):
    append(file, "null\n")
    before = file.read_bytes()
    rename = os.rename

    def late(source: str, target: str, **options: Any) -> None:
        append(file, line("late", "b"))
        rename(source, target, **options)

    def refuse(*_: Any, **__: Any) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "rename", late)
    if not linked:
        # As on a file system without hard links.
        monkeypatch.setattr(os, "link", refuse)
        monkeypatch.setattr(journal, "publish", rename)
    descriptor = os.open(file, os.O_RDWR | os.O_APPEND)
    try:
        done = repairing.repair(str(file), descriptor)
    finally:
        os.close(descriptor)
    assert file.read_text() == header() + line("a") + line("b", "a") + line("late", "b")
    assert done.backup is not None
    assert Path(done.backup).read_bytes().startswith(before)


def test_a_repair_that_fails_leaves_the_file_and_no_backup(
    file: Path, monkeypatch: pytest.MonkeyPatch
):
    append(file, "null\n")
    before = file.read_bytes()

    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "rename", refuse)
    descriptor = os.open(file, os.O_RDWR | os.O_APPEND)
    with pytest.raises(Exception, match="No space left"):
        repairing.repair(str(file), descriptor)
    os.close(descriptor)
    assert file.read_bytes() == before
    assert [path.name for path in file.parent.iterdir()] == ["s.jsonl"]


async def test_a_file_replaced_before_its_repair_is_repaired_in_its_new_state(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
):
    append(file, TORN)
    other = tmp_path / "other"
    other.write_text(header() + line("z") + "null\n")
    really = repairing.repair

    def after_another(*args: Any) -> repairing.Repaired:
        if other.exists():
            other.rename(file)
        return really(*args)

    monkeypatch.setattr(repairing, "repair", after_another)
    async with daemon(tmp_path) as client:
        done = await client.request("catalog/repair", {"path": str(file), "dryRun": False})
    assert kinds(done["actions"]) == [(3, "notAnEntry")]
    assert file.read_text() == header() + line("z")
    assert Path(done["backup"]).read_text() == header() + line("z") + "null\n"


async def test_a_file_that_is_not_a_session_is_not_repaired(tmp_path: Path, file: Path):
    file.write_text("\n" + line("a"))
    async with daemon(tmp_path) as client:
        for dry_run in (True, False):
            error = await refused(client, "catalog/repair", path=str(file), dryRun=dry_run)
            assert (error.kind, error.data["line"]) == ("InvalidSessionFile", 2)
            missing = str(tmp_path / "none.jsonl")
            error = await refused(client, "catalog/repair", path=missing, dryRun=dry_run)
            assert error.kind == "SessionNotFound"
    assert [path.name for path in file.parent.iterdir()] == ["s.jsonl"]


@pytest.mark.parametrize("reading", [1, 2])
async def test_a_disk_that_fails_while_a_file_is_repaired_is_a_failed_read(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch, reading: int
):
    append(file, TORN)
    content = file.read_bytes()
    whole, readings = identity.chunks, itertools.count(1)

    def failing(descriptor: int, start: int, end: int | None = None) -> Iterator[bytes]:
        if next(readings) == reading:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return whole(descriptor, start, end)

    async with daemon(tmp_path) as client:
        for module in (repairing, journal):
            monkeypatch.setattr(module, "chunks", failing)
        error = await refused(client, "catalog/repair", path=str(file), dryRun=False)
        monkeypatch.undo()
        assert (error.kind, error.data["errno"]) == ("ReadFailed", errno.EIO)
        assert file.read_bytes() == content
        assert [each.name for each in file.parent.iterdir()] == [file.name]
        done = await client.request("catalog/repair", {"path": str(file), "dryRun": False})
    assert done["actions"]


async def test_check_skips_trajectory_files_next_to_sessions(tmp_path: Path):
    folder = tmp_path / ".openclaw" / "agents" / "main" / "sessions"
    folder.mkdir(parents=True)
    (folder / "a.jsonl").write_text(header())
    (folder / "a.trajectory.jsonl").write_text('{"type":"trace.metadata","seq":1}\n')
    # By its header it is a session, whatever it is called.
    (folder / "b.trajectory.jsonl").write_text(header())
    async with daemon(tmp_path, profile="openclaw") as client:
        checked = (await client.request("catalog/check", {}))["files"]
        listed = (await client.request("session/listAll"))["sessions"]
    assert [Path(file["path"]).name for file in checked] == ["a.jsonl", "b.trajectory.jsonl"]
    assert {info["path"] for info in listed} == {file["path"] for file in checked}
