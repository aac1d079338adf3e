"""Opening and writing documents: nothing acknowledged is lost, nothing half done stays."""

import asyncio
import errno
import fcntl
import itertools
import os
import stat
import subprocess
import sys
import threading

import pytest
from session_files import (
    HEADER,
    V1_HEADER,
    V1_LINES,
    V2_HEADER,
    Listening,
    add,
    append,
    at_once,
    file_of,
    ids,
    label,
    message,
    naive_ids,
    opened,
    refresh,
)

from sessiond.errors import (
    AlreadyExists,
    Busy,
    InvalidSessionFile,
    ReadFailed,
    SessionNotFound,
    WriteFailed,
)
from sessiond.files import document as document_module
from sessiond.files import journal
from sessiond.files.contents import Contents
from sessiond.files.document import Document
from sessiond.files.locks import flock
from sessiond.limits import INLINE_READ_BYTES

M1, M2, M3 = message("m1"), message("m2", "m1", "assistant"), message("m3", "m2")
FILE = file_of(HEADER, M1, M2)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(FILE)
    return path


class TestOpening:
    async def test_a_session_is_what_its_lines_say(self, path):
        document = await opened(path)
        assert (document.status, document.written, ids(document)) == ("ok", True, ["m1", "m2"])
        assert (document.header.id, document.tip_id, document.entry_count) == ("s1", "m2", 2)
        assert path.read_bytes() == FILE

    async def test_a_missing_file_is_not_found_unless_a_new_session_may_be_there(self, tmp_path):
        document = Document(str(tmp_path / "a.jsonl"))
        with pytest.raises(SessionNotFound):
            await document.open(write=True)
        await document.open(write=True, new_header=lambda: HEADER)
        assert (document.status, document.header.id) == ("unwritten", "s1")
        assert os.listdir(tmp_path) == []

    async def test_an_empty_file_gets_its_header_at_once_and_keeps_mode_and_inode(self, path):
        path.write_bytes(b"")
        path.chmod(0o644)
        before = path.stat()
        document = await opened(path)
        assert path.read_bytes() == HEADER + b"\n"
        assert (path.stat().st_ino, path.stat().st_mode) == (before.st_ino, before.st_mode)
        await append(document, label("l1"))
        assert path.read_bytes() == file_of(HEADER, label("l1"))

    async def test_an_empty_file_that_another_program_fills_first_is_not_overwritten(
        self, path, monkeypatch
    ):
        path.write_bytes(b"")
        really = document_module.lock

        async def late(*arguments):
            descriptor = await really(*arguments)
            add(path, FILE)
            return descriptor

        monkeypatch.setattr(document_module, "lock", late)
        document = await opened(path)
        assert (path.read_bytes(), ids(document)) == (FILE, ["m1", "m2"])

    async def test_an_empty_file_that_is_only_looked_at_stays_empty(self, path):
        path.write_bytes(b"")
        with pytest.raises(InvalidSessionFile):
            await opened(path, write=False)
        assert path.read_bytes() == b""

    @pytest.mark.parametrize(
        ("content", "line"),
        [
            (b" ", 1),
            (b"\n \n", 1),
            (b"shopping list\n", 1),
            (b"[]\n" + FILE, 1),
            (b"{broken\n\n" + M1 + b"\n" + HEADER, 3),
            (b'{"type":"session","version":3}\n', 1),
            (HEADER[:30], 1),
            (b"\0" * 100, 1),
        ],
    )
    @pytest.mark.parametrize("write", [True, False])
    async def test_what_is_no_session_is_refused_and_left_alone(self, content, line, write, path):
        path.write_bytes(content)
        before = path.stat()
        with pytest.raises(InvalidSessionFile) as caught:
            await opened(path, write=write)
        assert caught.value.data["line"] >= line
        assert path.read_bytes() == content
        assert path.stat().st_ctime_ns == before.st_ctime_ns

    @pytest.mark.parametrize("make", [os.mkdir, os.mkfifo, lambda path: os.symlink(path, path)])
    @pytest.mark.parametrize("write", [True, False])
    async def test_what_is_no_file_is_a_failed_read_at_once(self, make, write, tmp_path):
        make(tmp_path / "x")
        with pytest.raises(ReadFailed):
            await opened(tmp_path / "x", write=write)

    async def test_a_big_file_is_read_beside_the_loop(self, path):
        path.write_bytes(file_of(HEADER, message("m1", text="x" * INLINE_READ_BYTES)))
        document = Document(str(path))
        opening = document.open(write=True)
        opening.send(None)
        opening.close()
        await document.open(write=True)
        assert ids(document) == ["m1"]

    async def test_a_torn_tail_is_told_and_not_repaired_by_looking(self, path):
        add(path, M3[:10])
        document = await opened(path)
        assert [(one.line, one.kind) for one in document.diagnostics()] == [(4, "tornTail")]
        assert path.read_bytes() == FILE + M3[:10]


