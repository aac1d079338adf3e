"""Deleting sessions, and getting them back."""

import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.app import client_of, daemon, engine, lines_of, user
from support.client import Client, RpcError, spawned
from support.process import isolated_environment
from support.session_lines import header, line

from sessiond.catalog import trash
from sessiond.catalog.index.database import SearchCache, cache_path
from sessiond.runtime.errors import WriteFailed
from sessiond.runtime.isolation import Faults

pytestmark = pytest.mark.skipif(sys.platform == "darwin", reason="the trash of macOS is another")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "s" / "100% é.jsonl"
    path.parent.mkdir()
    path.write_text(header() + line("a", text="first"))
    return path


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The trash directory of this test, so that no failure can touch the real one."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data"


def in_trash(data: Path) -> list[str]:
    files = data / "Trash" / "files"
    return sorted(path.name for path in files.iterdir()) if files.is_dir() else []


async def refused(client: Client, method: str, **params: Any) -> RpcError:
    with pytest.raises(RpcError) as raised:
        await client.request(method, params)
    return raised.value


async def test_a_deleted_session_is_in_the_trash_and_is_restored_as_it_was(
    tmp_path: Path, data: Path, file: Path
):
    file.chmod(0o640)
    os.utime(file, (1_000_000_000, 1_000_000_000))
    before, seen = file.read_bytes(), file.stat()
    async with daemon(tmp_path, env={"XDG_DATA_HOME": str(data)}) as client:
        assert await client.request("catalog/delete", {"path": str(file)}) == {"trashed": True}
        assert not file.exists()
        assert in_trash(data) == [file.name]
        (info,) = (data / "Trash" / "info").iterdir()
        assert f"Path={tmp_path}/s/100%25%20%C3%A9.jsonl".encode() in info.read_bytes()
        told = await client.request("catalog/restore", {"path": str(file)})
        listed = await client.request("session/listAll", {"sessionDir": str(file.parent)})
    assert [told] == listed["sessions"]
    assert told["firstMessage"] == "first"
    assert file.read_bytes() == before
    now = file.stat()
    assert (now.st_mode, now.st_mtime_ns) == (seen.st_mode, seen.st_mtime_ns)
    assert in_trash(data) == []
    assert list((data / "Trash" / "info").iterdir()) == []


async def test_without_a_data_directory_the_trash_is_in_the_home_directory(
    tmp_path: Path, data: Path, file: Path
):
    async with daemon(tmp_path) as client:
        await client.request("catalog/delete", {"path": str(file)})
    assert in_trash(tmp_path / ".local" / "share") == [file.name]
    assert in_trash(data) == []


async def test_of_several_deleted_at_one_place_the_latest_is_restored(
    tmp_path: Path, data: Path, file: Path
):
    async with daemon(tmp_path, env={"XDG_DATA_HOME": str(data)}) as client:
        for text in ("one", "two"):
            file.write_text(header() + line("a", text=text))
            await client.request("catalog/delete", {"path": str(file)})
        for text in ("two", "one"):
            told = await client.request("catalog/restore", {"path": str(file)})
            assert told["firstMessage"] == text
            file.unlink()
        error = await refused(client, "catalog/restore", path=str(file))
    assert error.kind == "SessionNotFound"
    assert str(file) in error.message


async def test_sessions_of_one_name_deleted_at_once_are_all_in_the_trash(
    tmp_path: Path, data: Path
):
    files = [tmp_path / f"s{number}" / "same.jsonl" for number in range(6)]
    for number, path in enumerate(files):
        path.parent.mkdir()
        path.write_text(header() + line("a", text=f"text {number}"))
    async with daemon(tmp_path, env={"XDG_DATA_HOME": str(data)}) as client:
        for method in ("catalog/delete", "catalog/restore"):
            answers = [client.start(method, {"path": str(path)}) for path in files]
            for answer in answers:
                assert "result" in (await answer).value
            assert len(in_trash(data)) == (6 if method == "catalog/delete" else 0)
    for number, path in enumerate(files):
        assert f"text {number}" in path.read_text()


async def test_restoring_never_replaces_a_file(tmp_path: Path, data: Path, file: Path):
    async with daemon(tmp_path, env={"XDG_DATA_HOME": str(data)}) as client:
        await client.request("catalog/delete", {"path": str(file)})
        for there in (lambda: file.write_text("mine"), lambda: file.symlink_to("nowhere")):
            there()
            error = await refused(client, "catalog/restore", path=str(file))
            assert (error.kind, error.data["path"]) == ("AlreadyExists", str(file))
            assert in_trash(data) == [file.name]
            file.unlink()
        await client.request("catalog/restore", {"path": str(file)})


