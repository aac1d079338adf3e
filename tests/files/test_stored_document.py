"""Documents of large files, whose lines stay in the file."""

import os

import pytest
from session_files import HEADER, add, append, file_of, ids, message, opened, refresh

from sessiond.errors import FileChanged, WriteFailed
from sessiond.files import reading
from sessiond.files.kept import held_file

LINES = [HEADER, *(message(f"m{n}", text="x" * 100) for n in range(50))]
CONTENT = file_of(*LINES)


@pytest.fixture(autouse=True)
def _all_are_large(monkeypatch):
    monkeypatch.setattr(reading, "STORED_FROM_BYTES", 0)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(CONTENT)
    return path


def lines(document):
    return [document.tree.line(entry) for entry in document.tree.entries]


async def test_own_and_foreign_lines_are_read_from_the_file(path):
    document = await opened(path)
    await append(document, message("own"))
    add(path, message("theirs") + b"\n" + message("unended"))
    await refresh(document)
    await append(document, message("last"))
    wanted = [*LINES[1:], *map(message, ["own", "theirs", "unended", "last"])]
    assert lines(document) == wanted
    assert document.tree.text.stored == document.tree.text.nbytes
    entries = document.tree.entries
    assert b"".join(document.tree.text.buffers(entries[0].start, entries[-1].end)) == b",".join(
        wanted
    )
    assert document.nbytes < len(CONTENT) * 4


async def test_a_deleted_file_is_written_whole_again(path):
    document = await opened(path)
    path.unlink()
    await append(document, message("own"))
    assert path.read_bytes() == CONTENT + file_of(message("own"))
    assert lines(document) == [*LINES[1:], message("own")]


async def test_lost_lines_of_an_emptied_file_are_reported(path):
    document = await opened(path)
    os.truncate(path, 0)
    change = await refresh(document)
    assert (change.kind, document.status) == ("deleted", "empty")
    # What happened, and what to do.
    said = "emptied or overwrote.* no copy .*restore the file from a backup, or close the session"
    with pytest.raises(FileChanged, match=said):
        document.tree.line(document.tree.entries[0])
    with pytest.raises(WriteFailed, match=said):
        await append(document, message("own"))
    assert path.read_bytes() == b""
    path.write_bytes(CONTENT)
    assert (await refresh(document)).kind == "restored"
    assert lines(document) == LINES[1:]
    assert document.generation == 0


async def test_a_line_changed_in_place_is_noticed_when_it_is_read(path, monkeypatch):
    document = await opened(path)
    seen = path.stat()
    changed = CONTENT.replace(b'"m7"', b'"n7"')
    with path.open("r+b") as file:
        file.write(changed)
    # As if the change had not been seen yet, or came with times that tell nothing.
    with pytest.raises(FileChanged):
        document.tree.line(document.tree.entries[7])
    monkeypatch.setattr(type(document.state), "matches", lambda *_: True)
    assert seen.st_size == path.stat().st_size
    assert (await refresh(document)).kind == "rewritten"
    assert ids(document)[7] == "n7"
    assert await refresh(document) is None


async def test_with_too_many_open_files_the_lines_are_kept_in_memory(path, monkeypatch):
    monkeypatch.setattr(held_file.resource, "getrlimit", lambda _: (8, 8))
    document = await opened(path)
    assert document.contents.source is None
    os.truncate(path, 0)
    await append(document, message("own"))
    assert path.read_bytes() == CONTENT + file_of(message("own"))


@pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="needs Linux")
async def test_the_file_is_closed_with_its_last_reader(path):
    before = set(os.listdir("/proc/self/fd"))
    document = await opened(path)
    text = document.tree.snapshot().text
    entry = document.tree.entries[3]
    del document
    assert text.slice(entry.start, entry.end) == LINES[4]
    del text
    assert set(os.listdir("/proc/self/fd")) == before
