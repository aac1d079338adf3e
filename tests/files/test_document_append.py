"""Appends to documents: acknowledged entries are in the file; locks of other processes."""

import asyncio
import errno
import fcntl
import os
from functools import partial

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

from sessiond.files import journal
from sessiond.format.tree.tree import Tree
from sessiond.runtime.errors import Busy, WriteFailed
from sessiond.runtime.limits import INLINE_READ_BYTES


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(FILE)
    return path


class TestAppending:
    async def test_a_written_entry_for_which_there_is_no_memory_is_acknowledged_and_read_again(
        self, path, monkeypatch
    ):
        def full(*_):
            raise MemoryError

        document = await opened(path)
        with monkeypatch.context() as patched:
            patched.setattr(Tree, "add", full)
            entry = at_once(document.append(lambda: [M3]))[0]
        assert entry.id == "m3"
        assert path.read_bytes() == FILE + M3 + b"\n"
        await refresh(document)
        assert ids(document) == naive_ids(path.read_bytes())
        assert at_once(document.append(lambda: [message("m4", "m3")]))[0].id == "m4"
        assert ids(document) == naive_ids(path.read_bytes())

    async def test_growth_for_which_there_is_no_memory_is_read_again(self, path, monkeypatch):
        def full(*_):
            raise MemoryError

        document = await opened(path)
        with path.open("ab") as file:
            file.write(M3 + b"\n")
        with monkeypatch.context() as patched:
            patched.setattr(Tree, "add", full)
            with pytest.raises(MemoryError):
                await refresh(document)
        await refresh(document)
        assert ids(document) == naive_ids(path.read_bytes())

    async def test_a_line_is_in_the_file_before_it_is_in_memory_and_does_not_suspend(self, path):
        document = await opened(path)
        seen = []
        document.listeners.append(lambda *_: seen.append(path.read_bytes()))
        entry = at_once(document.append(lambda: [M3]))[0]
        assert (entry.id, entry.parent_id, entry.line) == ("m3", "m2", 4)
        assert path.read_bytes() == FILE + M3 + b"\n"
        assert seen == [FILE + M3 + b"\n"]

    async def test_an_append_looks_once_before_the_lock_and_once_after_it(self, path, monkeypatch):
        document = await opened(path)
        calls = []

        def count(name, really, *args, **more):
            calls.append(name)
            return really(*args, **more)

        for name in ("stat", "fstat", "open", "write"):
            monkeypatch.setattr(os, name, partial(count, name, getattr(os, name)))
        at_once(document.append(lambda: [M3]))[0]
        locking = ["stat", "open", "fstat", "stat"]
        assert calls == [*locking, "write", "fstat"]

    async def test_own_writes_are_reported_once_with_their_cause(self, path):
        document = await opened(path)
        heard = Listening(document)
        await append(document, M3, "me")
        assert at_once(document.refresh()) is None
        assert heard.take() == [("appended", ["m3"], "me")]

    async def test_make_sees_the_lines_that_others_appended(self, path):
        document = await opened(path)
        heard = Listening(document)
        add(path, M3 + b"\n")
        async with document.turn:
            await document.append(lambda: [message("m4", document.tip_id)], "me")
        assert path.read_bytes() == FILE + file_of(M3, message("m4", "m3"))
        assert heard.take() == [("appended", ["m3"], None), ("appended", ["m4"], "me")]

    async def test_an_error_of_make_is_raised_and_nothing_is_written(self, path):
        document = await opened(path)

        def make():
            raise LookupError("no such leaf")

        with pytest.raises(LookupError):
            await document.append(make)
        assert path.read_bytes() == FILE
        assert ids(document) == ["m1", "m2"]
        await append(document, M3)

    async def test_no_lines_write_nothing(self, path):
        document = await opened(path)
        assert await document.append(list) == []
        assert path.read_bytes() == FILE

    @pytest.mark.parametrize(
        "line", [b"", b"42", b"{}", b'{"type":"x"}', b'{"type":"x",\n"id":"1"}']
    )
    async def test_a_line_that_is_not_an_entry_is_never_written(self, line, path):
        document = await opened(path)
        with pytest.raises(ValueError):
            await append(document, line)
        assert path.read_bytes() == FILE

    @pytest.mark.parametrize("cut", range(len(HEADER), len(FILE) + 1))
    async def test_a_journal_cut_anywhere_takes_the_next_line_and_loses_none(self, cut, path):
        path.write_bytes(FILE[:cut])
        document = await opened(path)
        await append(document, M3)
        content = path.read_bytes()
        assert content.startswith(FILE[:cut])
        assert content.endswith(b"\n" + M3 + b"\n")
        # A last line that only lacks its newline is whole.
        assert ids(document) == [*naive_ids(FILE[:cut]), "m3"] == naive_ids(content)
        assert at_once(document.refresh()) is None
        fresh = await opened(path)
        assert ids(fresh) == ids(document)
        assert fresh.diagnostics() == document.diagnostics()

    @pytest.mark.parametrize(
        "ending", [b"", b"\n", b" ", b"\r\n", b"\n\n", b"{", b"null", b"\xff", b"\n \t"]
    )
    async def test_after_an_append_memory_equals_a_fresh_reading_for_any_file_end(
        self, ending, path
    ):
        path.write_bytes(FILE[:-1] + ending)
        document = await opened(path)
        await append(document, M3)
        await append(document, message("m4"))
        fresh = await opened(path)
        assert ids(fresh) == ids(document) == naive_ids(path.read_bytes())
        assert fresh.diagnostics() == document.diagnostics()
        assert [entry.line for entry in fresh.tree.entries] == [
            entry.line for entry in document.tree.entries
        ]
        assert [entry.raw for entry in fresh.tree.entries] == [
            entry.raw for entry in document.tree.entries
        ]

    @pytest.mark.parametrize("cut", [1, 30, len(M3)], ids=["a byte", "half", "all but the newline"])
    async def test_a_line_that_is_being_written_ends_with_a_blank_line_at_worst(
        self, cut, path, monkeypatch
    ):
        """Of a line that crosses a page others see the first part before the second."""
        document = await opened(path)
        add(path, M3[:cut])
        await refresh(document)
        really = os.write
        rest = [M3[cut:] + b"\n"]

        def write(descriptor, data):
            if rest:
                add(path, rest.pop())
            return really(descriptor, data)

        monkeypatch.setattr(os, "write", write)
        await append(document, message("m4", "m3"))
        assert path.read_bytes() == FILE + M3 + b"\n\n" + message("m4", "m3") + b"\n"
        assert ids(document) == naive_ids(path.read_bytes()) == ["m1", "m2", "m3", "m4"]

    async def test_a_failed_write_leaves_memory_as_it_was_and_a_blank_line(self, path, monkeypatch):
        document = await opened(path)
        heard = Listening(document)
        really = os.write
        monkeypatch.setattr(os, "write", lambda fd, data: really(fd, data[:9]))
        with pytest.raises(WriteFailed) as caught:
            await append(document, M3)
        monkeypatch.undo()
        assert caught.value.data["errno"] == errno.ENOSPC
        blank = b" " * 8 + b"\n"
        assert (path.read_bytes(), ids(document), heard.take()) == (FILE + blank, ["m1", "m2"], [])
        await append(document, M3)
        assert path.read_bytes() == FILE + blank + M3 + b"\n"
        assert document.generation == 0

    async def test_a_huge_line_is_written_in_a_worker_even_if_cancelled(self, path):
        document = await opened(path)
        huge = message("m3", "m2", text="x" * (INLINE_READ_BYTES + 1))
        task = asyncio.create_task(append(document, huge))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not document.turn.locked()
        assert ids(document) == naive_ids(path.read_bytes()) == ["m1", "m2", "m3"]
        assert at_once(document.refresh()) is None

    @pytest.mark.parametrize("where", ["before", "after", "both"])
    async def test_foreign_lines_around_an_append_are_reported_as_foreign(
        self, where, path, monkeypatch
    ):
        document = await opened(path)
        heard = Listening(document)
        really = journal.append

        def busy(*arguments):
            if where != "after":
                add(path, message("b") + b"\n")
            seen = really(*arguments)
            if where != "before":
                add(path, message("a") + b"\n")
                return os.stat(path)
            return seen

        monkeypatch.setattr(journal, "append", busy)
        entry = await append(document, M3, "me")
        assert entry.id == "m3"
        before = [("appended", ["b"], None)] if where != "after" else []
        after = [("appended", ["a"], None)] if where != "before" else []
        assert heard.take() == [*before, ("appended", ["m3"], "me"), *after]
        assert ids(document) == naive_ids(path.read_bytes())

    async def test_a_line_that_met_anothers_unfinished_one_is_not_acknowledged(
        self, path, monkeypatch
    ):
        document = await opened(path)
        really = journal.append

        def busy(*arguments):
            add(path, b'{"type":')
            return really(*arguments)

        monkeypatch.setattr(journal, "append", busy)
        with pytest.raises(WriteFailed):
            await append(document, M3)
        assert ids(document) == naive_ids(path.read_bytes()) == ["m1", "m2"]

    async def test_symbolic_links_are_written_through(self, path, tmp_path):
        (tmp_path / "link").symlink_to(path)
        document = await opened(tmp_path / "link")
        await append(document, M3)
        assert (tmp_path / "link").is_symlink()
        assert path.read_bytes() == FILE + M3 + b"\n"