async def test_a_session_whose_directory_is_gone_gets_it_back(
    tmp_path: Path, data: Path, file: Path
):
    async with daemon(tmp_path, env={"XDG_DATA_HOME": str(data)}) as client:
        await client.request("catalog/delete", {"path": str(file)})
        file.parent.rmdir()
        await client.request("catalog/restore", {"path": str(file)})
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def recorded(directory: Path, name: str, info: str, text: str = "") -> None:
    """Put a file into a trash directory as any program would by the specification."""
    for part in ("files", "info"):
        (directory / part).mkdir(parents=True, exist_ok=True)
    (directory / "files" / name).write_text(text or header() + line("a"))
    (directory / "info" / f"{name}.trashinfo").write_text(info)


def test_files_that_other_programs_put_in_the_trash_are_found(tmp_path: Path, data: Path):
    path = tmp_path / "s" / "a b.jsonl"
    (tmp_path / "s").mkdir()
    (tmp_path / "link").symlink_to("s")
    quoted = str(path).replace(" ", "%20")
    date = "DeletionDate=2026-01-01T00:00:0"
    bin_ = data / "Trash"
    recorded(bin_, "1", f"[Trash Info]\nPath={quoted}\n{date}1\n")
    recorded(bin_, "2", f"[Trash Info]\n{date}3\nPath={quoted}\nPath=/elsewhere\n{date}9\n")
    recorded(bin_, "3", f"[Trash Info]\nPath={tmp_path}/link/a%20b.jsonl\n{date}2\n")
    recorded(bin_, "4", f"[Trash Info]\nPath=../s/a b.jsonl\n{date}4\n")
    recorded(bin_, "5", f"[Other]\nPath={quoted}\n{date}5\n")
    recorded(bin_, "6", f"[Trash Info]\nPath={quoted}.old\n{date}6\n")
    recorded(bin_, "7", "")
    (bin_ / "info" / "gone.trashinfo").write_text(f"[Trash Info]\nPath={quoted}\n{date}7\n")
    (bin_ / "info" / "odd.trashinfo").mkdir()
    found = sorted(trash.trashed(str(path), {"XDG_DATA_HOME": str(data)}, Faults()), reverse=True)
    assert [Path(item.file).name for item in found] == ["4", "2", "3", "1"]


def test_a_file_in_the_trash_that_is_not_a_session_is_skipped(tmp_path: Path, data: Path):
    path = tmp_path / "a.jsonl"
    recorded(data / "Trash", "1", f"[Trash Info]\nPath={path}\nDeletionDate=2026-01-01T00:00:01\n")
    info = f"[Trash Info]\nPath={path}\nDeletionDate=2026-01-01T00:00:02\n"
    recorded(data / "Trash", "2", info, text="no session")
    trash.restore(str(path), {"XDG_DATA_HOME": str(data)})
    assert path.read_text() == header() + line("a")
    assert in_trash(data) == ["2"]


