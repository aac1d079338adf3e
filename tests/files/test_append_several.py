"""Appends of several entries with one write: what is written, what is refused, foreign writers."""

import errno
import os
import threading

import pytest
from session_files import (
    FILE,
    HEADER,
    M2,
    M3,
    Listening,
    add,
    append,
    at_once,
    file_of,
    ids,
    message,
    naive_ids,
    opened,
    refresh,
)

from sessiond.files import flock, reading
from sessiond.runtime.errors import WriteFailed

LINES = [message("m4", "m3"), message("m5", "m4"), message("m6", "m5")]
BEFORE = FILE + M3 + b"\n"


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(FILE)
    return path


@pytest.fixture
async def document(path):
    """A document after an append."""
    document = await opened(path)
    await append(document, M3)
    return document


def several(document, lines=LINES, cause=None):
    return at_once(document.append(lambda: lines, cause))


async def assert_current(document, path):
    """Memory is as a fresh reading, and the lock is free."""
    assert await refresh(document) is None
    fresh = await opened(path)
    assert ids(document) == ids(fresh) == naive_ids(path.read_bytes())
    assert [entry.line for entry in document.tree.entries] == [
        entry.line for entry in fresh.tree.entries
    ]
    assert [entry.raw for entry in document.tree.entries] == [
        entry.raw for entry in fresh.tree.entries
    ]
    os.close((await flock.lock(str(path), 0))[0])


async def test_several_entries_are_written_at_once_and_reported_as_one_change(
    document, path, monkeypatch
):
    heard = Listening(document)
    really, written = os.write, []
    monkeypatch.setattr(os, "write", lambda fd, data: written.append(data) or really(fd, data))
    entries = several(document, cause="me")
    assert written == [file_of(*LINES)]
    assert path.read_bytes() == BEFORE + file_of(*LINES)
    assert entries == document.tree.entries[3:]
    assert heard.take() == [("appended", ["m4", "m5", "m6"], "me")]
    await assert_current(document, path)


async def test_lines_are_in_the_file_before_they_are_in_memory(document, path):
    seen = []
    document.listeners.append(lambda *_: seen.append(path.read_bytes()))
    several(document)
    assert seen == [BEFORE + file_of(*LINES)]


SIZES = [len(line) + 1 for line in LINES]


@pytest.mark.parametrize("space", [1, SIZES[0] - 1, SIZES[0], SIZES[0] + 1, sum(SIZES) - 1])
async def test_on_a_full_disk_nothing_is_written_but_a_blank_line(
    document, path, monkeypatch, space
):
    heard = Listening(document)
    really = os.write
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", lambda fd, data: really(fd, data[:space]))
        with pytest.raises(WriteFailed):
            several(document, cause="me")
    assert path.read_bytes() == BEFORE + b" " * (space - 1) + b"\n"
    assert heard.take() == []
    several(document)
    await assert_current(document, path)


async def test_if_no_byte_can_be_written_nothing_changes(document, path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "no space")

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        with pytest.raises(WriteFailed):
            several(document)
    assert path.read_bytes() == BEFORE
    await assert_current(document, path)


async def test_what_another_program_appends_on_a_full_disk_stays(document, path, monkeypatch):
    really = os.write

    def half(fd, data):
        count = really(fd, data[: SIZES[0] + 5])
        add(path, message("b") + b"\n")
        return count

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", half)
        with pytest.raises(WriteFailed):
            several(document)
    await refresh(document)
    assert ids(document)[-2:] == ["m3", "b"]
    await assert_current(document, path)


async def test_much_that_others_append_meanwhile_is_read_in_a_worker(document, path, monkeypatch):
    write, read, threads = os.write, reading.read_growth, []

    def busy(fd, data):
        count = write(fd, data)
        add(path, message("b", text="x" * 5_000_000) + b"\n")
        return count

    def noted(*arguments):
        threads.append(threading.current_thread())
        return read(*arguments)

    monkeypatch.setattr(reading, "read_growth", noted)
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", busy)
        await document.append(lambda: LINES)
    assert ids(document)[-1] == "b"
    assert threads
    assert threading.main_thread() not in threads