class TestAppending:
    async def test_a_line_is_in_the_file_before_it_is_in_memory_and_does_not_suspend(self, path):
        document = await opened(path)
        seen = []
        document.listeners.append(lambda *_: seen.append(path.read_bytes()))
        entry = at_once(document.append(lambda: M3))
        assert (entry.id, entry.parent_id, entry.line) == ("m3", "m2", 4)
        assert path.read_bytes() == FILE + M3 + b"\n"
        assert seen == [FILE + M3 + b"\n"]

    async def test_own_writes_echo_as_nothing_and_are_told_with_their_cause(self, path):
        document = await opened(path)
        heard = Listening(document)
        await append(document, M3, "me")
        assert at_once(document.refresh()) is None
        assert heard.take() == [("appended", ["m3"], "me")]

    async def test_make_sees_what_others_wrote(self, path):
        document = await opened(path)
        heard = Listening(document)
        add(path, M3 + b"\n")
        async with document.turn:
            await document.append(lambda: message("m4", document.tip_id), "me")
        assert path.read_bytes() == FILE + file_of(M3, message("m4", "m3"))
        assert heard.take() == [("appended", ["m3"], None), ("appended", ["m4"], "me")]

    async def test_an_error_of_make_comes_out_and_nothing_is_written(self, path):
        document = await opened(path)

        def make():
            raise LookupError("no such leaf")

        with pytest.raises(LookupError):
            await document.append(make)
        assert path.read_bytes() == FILE
        assert ids(document) == ["m1", "m2"]
        await append(document, M3)

    async def test_an_entry_that_is_there_already_is_answered_and_not_written(self, path):
        document = await opened(path)
        entry = document.tree.get("m1")
        assert await document.append(lambda: entry) is entry
        assert path.read_bytes() == FILE

    @pytest.mark.parametrize(
        "line", [b"", b"42", b"{}", b'{"type":"x"}', b'{"type":"x",\n"id":"1"}']
    )
    async def test_what_is_no_entry_is_never_written(self, line, path):
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
    async def test_whatever_the_file_ends_with_memory_is_what_a_fresh_reading_gives(
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
        assert [fresh.tree.line(entry) for entry in fresh.tree.entries] == [
            document.tree.line(entry) for entry in document.tree.entries
        ]

    @pytest.mark.parametrize("cut", [1, 30, len(M3)], ids=["a byte", "half", "all but the newline"])
    async def test_a_line_that_is_being_written_is_waited_for(self, cut, path, monkeypatch):
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
        assert path.read_bytes() == FILE + M3 + b"\n" + message("m4", "m3") + b"\n"
        assert ids(document) == ["m1", "m2", "m3", "m4"]

    async def test_a_failed_write_leaves_memory_and_file_as_they_were(self, path, monkeypatch):
        document = await opened(path)
        heard = Listening(document)
        really = os.write
        monkeypatch.setattr(os, "write", lambda fd, data: really(fd, data[:9]))
        with pytest.raises(WriteFailed) as caught:
            await append(document, M3)
        monkeypatch.undo()
        assert caught.value.data["errno"] == errno.ENOSPC
        assert (path.read_bytes(), ids(document), heard.take()) == (FILE, ["m1", "m2"], [])
        await append(document, M3)
        assert path.read_bytes() == FILE + M3 + b"\n"
        assert document.generation == 0

    async def test_a_huge_line_is_written_beside_the_loop_even_if_cancelled(self, path):
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
    async def test_others_that_write_between_look_and_line_are_told_apart(
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

    async def test_a_file_renamed_over_once_it_is_locked_gets_the_line_all_the_same(
        self, path, tmp_path, monkeypatch
    ):
        document = await opened(path)
        really = document_module.lock
        new = tmp_path / "b"
        new.write_bytes(file_of(HEADER, M2))

        async def late(*arguments):
            descriptor = await really(*arguments)
            if new.exists():
                os.replace(new, path)
            return descriptor

        monkeypatch.setattr(document_module, "lock", late)
        await append(document, M3)
        assert path.read_bytes() == file_of(HEADER, M2, M3)
        assert ids(document) == ["m2", "m3"]

    async def test_appends_in_a_row_share_one_lock_and_others_get_it_when_the_loop_turns(
        self, path, monkeypatch
    ):
        document = await opened(path)
        really, taken = document_module.lock, []

        async def counted(*arguments):
            taken.append(arguments)
            return await really(*arguments)

        monkeypatch.setattr(document_module, "lock", counted)
        await append(document, M3)
        await append(document, message("m4", "m3"))
        assert len(taken) == 1
        assert flock.try_lock(str(path)) is None
        await asyncio.sleep(0)
        os.close(flock.try_lock(str(path)))

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


class TestUnwritten:
    async def test_nothing_is_written_before_the_first_user_or_assistant_message(self, tmp_path):
        path = tmp_path / "deep" / "dir" / "a.jsonl"
        document = await opened(path)
        heard = Listening(document)
        await append(document, label("l1"))
        await append(document, message("t1", role="toolResult"))
        assert not document.written
        assert os.listdir(tmp_path) == []
        assert await refresh(document) is None
        await append(document, M1, "me")
        assert document.written
        assert path.read_bytes() == file_of(
            HEADER, label("l1"), message("t1", role="toolResult"), M1
        )
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        assert at_once(document.refresh()) is None
        await append(document, M2)
        assert path.read_bytes().endswith(M1 + b"\n" + M2 + b"\n")
        assert [new for _, new, _ in heard.take()] == [["l1"], ["t1"], ["m1"], ["m2"]]
        fresh = await opened(path)
        assert [one.line for one in fresh.tree.entries] == [
            one.line for one in document.tree.entries
        ]

    @pytest.mark.parametrize("role", ["user", "assistant"])
    async def test_either_role_brings_the_file_into_being(self, role, tmp_path):
        document = await opened(tmp_path / "a.jsonl")
        await append(document, message("m1", role=role))
        assert (tmp_path / "a.jsonl").exists()

    async def test_a_file_that_another_program_created_is_not_touched_and_memory_is_unchanged(
        self, tmp_path
    ):
        path = tmp_path / "a.jsonl"
        document = await opened(path)
        await append(document, label("l1"))
        path.write_bytes(FILE)
        with pytest.raises(AlreadyExists):
            await append(document, M1)
        assert path.read_bytes() == FILE
        assert (document.status, ids(document)) == ("unwritten", ["l1"])

    async def test_a_file_that_cannot_be_created_leaves_memory_as_before(self, tmp_path):
        (tmp_path / "file").write_text("in the way")
        path = tmp_path / "dir" / "a.jsonl"
        document = await opened(path)
        (tmp_path / "dir").write_text("in the way")
        with pytest.raises(WriteFailed):
            await append(document, M1)
        assert (document.status, ids(document)) == ("unwritten", [])
        (tmp_path / "dir").unlink()
        await append(document, M1)
        assert path.read_bytes() == file_of(HEADER, M1)

    async def test_what_others_add_right_after_the_creation_is_seen(self, tmp_path, monkeypatch):
        path = tmp_path / "a.jsonl"
        document = await opened(path)
        really = journal.create

        def busy(*arguments):
            really(*arguments)
            add(path, M2 + b"\n")
            return os.stat(path)

        monkeypatch.setattr(journal, "create", busy)
        await append(document, M1)
        assert (await refresh(document)).kind == "appended"
        assert ids(document) == ["m1", "m2"]

    async def test_a_session_in_memory_never_gets_a_file(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        document = Document.in_memory(Contents.new(HEADER))
        heard = Listening(document)
        await append(document, M1, "me")
        await append(document, M2)
        assert await refresh(document) is None
        assert (document.status, document.written, ids(document)) == ("memory", False, ["m1", "m2"])
        assert heard.take() == [("appended", ["m1"], "me"), ("appended", ["m2"], None)]
        assert os.listdir(tmp_path) == []


BAD = file_of(
    b"\xef\xbb\xbf" + HEADER,
    b"{broken",
    M1,
    b"null",
    b"42",
    b'{"type":"message","id":"bad\xff","parentId":"m1"}',
    b'{"type":"message"}',
    HEADER,
    M2,
    b"\xff\xfe",
)


class TestRestoring:
    @pytest.mark.parametrize(
        "lose", [os.unlink, lambda path: os.truncate(path, 0)], ids=["deleted", "emptied"]
    )
    @pytest.mark.parametrize("noticed", [True, False])
    async def test_a_lost_file_is_written_whole_again_with_its_bad_lines(self, lose, noticed, path):
        path.write_bytes(BAD)
        document = await opened(path)
        before = ids(document)
        heard = Listening(document)
        lose(path)
        if noticed:
            await refresh(document)
        await append(document, M3, "me")
        assert path.read_bytes() == BAD.removeprefix(b"\xef\xbb\xbf") + M3 + b"\n"
        assert ids(document) == [*before, "m3"]
        assert (document.status, document.generation) == ("ok", 0)
        assert heard.take() == [
            ("deleted", [], None),
            ("restored", [], "me"),
            ("appended", ["m3"], "me"),
        ]
        assert at_once(document.refresh()) is None
        await append(document, message("m4"))
        assert ids(await opened(path)) == ids(document)

    @pytest.mark.parametrize(
        "lose", [os.unlink, lambda path: os.truncate(path, 0)], ids=["deleted", "emptied"]
    )
    async def test_a_torn_tail_and_a_big_file_are_restored_too(self, lose, path):
        add(path, file_of(message("big", text="x" * INLINE_READ_BYTES)) + b'{"torn')
        content = path.read_bytes()
        document = await opened(path)
        lose(path)
        await append(document, M3)
        assert path.read_bytes() == content + b"\n" + M3 + b"\n"
        assert ids(document) == ["m1", "m2", "big", "m3"]

    async def test_a_file_that_another_program_recreates_first_is_followed(self, path, monkeypatch):
        document = await opened(path)
        path.unlink()
        really = journal.create

        def late(target, *arguments, **options):
            if not path.exists():
                path.write_bytes(file_of(HEADER, message("theirs")))
            return really(target, *arguments, **options)

        monkeypatch.setattr(journal, "create", late)
        await append(document, M3)
        assert path.read_bytes() == file_of(HEADER, message("theirs"), M3)
        assert (ids(document), document.generation) == (["theirs", "m3"], 1)

    async def test_a_vanished_directory_is_a_failed_write_and_the_session_stays_readable(
        self, tmp_path
    ):
        path = tmp_path / "dir" / "a.jsonl"
        path.parent.mkdir()
        path.write_bytes(FILE)
        document = await opened(path)
        path.unlink()
        path.parent.rmdir()
        with pytest.raises(WriteFailed) as caught:
            await append(document, M3)
        assert caught.value.data["errno"] == errno.ENOENT
        assert os.listdir(tmp_path) == []
        assert ids(document) == ["m1", "m2"]
        path.parent.mkdir()
        await append(document, M3)
        assert path.read_bytes() == FILE + M3 + b"\n"

    @pytest.mark.parametrize("content", [b" ", b"shopping list\n", HEADER[:-5], M1 + b"\n" + FILE])
    @pytest.mark.parametrize("noticed", [True, False])
    async def test_what_is_no_session_any_more_is_refused_and_left_alone(
        self, content, noticed, path
    ):
        document = await opened(path)
        path.write_bytes(content)
        if noticed:
            await refresh(document)
        with pytest.raises(InvalidSessionFile):
            await append(document, M3)
        assert path.read_bytes() == content
        assert ids(document) == ["m1", "m2"]

    @pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
    async def test_what_is_no_file_any_more_is_refused_at_once(self, make, path):
        document = await opened(path)
        path.unlink()
        make(path)
        with pytest.raises(ReadFailed):
            await append(document, M3)
        assert ids(document) == ["m1", "m2"]


class TestMigrating:
    async def test_opening_to_write_migrates_the_file_and_keeps_what_it_cannot_read(self, path):
        path.write_bytes(file_of(V1_HEADER, *V1_LINES))
        path.chmod(0o640)
        document = await opened(path)
        lines = path.read_bytes().split(b"\n")
        assert lines[0] == V1_HEADER[:-1] + b',"version":3}'
        assert lines[2] == V1_LINES[1]
        first, second = ids(document)
        assert lines[1] == V1_LINES[0][:-1] + b',"id":"%b","parentId":null}' % first.encode()
        assert lines[3] == V1_LINES[2][:-1] + b',"id":"%b","parentId":"%b"}' % (
            second.encode(),
            first.encode(),
        )
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        assert (document.generation, os.listdir(path.parent)) == (0, ["a.jsonl"])
        assert at_once(document.refresh()) is None
        await append(document, M3)
        assert ids(await opened(path)) == [first, second, "m3"]

    @pytest.mark.parametrize("content", [file_of(V1_HEADER, *V1_LINES), file_of(V2_HEADER, M1)])
    async def test_looking_never_writes(self, content, path):
        path.write_bytes(content)
        document = await opened(path, write=False)
        assert document.header.version == 3
        assert path.read_bytes() == content

    async def test_a_document_opened_for_reading_is_migrated_on_disk_when_it_is_opened_for_writing(
        self, path
    ):
        path.write_bytes(file_of(V1_HEADER, *V1_LINES))
        document = await opened(path, write=False)
        heard = Listening(document)
        before = ids(document)
        await document.open(write=True)
        assert b'"version":3' in path.read_bytes()
        assert (ids(document), document.generation) == (before, 1)
        assert heard.take() == [("rewritten", before, None)]

    async def test_an_older_version_put_in_place_is_migrated_on_disk_by_the_next_write(self, path):
        document = await opened(path)
        path.write_bytes(file_of(V1_HEADER, *V1_LINES))
        await append(document, M3)
        fresh = await opened(path, write=False)
        assert not fresh.contents.migrated
        assert ids(fresh) == ids(document)
        assert ids(fresh)[2:] == ["m3"]

    @pytest.mark.parametrize("call", ["fsync", "rename"])
    @pytest.mark.parametrize("when", ["before", "after"])
    async def test_a_line_added_to_the_old_file_meanwhile_is_migrated_and_kept(
        self, call, when, path, monkeypatch
    ):
        path.write_bytes(file_of(V1_HEADER, *V1_LINES))
        late = os.open(path, os.O_WRONLY | os.O_APPEND)
        really = getattr(os, call)
        left = [V1_LINES[0] + b"\n"]

        def busy(*arguments):
            if when == "before" and left:
                os.write(late, left.pop())
            result = really(*arguments)
            if when == "after" and left:
                os.write(late, left.pop())
            return result

        monkeypatch.setattr(os, call, busy)
        document = await opened(path)
        os.close(late)
        assert not left
        assert document.entry_count == 3
        assert document.tree.entries[2].parent_id == document.tree.entries[1].id
        assert ids(await opened(path, write=False)) == ids(document)

    async def test_a_new_file_of_another_program_during_the_migration_is_not_overwritten(
        self, path, monkeypatch
    ):
        path.write_bytes(file_of(V1_HEADER, *V1_LINES))
        really = os.fsync

        def replaced(descriptor):
            really(descriptor)
            if not (path.parent / "done").exists():
                (path.parent / "done").touch()
                path.with_name("b").write_bytes(FILE)
                os.replace(path.with_name("b"), path)

        monkeypatch.setattr(os, "fsync", replaced)
        document = await opened(path)
        assert path.read_bytes() == FILE
        assert ids(document) == ["m1", "m2"]

    async def test_a_migration_that_cannot_be_written_fails_and_read_only_still_opens(
        self, path, monkeypatch
    ):
        content = file_of(V1_HEADER, *V1_LINES)
        path.write_bytes(content)

        def full(_):
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(WriteFailed) as caught:
            await opened(path)
        assert "readOnly" in str(caught.value)
        assert caught.value.data["errno"] == errno.ENOSPC
        assert (path.read_bytes(), os.listdir(path.parent)) == (content, ["a.jsonl"])
        assert (await opened(path, write=False)).entry_count == 2

    async def test_a_migration_that_is_cancelled_is_finished_first(self, path, monkeypatch):
        path.write_bytes(file_of(V1_HEADER, *V1_LINES))
        loop, begun, go = asyncio.get_running_loop(), asyncio.Event(), threading.Event()
        really = os.fsync

        def slowly(descriptor):
            loop.call_soon_threadsafe(begun.set)
            assert go.wait(10)
            really(descriptor)

        monkeypatch.setattr(os, "fsync", slowly)
        document = Document(str(path))
        task = asyncio.create_task(document.open(write=True))
        await begun.wait()  # the loop goes on while the file is rewritten
        task.cancel()
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.sleep(0)
        assert not task.done()
        go.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not document.contents.migrated
        assert at_once(document.refresh()) is None
        assert b'"version":3' in path.read_bytes()

    async def test_a_lock_held_by_another_keeps_the_old_file_and_is_busy(self, path):
        content = file_of(V1_HEADER, *V1_LINES)
        path.write_bytes(content)
        held = os.open(path, os.O_RDWR)
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(Busy):
            await opened(path, lock_timeout=0.01)
        os.close(held)
        assert path.read_bytes() == content


SECOND = """
import asyncio, sys
sys.path.insert(0, sys.argv[3])
from session_files import message, opened
from pathlib import Path

async def main():
    document = await opened(Path(sys.argv[1]))
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(200):
        name = f"{sys.argv[2]}-{number}"
        async with document.turn:
            await document.append(lambda: message(name, document.tip_id))
    print(document.generation, flush=True)

asyncio.run(main())
"""


async def test_two_other_processes_and_we_lose_nothing_of_one_another(path):
    """Every line acknowledged stands in the file once, whole, and in everybody's memory."""
    others = [
        await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", SECOND, str(path), name, os.path.dirname(__file__)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for name in ("one", "two")
    ]
    for other in others:
        assert await other.stdout.readline() == b"ready\n"
    document = await opened(path)
    for other in others:
        other.stdin.write(b"go\n")
    for number in range(200):
        async with document.turn:
            await document.append(lambda name=f"we-{number}": message(name, document.tip_id))
        await asyncio.sleep(0)
    assert [(await other.communicate())[0] for other in others] == [b"0\n", b"0\n"]
    await refresh(document)
    expected = {f"{name}-{number}" for name in ("one", "two", "we") for number in range(200)}
    assert set(ids(document)) == expected | {"m1", "m2"}
    assert ids(document) == naive_ids(path.read_bytes())
    assert document.generation == 0
    # Each line was written knowing the one before it.
    entries = document.tree.entries
    assert all(entry.parent_id == before.id for before, entry in itertools.pairwise(entries))


async def test_a_writer_without_locks_beside_us_loses_nothing(path):
    document = await opened(path)

    def write():
        for number in range(300):
            add(path, message(f"they-{number}") + b"\n")

    writer = threading.Thread(target=write)
    writer.start()
    for number in range(300):
        await append(document, message(f"we-{number}"))
    writer.join()
    await refresh(document)
    assert ids(document) == naive_ids(path.read_bytes())
    assert len(ids(document)) == 602
    assert document.generation == 0


FULL = """
import asyncio, resource, sys
sys.path.insert(0, sys.argv[2])
from session_files import append, ids, message, opened
from sessiond.errors import WriteFailed
from pathlib import Path

async def main():
    path = Path(sys.argv[1])
    document = await opened(path)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), resource.RLIM_INFINITY))
    done = 0
    try:
        while True:
            await append(document, message(f"n{done}"))
            done += 1
    except WriteFailed as error:
        print(error.data["errno"] > 0, done, len(ids(document)))
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    await append(document, message("last"))

asyncio.run(main())
"""


@pytest.mark.parametrize("room", [700, 811, 1000])
def test_a_full_disk_costs_no_acknowledged_line_and_leaves_no_half_one(room, path):
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(path), os.path.dirname(__file__), str(room)],
        capture_output=True,
        check=True,
    )
    said, written, known = done.stdout.split()
    content = path.read_bytes()
    assert (said, int(known)) == (b"True", int(written) + 2)
    assert naive_ids(content) == [
        "m1",
        "m2",
        *(f"n{number}" for number in range(int(written))),
        "last",
    ]
    assert len(content.splitlines()) == int(written) + 4


KILLED = """
import asyncio, sys
sys.path.insert(0, sys.argv[2])
from session_files import append, message, opened
from pathlib import Path

async def main():
    document = await opened(Path(sys.argv[1]))
    number = 0
    while True:
        await append(document, message(f"n{number}", text="x" * 500))
        print(f"n{number}", flush=True)
        number += 1

asyncio.run(main())
"""


async def test_what_was_acknowledged_survives_the_sudden_death_of_the_process(path):
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", KILLED, str(path), os.path.dirname(__file__)),
        stdout=subprocess.PIPE,
    )
    acknowledged = [await process.stdout.readline() for _ in range(300)]
    process.kill()
    rest = (await process.communicate())[0].splitlines(keepends=True)
    acknowledged += [line for line in rest if line.endswith(b"\n")]
    document = await opened(path)
    count = len(acknowledged)
    assert ids(document)[: count + 2] == ["m1", "m2", *(f"n{number}" for number in range(count))]
    # At most the one line that was under way is there beyond those, and it is whole.
    assert document.entry_count <= count + 3
    assert document.diagnostics() == []
    await append(document, M3)
    assert ids(await opened(path))[-1] == "m3"