@pytest.fixture
def volume(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory that passes for the root of another file system."""
    top = tmp_path / "volume"
    top.mkdir()
    is_mount = os.path.ismount
    monkeypatch.setattr(os.path, "ismount", lambda path: path == str(top) or is_mount(path))
    return top


INFO = "[Trash Info]\nPath=dir/a.jsonl\nDeletionDate=2026-01-01T00:00:00\n"


@pytest.mark.parametrize("name", [f".Trash-{os.getuid()}", f".Trash/{os.getuid()}"])
def test_the_trash_of_another_file_system_is_searched(volume: Path, data: Path, name: str):
    recorded(volume / name, "x.jsonl", INFO)
    (volume / name).parent.chmod(0o1777)
    path = volume / "dir" / "a.jsonl"
    trash.restore(str(path), {"XDG_DATA_HOME": str(data)})
    assert path.read_text() == header() + line("a")
    assert list((volume / name / "info").iterdir()) == []


@pytest.mark.parametrize("kind", ["without sticky bit", "link", "file"])
def test_a_shared_trash_that_the_specification_rejects_is_not_searched(
    volume: Path, data: Path, kind: str
):
    shared = volume / ".Trash"
    trash_directory = shared if kind == "without sticky bit" else volume / "elsewhere"
    recorded(trash_directory / str(os.getuid()), "x.jsonl", INFO)
    trash_directory.chmod(0o777 if kind == "without sticky bit" else 0o1777)
    if kind == "link":
        shared.symlink_to(trash_directory)
    elif kind == "file":
        shared.touch()
        shared.chmod(0o1666)
    faults = Faults()
    env = {"XDG_DATA_HOME": str(data)}
    assert not list(trash.trashed(f"{volume}/dir/a.jsonl", env, faults))
    assert not list(faults)


def test_a_trash_that_another_user_may_have_prepared_is_not(
    volume: Path, data: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(os, "getuid", lambda: 4_000_000)
    recorded(volume / ".Trash-4000000", "x.jsonl", INFO)
    recorded(volume / ".Trash" / "4000000", "x.jsonl", INFO)
    assert not list(trash.trashed(f"{volume}/dir/a.jsonl", {"XDG_DATA_HOME": str(data)}, Faults()))


def test_across_file_systems_a_session_is_copied_back(
    tmp_path: Path, data: Path, file: Path, monkeypatch: pytest.MonkeyPatch
):
    env = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(data)}
    file.chmod(0o640)
    os.utime(file, (1_000_000_000, 1_000_000_000))
    before, seen = file.read_bytes(), file.stat()
    trash.to_trash(str(file), env)
    link = os.link

    def no_link(source: str, target: str, **more: Any) -> None:
        if "Trash" in source:
            raise OSError(18, "Invalid cross-device link")
        link(source, target, **more)

    monkeypatch.setattr(os, "link", no_link)
    trash.restore(str(file), env)
    assert file.read_bytes() == before
    now = file.stat()
    assert (now.st_mode, now.st_mtime_ns) == (seen.st_mode, seen.st_mtime_ns)
    assert in_trash(data) == []


@pytest.mark.parametrize("kind", ["file", "link"])
def test_a_session_or_a_link_to_one_is_moved(tmp_path: Path, data: Path, file: Path, kind: str):
    env = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(data)}
    content = file.read_bytes()
    if kind == "link":
        other, file = file, file.with_name("link.jsonl")
        file.symlink_to(other)
    trash.to_trash(str(file), env)
    assert not os.path.lexists(file)
    assert in_trash(data) == [file.name]
    assert (data / "Trash" / "files" / file.name).is_symlink() == (kind == "link")
    trash.restore(str(file), env)
    assert file.read_bytes() == content


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Path]:
    """A directory on another file system than the home."""
    memory = Path("/dev/shm")
    if not memory.is_dir() or memory.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("there is no second file system")
    with tempfile.TemporaryDirectory(dir=memory) as made:
        yield Path(made)


def test_a_file_of_another_file_system_is_renamed_into_a_trash_there(
    tmp_path: Path, data: Path, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
):
    is_mount = os.path.ismount
    monkeypatch.setattr(os.path, "ismount", lambda path: path == str(elsewhere) or is_mount(path))
    file = elsewhere / "dir" / "a b.jsonl"
    file.parent.mkdir()
    file.write_text(header() + line("a"))
    inode = file.stat().st_ino
    env = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(data)}
    trash.to_trash(str(file), env)
    there = elsewhere / f".Trash-{os.getuid()}"
    assert (there / "files" / file.name).stat().st_ino == inode
    assert stat.S_IMODE(there.stat().st_mode) == 0o700
    (info,) = (there / "info").iterdir()
    assert "\nPath=dir/a%20b.jsonl\n" in info.read_text()
    assert in_trash(data) == []
    assert not list((data / "Trash" / "info").iterdir())
    trash.restore(str(file), env)
    assert file.stat().st_ino == inode


@pytest.fixture
def only_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the trash in the home be the only one."""
    directories = trash._trash_directories
    monkeypatch.setattr(trash, "_trash_directories", lambda *given: [next(directories(*given))])


@pytest.mark.usefixtures("only_home")
def test_a_file_that_cannot_be_renamed_into_a_trash_stays(
    tmp_path: Path, data: Path, elsewhere: Path
):
    file = elsewhere / "a.jsonl"
    file.write_text(header() + line("a"))
    with pytest.raises(WriteFailed, match="delete it permanently instead"):
        trash.to_trash(str(file), {"HOME": str(tmp_path), "XDG_DATA_HOME": str(data)})
    assert file.read_text() == header() + line("a")
    assert [path.name for path in elsewhere.iterdir()] == ["a.jsonl"]
    assert in_trash(data) == []
    assert not list((data / "Trash" / "info").iterdir())


@pytest.mark.parametrize("moves", [True, False])
@pytest.mark.parametrize("fails", [True, False])
def test_on_macos_the_library_moves_a_file(tmp_path: Path, monkeypatch, moves: bool, fails: bool):
    file = tmp_path / "a.jsonl"
    file.write_text(header())

    def send2trash(path: str) -> None:
        if moves:
            os.unlink(path)
        if fails:
            raise OSError(5, "grumbling")

    monkeypatch.setattr(trash.sys, "platform", "darwin")
    monkeypatch.setitem(sys.modules, "send2trash", SimpleNamespace(send2trash=send2trash))
    if fails and not moves:
        with pytest.raises(WriteFailed, match="grumbling"):
            trash.to_trash(str(file), {})
    else:
        trash.to_trash(str(file), {})
    assert file.exists() != moves


async def test_only_who_asks_for_it_deletes_permanently(tmp_path: Path, data: Path, file: Path):
    data.write_text("a file where the directory should be")
    env = {"XDG_DATA_HOME": str(data), "PATH": ""}
    async with daemon(tmp_path, env=env) as client:
        error = await refused(client, "catalog/delete", path=str(file))
        assert error.kind == "WriteFailed"
        assert file.exists()
        params = {"path": str(file), "permanently": True}
        assert await client.request("catalog/delete", params) == {"trashed": False}
    assert not file.exists()


async def test_a_session_open_for_writing_in_this_daemon_is_not_deleted(
    tmp_path: Path, data: Path, file: Path
):
    async with daemon(tmp_path, env={"XDG_DATA_HOME": str(data)}) as client:
        session = (await client.request("session/open", {"path": str(file)}))["session"]
        for more in ({}, {"permanently": True}):
            error = await refused(client, "catalog/delete", path=str(file), **more)
            assert error.kind == "InUse"
            assert error.data["pids"] == [os.getpid()]
        assert file.exists()
        await client.request("session/close", {"session": session})
        await client.request("catalog/delete", {"path": str(file)})
    assert not file.exists()


async def test_looking_at_a_session_keeps_nobody_from_deleting_it(
    tmp_path: Path, data: Path, file: Path
):
    async with daemon(tmp_path, env={"XDG_DATA_HOME": str(data)}) as client:
        opened = await client.request("session/open", {"path": str(file), "readOnly": True})
        assert await client.request("catalog/delete", {"path": str(file)}) == {"trashed": True}
        change = await client.notification("session/didChange")
        assert (change["session"], change["kind"]) == (opened["session"], "deleted")
        entries = await client.request("session/getEntries", {"session": opened["session"]})
        assert len(entries["entries"]) == opened["entryCount"]
    assert in_trash(data) == [file.name]


async def test_who_may_not_delete_is_told_which_program_writes_which_file(
    tmp_path: Path, data: Path, file: Path
):
    env = isolated_environment(tmp_path, XDG_RUNTIME_DIR=str(tmp_path), XDG_DATA_HOME=str(data))
    command = [sys.executable, "-m", "sessiond"]
    async with spawned(command, env=env) as (one, first), spawned(command, env=env) as (two, _):
        info = {"name": "an\x1b[31m editor\n" + "x" * 1000, "version": "9"}
        await one.request("initialize", {"clientInfo": info})
        session = (await one.request("session/open", {"path": str(file)}))["session"]
        error = await refused(two, "catalog/delete", path=str(file))
        name = "an[31m editor" + "x" * (100 - len("an[31m editor"))
        expected = f"Session is open for writing in {name} (process {first.pid}): {file}"
        assert error.message == expected
        await one.request("session/close", {"session": session})
        await two.request("session/open", {"path": str(file)})
        error = await refused(one, "catalog/delete", path=str(file))
        assert "in another program (process " in error.message


async def test_force_deletes_an_open_session_and_an_append_restores_it(
    tmp_path: Path, data: Path, file: Path
):
    before = lines_of(file)
    async with daemon(tmp_path, env={"XDG_DATA_HOME": str(data)}) as client:
        session = (await client.request("session/open", {"path": str(file)}))["session"]
        await client.request("catalog/delete", {"path": str(file), "force": True})
        assert (await client.notification("session/didChange"))["kind"] == "deleted"
        message = {"session": session, "message": user("on")}
        await client.request("session/appendMessage", message)
    assert lines_of(file)[:-1] == before
    assert in_trash(data) == [file.name]


async def test_a_session_open_in_another_process_is_not_deleted(
    tmp_path: Path, data: Path, file: Path
):
    env = isolated_environment(tmp_path, XDG_RUNTIME_DIR=str(tmp_path), XDG_DATA_HOME=str(data))
    command = [sys.executable, "-m", "sessiond"]
    async with spawned(command, env=env) as (one, first), spawned(command, env=env) as (two, _):
        await one.request("session/open", {"path": str(file)})
        error = await refused(two, "catalog/delete", path=str(file))
        assert error.kind == "InUse"
        assert error.data["pids"] == [first.pid]
        params = {"path": str(file), "force": True}
        assert await two.request("catalog/delete", params) == {"trashed": True}
    assert in_trash(data) == [file.name]


async def test_only_sessions_are_deleted(tmp_path: Path, data: Path):
    (tmp_path / "notes.txt").write_text("notes")
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "dir.jsonl").mkdir()
    async with daemon(tmp_path, env={"XDG_DATA_HOME": str(data)}) as client:
        for name, kind in [
            ("notes.txt", "InvalidSessionFile"),
            ("empty.jsonl", "InvalidSessionFile"),
            ("dir.jsonl", "ReadFailed"),
            ("none.jsonl", "SessionNotFound"),
        ]:
            for more in ({}, {"permanently": True, "force": True}):
                path = str(tmp_path / name)
                assert (await refused(client, "catalog/delete", path=path, **more)).kind == kind
    assert (tmp_path / "notes.txt").exists()
    assert (tmp_path / "dir.jsonl").exists()