@pytest.mark.parametrize("where", ["before", "after", "both"])
async def test_foreign_lines_around_the_lines_are_reported_as_foreign(
    document, path, monkeypatch, where
):
    heard = Listening(document)
    really = os.write

    def busy(fd, data):
        if where != "after":
            add(path, message("b") + b"\n")
        count = really(fd, data)
        if where != "before":
            add(path, message("a") + b"\n")
        return count

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", busy)
        entries = several(document, cause="me")
    assert [entry.id for entry in entries] == ["m4", "m5", "m6"]
    before = [("appended", ["b"], None)] if where != "after" else []
    after = [("appended", ["a"], None)] if where != "before" else []
    assert heard.take() == [*before, ("appended", ["m4", "m5", "m6"], "me"), *after]
    await assert_current(document, path)


async def test_a_first_line_that_met_an_unfinished_one_is_written_again(
    document, path, monkeypatch
):
    really, calls = os.write, []

    def busy(fd, data):
        if not calls:
            add(path, b'{"type":')
        calls.append(data)
        return really(fd, data)

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", busy)
        entries = several(document)
    assert [entry.id for entry in entries] == ["m4", "m5", "m6"]
    assert path.read_bytes() == BEFORE + b'{"type":' + file_of(*LINES, LINES[0])
    assert [entry.id for entry in document.tree.branch("m6")] == [
        "m1",
        "m2",
        "m3",
        "m4",
        "m5",
        "m6",
    ]
    await assert_current(document, path)


async def test_an_only_line_that_met_an_unfinished_one_is_not_acknowledged(
    document, path, monkeypatch
):
    heard = Listening(document)
    really = os.write

    def busy(fd, data):
        add(path, message("b") + b"\n" + b'{"type":')
        return really(fd, data)

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", busy)
        (lost,) = several(document, LINES[:1])
    assert isinstance(lost, WriteFailed)
    assert heard.take() == [("appended", ["b"], None)]
    await assert_current(document, path)


async def test_lines_of_a_file_that_is_replaced_at_that_moment_are_not_acknowledged(
    document, path, tmp_path, monkeypatch
):
    really = os.write

    def replaced(fd, data):
        count = really(fd, data)
        add(path, b"x\n")
        (tmp_path / "b").write_bytes(file_of(HEADER, M2, LINES[0]))
        os.replace(tmp_path / "b", path)
        return count

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", replaced)
        found = await document.append(lambda: LINES)
    assert found[0].id == "m4"
    assert [type(each) for each in found[1:]] == [WriteFailed, WriteFailed]
    await assert_current(document, path)


async def test_lines_that_are_no_entries_are_refused_with_those_beside_them(document, path):
    for line in (b"{", b"{}", b'{"type":"x",\n"id":"y"}'):
        with pytest.raises(ValueError):
            several(document, [*LINES, line])
    assert path.read_bytes() == BEFORE
    assert several(document)


def grow(path, _):
    add(path, message("b") + b"\n")


def replace(path, tmp_path):
    (tmp_path / "b").write_bytes(path.read_bytes())
    os.replace(tmp_path / "b", path)


def forbid(path, _):
    path.chmod(0o400)


def delete(path, _):
    path.unlink()


def touch(path, _):
    seen = path.stat()
    os.utime(path, ns=(seen.st_atime_ns, seen.st_mtime_ns + 1))


class TestCurrent:
    """Whether a report about the file can be ignored, without waiting."""

    async def test_it_is_after_own_writes(self, document):
        assert document.is_current
        several(document)
        assert document.is_current

    @pytest.mark.parametrize("change", [grow, replace, forbid, delete, touch])
    async def test_it_is_not_after_any_change(self, document, path, tmp_path, change):
        change(path, tmp_path)
        assert not document.is_current

    async def test_it_is_not_while_a_request_has_the_turn(self, document):
        async with document.turn:
            assert not document.is_current
        assert document.is_current

    async def test_it_is_not_where_a_directory_took_the_place_of_the_file(self, document, path):
        path.unlink()
        path.mkdir()
        assert not document.is_current
