"""Opening documents that exist, are not written yet, or have lost their file."""

import errno
import os
import stat

import pytest
from session_files import (
    FILE,
    HEADER,
    M1,
    M2,
    M3,
    Listening,
    add,
    append,
    at_once,
    file_of,
    ids,
    label,
    message,
    opened,
    refresh,
)

from sessiond.files import document as document_module
from sessiond.files import journal
from sessiond.files.contents import Contents
from sessiond.files.document import Document
from sessiond.runtime.errors import (
    AlreadyExists,
    InvalidSessionFile,
    ReadFailed,
    SessionNotFound,
    WriteFailed,
)
from sessiond.runtime.limits import INLINE_READ_BYTES


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(FILE)
    return path


class TestOpening:
    async def test_an_opened_session_has_the_header_and_entries_of_its_lines(self, path):
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

    async def test_an_empty_file_that_is_only_examined_stays_empty(self, path):
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
    async def test_a_file_that_is_not_a_session_is_refused_unchanged(
        self, content, line, write, path
    ):
        path.write_bytes(content)
        before = path.stat()
        with pytest.raises(InvalidSessionFile) as caught:
            await opened(path, write=write)
        assert caught.value.data["line"] >= line
        assert path.read_bytes() == content
        assert path.stat().st_ctime_ns == before.st_ctime_ns

    @pytest.mark.parametrize("make", [os.mkdir, os.mkfifo, lambda path: os.symlink(path, path)])
    @pytest.mark.parametrize("write", [True, False])
    async def test_a_path_that_is_not_a_file_fails_immediately(self, make, write, tmp_path):
        make(tmp_path / "x")
        with pytest.raises(ReadFailed):
            await opened(tmp_path / "x", write=write)

    async def test_a_big_file_is_read_in_a_worker(self, path):
        path.write_bytes(file_of(HEADER, message("m1", text="x" * INLINE_READ_BYTES)))
        document = Document(str(path))
        opening = document.open(write=True)
        opening.send(None)
        opening.close()
        await document.open(write=True)
        assert ids(document) == ["m1"]

    async def test_a_torn_tail_is_reported_and_not_repaired_by_looking(self, path):
        add(path, M3[:10])
        document = await opened(path)
        assert [(one.line, one.kind) for one in document.diagnostics()] == [(4, "tornTail")]
        assert path.read_bytes() == FILE + M3[:10]


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
    async def test_either_role_creates_the_file(self, role, tmp_path):
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

    async def test_lines_added_right_after_the_creation_are_read(self, tmp_path, monkeypatch):
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
    async def test_an_append_to_a_file_that_stopped_being_a_session_is_refused(
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
    async def test_an_append_to_a_path_that_stopped_being_a_file_is_refused(self, make, path):
        document = await opened(path)
        path.unlink()
        make(path)
        with pytest.raises(ReadFailed):
            await append(document, M3)
        assert ids(document) == ["m1", "m2"]