async def test_a_link_itself_is_deleted_and_restored(tmp_path: Path, data: Path, file: Path):
    link = file.with_name("link.jsonl")
    link.symlink_to(file.name)
    async with daemon(tmp_path, env={"XDG_DATA_HOME": str(data)}) as client:
        await client.request("catalog/delete", {"path": str(link)})
        assert not link.is_symlink()
        assert file.exists()
        told = await client.request("catalog/restore", {"path": str(link)})
        assert told["path"] == str(link)
    assert os.readlink(link) == file.name


async def test_subscribers_are_notified_of_deleted_and_restored_sessions(
    tmp_path: Path, data: Path, file: Path
):
    async with daemon(tmp_path, env={"XDG_DATA_HOME": str(data)}, watch="off") as client:
        await client.request("catalog/subscribe", {"sessionDir": str(file.parent)})
        for method, kind in (("catalog/delete", "removed"), ("catalog/restore", "added")):
            await client.request(method, {"path": str(file)})
            told = await client.notification("catalog/didChange")
            assert [(item["kind"], item["path"]) for item in told["changes"]] == [(kind, str(file))]


async def test_confined_daemons_delete_and_restore_inside_only(
    tmp_path: Path, data: Path, file: Path
):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "link.jsonl").symlink_to(file)
    (outside / "s.jsonl").write_text(header())
    options: dict[str, Any] = {"env": {"XDG_DATA_HOME": str(data)}, "roots": [str(file.parent)]}
    async with daemon(tmp_path, **options) as client:
        for path in (outside / "link.jsonl", outside / "s.jsonl", outside / "none.jsonl"):
            for method in ("catalog/delete", "catalog/restore"):
                error = await refused(client, method, path=str(path))
                assert error.kind == "PathNotAllowed"
        await client.request("catalog/delete", {"path": str(file)})
        await client.request("catalog/restore", {"path": str(file)})
    assert (outside / "link.jsonl").is_symlink()


