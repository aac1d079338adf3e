"""Unions written into files that other programs use at the same time."""

import asyncio
import fcntl
import os
from pathlib import Path

import pytest
from support.app import daemon
from support.session_lines import header, line

from sessiond.files import journal
from sessiond.files.durable import settle
from sessiond.runtime.errors import Busy, InvalidSessionFile, SessionNotFound, WriteFailed
from sessiond.sync.union import EntryLine, Union, parse
from sessiond.sync.writing import continue_bytes, write_union

BEFORE = header() + line("a") + line("b", "a") + line("c", "b")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "s.jsonl"
    path.write_text(BEFORE)
    return path


async def write(path: Path, *lines: str) -> Union:
    return await write_union(str(path), entries(*lines), patience=5)


def entries(*lines: str) -> list[EntryLine]:
    return parse("".join(lines).encode())


async def test_entries_that_continue_the_leaf_are_appended_to_the_same_file(path: Path):
    inode = path.stat().st_ino
    await write(path, line("b", "a"), line("d", "c"), line("e", "d"))
    assert path.read_text() == BEFORE + line("d", "c") + line("e", "d")
    assert path.stat().st_ino == inode


async def test_another_branch_is_inserted_and_the_mode_stays(path: Path):
    path.chmod(0o640)
    await write(path, line("x", "b"), line("y", "x"))
    inserted = line("x", "b") + line("y", "x")
    assert path.read_text() == BEFORE.replace(line("c", "b"), inserted + line("c", "b"))
    assert path.stat().st_mode & 0o777 == 0o640
    assert os.listdir(path.parent) == [path.name]


async def test_nothing_is_written_that_is_there(path: Path):
    before = path.stat()
    assert await write(path, line("b", "a")) == Union([], [], [])
    assert path.stat() == before


@pytest.mark.parametrize("incoming", [line("x", "b"), line("d", "c")])
async def test_what_an_agent_appends_meanwhile_stays_last(
    path: Path, monkeypatch: pytest.MonkeyPatch, incoming: str
):
    """It is the leaf of pi: pi takes the last line of a file."""
    late = line("late", "c")

    def before_the_new_file_has_its_name(name: str, descriptor: int | None = None) -> None:
        settle(name, descriptor)
        with path.open("a") as file:
            file.write(late)

    real = journal.append

    def at_the_same_time(name: str, descriptor: int, data: bytes) -> os.stat_result:
        monkeypatch.setattr(journal, "append", real)
        with path.open("a") as file:
            file.write(late)
        return real(name, descriptor, data)

    monkeypatch.setattr(journal, "append", at_the_same_time)
    if incoming == line("x", "b"):
        monkeypatch.setattr(journal, "settle", before_the_new_file_has_its_name)
    await write(path, incoming)
    lines = path.read_text().splitlines(keepends=True)
    assert lines[-1] == late
    assert sorted(lines) == sorted([*BEFORE.splitlines(keepends=True), incoming, late])


async def test_a_line_that_is_being_written_is_waited_for(path: Path):
    with path.open("a") as file:
        file.write(line("d", "c")[:20])
    before = path.read_text()
    with pytest.raises(WriteFailed, match="incomplete"):
        await write(path, line("e", "c"))
    assert path.read_text() == before
    await write(path, line("x", "b"))
    os.utime(path, (1, 1))
    await write(path, line("e", "c"))
    assert path.read_text().endswith(line("d", "c")[:20] + "\n" + line("e", "c"))


async def test_a_file_that_is_gone_or_no_session_is_refused(path: Path, tmp_path: Path):
    path.write_text("{}\n")
    with pytest.raises(InvalidSessionFile):
        await write(path, line("x", "b"))
    assert path.read_text() == "{}\n"
    path.unlink()
    with pytest.raises(SessionNotFound):
        await write(path, line("x", "b"))
    assert os.listdir(tmp_path) == []


async def test_two_unions_at_once_wait_for_each_other(path: Path):
    await asyncio.gather(write(path, line("x", "b")), write(path, line("y", "b")))
    names = {each.id for each in parse(path.read_bytes().split(b"\n", 1)[1])}
    assert names == set("abcxy")
    descriptor = os.open(path, os.O_RDWR)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    with pytest.raises(Busy):
        await write_union(str(path), entries(line("z", "b")), patience=0)
    os.close(descriptor)


async def test_open_handles_see_one_reload_and_keep_their_leaf(path: Path, tmp_path: Path):
    async with daemon(tmp_path) as client:
        opened = await client.request("session/open", {"path": str(path)})
        await client.request("session/branch", {"session": opened["session"], "entryId": "b"})
        await write(path, line("x", "b"), line("d", "c"))
        change = await client.notification("session/didChange")
        assert change["kind"] == "rewritten"
        state = await client.request("session/getState", {"session": opened["session"]})
        assert (state["leafId"], state["tipId"], state["entryCount"]) == ("b", "d", 5)
        assert state["generation"] == opened["generation"] + 1


async def test_bytes_are_continued_only_if_they_are_the_known_ones(path: Path):
    known = path.read_bytes()
    await continue_bytes(str(path), known, b"more\n", 5)
    assert path.read_bytes() == known + b"more\n"
    with pytest.raises(WriteFailed, match="changed"):
        await continue_bytes(str(path), known, b"more\n", 5)
    with pytest.raises(SessionNotFound):
        await continue_bytes(f"{path}x", known, b"more\n", 5)
    assert path.read_bytes() == known + b"more\n"