class TestLocking:
    def hold(self, path):
        descriptor = os.open(path, os.O_RDWR)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        return descriptor

    async def test_a_lock_held_too_long_is_busy_and_nothing_is_written(self, path):
        document = await opened(path, lock_timeout=0.01)
        held = self.hold(path)
        with pytest.raises(Busy):
            await append(document, M3)
        os.close(held)
        assert path.read_bytes() == FILE
        assert ids(document) == ["m1", "m2"]

    async def test_other_documents_never_wait_for_a_lock(self, path, tmp_path):
        other_path = tmp_path / "b.jsonl"
        other_path.write_bytes(FILE)
        document, other = await opened(path), await opened(other_path)
        held = self.hold(path)
        waiting = asyncio.create_task(append(document, M3))
        await asyncio.sleep(0)
        await append(other, M3)
        assert not waiting.done()
        os.close(held)
        assert (await waiting).id == "m3"

    async def test_a_file_renamed_over_while_waiting_gets_the_line(self, path, tmp_path):
        document = await opened(path)
        heard = Listening(document)
        held = self.hold(path)
        waiting = asyncio.create_task(append(document, M3, "me"))
        await asyncio.sleep(0)
        (tmp_path / "b").write_bytes(file_of(HEADER, M2))
        os.replace(tmp_path / "b", path)
        os.close(held)
        await waiting
        assert path.read_bytes() == file_of(HEADER, M2, M3)
        assert ids(document) == ["m2", "m3"]
        assert heard.take() == [("rewritten", ["m2"], None), ("appended", ["m3"], "me")]

    async def test_a_file_renamed_over_a_locked_one_gets_the_line(
        self, path, tmp_path, monkeypatch
    ):
        document = await opened(path)
        really = fcntl.flock
        new = tmp_path / "b"
        new.write_bytes(file_of(HEADER, M2))

        def late(*arguments):
            really(*arguments)
            if new.exists():
                os.replace(new, path)

        monkeypatch.setattr(fcntl, "flock", late)
        await append(document, M3)
        assert path.read_bytes() == file_of(HEADER, M2, M3)
        assert ids(document) == ["m2", "m3"]

    async def test_a_file_renamed_over_between_appends_in_a_row_gets_the_second(
        self, path, tmp_path
    ):
        document = await opened(path)
        await append(document, M3)
        (tmp_path / "b").write_bytes(file_of(HEADER, M2))
        os.replace(tmp_path / "b", path)
        await append(document, message("m4", "m2"))
        assert path.read_bytes() == file_of(HEADER, M2, message("m4", "m2"))

    async def test_a_file_deleted_while_waiting_is_written_whole(self, path):
        document = await opened(path)
        held = self.hold(path)
        waiting = asyncio.create_task(append(document, M3))
        await asyncio.sleep(0)
        path.unlink()
        os.close(held)
        await waiting
        assert path.read_bytes() == FILE + M3 + b"\n"

    async def test_a_waiter_that_is_cancelled_writes_nothing_and_lets_the_next_one_in(self, path):
        document = await opened(path)
        held = self.hold(path)
        waiting = asyncio.create_task(append(document, M3))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        os.close(held)
        await append(document, message("m4"))
        assert ids(document) == naive_ids(path.read_bytes()) == ["m1", "m2", "m4"]