async def test_a_read_only_daemon_leaves_everything_where_it_is(
    tmp_path: Path, data: Path, file: Path
):
    recorded(data / "Trash", "x", f"[Trash Info]\nPath={tmp_path}/x.jsonl\n")
    async with daemon(tmp_path, env={"XDG_DATA_HOME": str(data)}, read_only=True) as client:
        assert (await refused(client, "catalog/delete", path=str(file))).kind == "ReadOnly"
        error = await refused(client, "catalog/restore", path=str(tmp_path / "x.jsonl"))
        assert error.kind == "ReadOnly"
    assert file.exists()
    assert in_trash(data) == ["x"]


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize("permanently", [True, False])
async def test_nothing_of_a_deleted_session_is_left_in_the_cache(tmp_path: Path, permanently: bool):
    folder = tmp_path / "s"
    folder.mkdir()
    # In several indexes of trigrams.
    for number in range(80):
        text = "w" * 40_000 + f" common{number}"
        (folder / f"{number}.jsonl").write_text(header(f"id{number}") + line("a", text=text))
    marked = folder / "marked.jsonl"
    name = '{"type":"session_info","id":"n","parentId":"a","timestamp":"","name":"qxjzname"}\n'
    marked.write_text(header("marked") + line("a", text="qxjztext " * 200_000) + name)
    for path in folder.iterdir():
        os.utime(path, (1_700_000_000, 1_700_000_000))
    async with engine(tmp_path) as made, client_of(made, {"HOME": str(tmp_path)}) as client:
        scope = {"sessionDir": str(folder)}
        for _ in range(2):
            found = await client.request("catalog/search", {"query": "qxjztext", **scope})
            assert [hit["info"]["id"] for hit in found["hits"]] == ["marked"]
            await made.catalogue.settle(60)
        await client.request("catalog/usage", scope)
        opened = await client.request("session/open", {"path": str(marked), "readOnly": True})
        await client.request("session/close", {"session": opened["session"]})
        params = {"path": str(marked), "permanently": permanently}
        await client.request("catalog/delete", params)
        cache = tmp_path / ".cache" / "sessiond"
        left = {
            path.name
            for path in cache.rglob("*")
            if path.is_file() and b"qxjz" in path.read_bytes().lower()
        }
        assert left == set()
        kept = SearchCache(cache_path({"HOME": str(tmp_path)}))
        with kept.connection() as connection:
            assert list(connection.execute("SELECT count(*) FROM indexed")) == [(80,)]
            rows = connection.execute(
                "SELECT count(*) FROM texts WHERE id >> 28 NOT IN (SELECT file FROM indexed)"
            )
            assert list(rows) == [(0,)]