async def test_twenty_documents_are_written_side_by_side(tmp_path):
    paths = [tmp_path / f"{number}.jsonl" for number in range(20)]
    for path in paths:
        path.write_bytes(FILE)
    documents = await asyncio.gather(*(opened(path) for path in paths))
    await asyncio.gather(
        *(append(document, message(f"n{number}")) for number in range(20) for document in documents)
    )
    for path, document in zip(paths, documents, strict=True):
        assert (
            ids(document)
            == naive_ids(path.read_bytes())
            == ["m1", "m2", *(f"n{n}" for n in range(20))]
        )


async def test_a_new_session_may_begin_with_entries_that_wait_with_it(tmp_path):
    path = tmp_path / "a.jsonl"
    document = Document(str(path))
    await document.open(write=True, new_header=lambda: b"\n".join([HEADER, label("l1")]))
    assert (ids(document), os.listdir(tmp_path)) == (["l1"], [])
    await append(document, M1)
    assert path.read_bytes() == file_of(HEADER, label("l1"), M1)


async def test_work_on_a_document_is_done_in_order_of_asking(path):
    document = await opened(path)
    held = os.open(path, os.O_RDWR)
    fcntl.flock(held, fcntl.LOCK_EX)
    tasks = [asyncio.create_task(append(document, message(f"n{number}"))) for number in range(10)]
    await asyncio.sleep(0)
    os.close(held)
    await asyncio.gather(*tasks)
    assert ids(document)[2:] == [f"n{number}" for number in range(10)]
