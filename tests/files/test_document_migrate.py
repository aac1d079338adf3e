"""Documents of versions 1 and 2 are migrated when they are opened for writing."""

import asyncio
import errno
import fcntl
import os
import stat
import threading

import pytest
from session_files import (
    FILE,
    M1,
    M3,
    V1_HEADER,
    V1_LINES,
    V2_HEADER,
    Listening,
    append,
    at_once,
    file_of,
    ids,
    opened,
)

from sessiond.files.document import Document
from sessiond.runtime.errors import Busy, WriteFailed


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(FILE)
    return path


class TestMigrating:
    async def test_opening_to_write_migrates_the_file_and_keeps_unreadable_lines(self, path):
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

        def busy(*arguments, **options):
            if when == "before" and left:
                os.write(late, left.pop())
            result = really(*arguments, **options)
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