async def test_the_trash_is_listed_with_titles_for_one_directory_or_all(tmp_path: Path, data: Path):
    async with daemon(tmp_path, env={"XDG_DATA_HOME": str(data)}) as client:
        files = []
        sessions = (await client.request("initialize", {}))["sessionsDir"]
        for name, cwd in (("a", "/a"), ("b", "/b")):
            folder = Path(sessions) / f"--{cwd[1:]}--"
            folder.mkdir(parents=True)
            file = folder / f"{name}.jsonl"
            text = header(name, cwd) + line("u", None, f"Said in {name}")
            file.write_text(text)
            files.append(file)
            await client.request("catalog/delete", {"path": str(file)})
        (data / "Trash/files/letter.txt").write_text("no session")
        everything = (await client.request("catalog/listTrash", {}))["sessions"]
        assert [each["path"] for each in everything] == [str(file) for file in files[::-1]]
        assert [each["info"]["firstMessage"] for each in everything] == ["Said in b", "Said in a"]
        assert all(Path(each["file"]).exists() for each in everything)
        now = datetime.now(UTC)
        for each in everything:
            assert abs(now - datetime.fromisoformat(each["deleted"])) < timedelta(minutes=5)
        (only,) = (await client.request("catalog/listTrash", {"cwd": "/a"}))["sessions"]
        assert (only["info"]["id"], only["info"]["path"]) == ("a", str(files[0]))


@pytest.mark.parametrize("copied", [False, True])
async def test_a_link_in_the_trash_is_never_followed(
    tmp_path: Path, data: Path, file: Path, monkeypatch: pytest.MonkeyPatch, copied: bool
):
    # Outside of the root, where the link leads after it was deleted.
    outside = tmp_path / "outside.jsonl"
    outside.write_text(header() + line("a", text="TOPSECRET"))
    link = file.with_name("link.jsonl")
    link.symlink_to(file)
    options: dict[str, Any] = {"env": {"XDG_DATA_HOME": str(data)}, "roots": [str(file.parent)]}
    async with daemon(tmp_path, **options) as client:
        await client.request("catalog/delete", {"path": str(link)})
        file.unlink()
        file.symlink_to(outside)
        listed = await client.request("catalog/listTrash", {"sessionDir": str(file.parent)})
        assert [each["path"] for each in listed["sessions"]] == [str(link)]
        assert "TOPSECRET" not in str(listed)
        if copied:
            monkeypatch.setattr(os, "link", no_link)
        error = await refused(client, "catalog/restore", path=str(link))
    assert error.kind == "PathNotAllowed"
    assert os.readlink(link) == str(file)


def no_link(*_: Any, **__: Any) -> None:
    raise OSError(1, "Operation not permitted")
