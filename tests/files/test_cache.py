"""One document for one file, however it is called, and a bounded number of idle ones."""

import asyncio
import os
import subprocess
import sys
import tracemalloc

import msgspec
import pytest
from session_files import HEADER, V1_HEADER, V1_LINES, add, append, file_of, ids, message

from sessiond.files import reading
from sessiond.files.cache import Documents
from sessiond.files.document import Document
from sessiond.runtime.errors import AlreadyExists, InvalidSessionFile, ReadFailed, SessionNotFound

M1, M2 = message("m1"), message("m2", "m1", "assistant")
FILE = file_of(HEADER, M1, M2)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(FILE)
    return path


@pytest.fixture
def documents():
    return Documents()


def new_session(documents, path):
    return documents.open(str(path), write=True, new_header=lambda: HEADER)


async def test_one_file_with_several_names_is_one_document(path, tmp_path, documents):
    (tmp_path / "soft").symlink_to(path)
    (tmp_path / "hard").hardlink_to(path)
    (tmp_path / "dir").symlink_to(tmp_path)
    names = ["a.jsonl", "soft", "hard", "dir/a.jsonl", "dir/soft"]
    found = [await documents.open(str(tmp_path / name), write=False) for name in names]
    assert len({id(document) for document in found}) == 1
    assert documents.users(found[0]) == 5
    figures = documents.stats()
    assert (figures.documents, figures.hits, figures.misses) == (1, 4, 1)
    assert figures.bytes >= len(FILE) - len(HEADER)


async def test_a_path_not_yet_written_is_one_document_too(tmp_path, documents):
    (tmp_path / "link").symlink_to(tmp_path / "a.jsonl")
    one = await new_session(documents, tmp_path / "a.jsonl")
    other = await new_session(documents, tmp_path / "link")
    assert one is other
    await append(one, M1)
    assert await new_session(documents, tmp_path / "a.jsonl") is one
    assert (tmp_path / "link").is_symlink()


async def test_opens_at_the_same_moment_share_one_reading(path, documents):
    add(path, message("big", text="x" * 500_000) + b"\n")
    found = await asyncio.gather(*(documents.open(str(path), write=True) for _ in range(5)))
    assert len({id(document) for document in found}) == 1
    assert documents.users(found[0]) == 5


async def test_cancelling_one_open_does_not_affect_the_others(path, documents):
    add(path, message("big", text="x" * 500_000) + b"\n")
    tasks = [asyncio.create_task(documents.open(str(path), write=True)) for _ in range(3)]
    await asyncio.sleep(0)
    tasks[0].cancel()
    with pytest.raises(asyncio.CancelledError):
        await tasks[0]
    one, other = await tasks[1], await tasks[2]
    assert one is other
    assert ids(one) == ["m1", "m2", "big"]
    assert documents.users(one) == 2


async def test_a_failed_open_leaves_nothing_behind(path, tmp_path, documents):
    path.write_bytes(b"text\n")
    with pytest.raises(InvalidSessionFile):
        await documents.open(str(path), write=True)
    with pytest.raises(SessionNotFound):
        await documents.open(str(tmp_path / "missing"), write=True)
    with pytest.raises(ReadFailed):
        await documents.open(str(tmp_path), write=True)
    assert documents.stats().documents == 0


async def test_a_document_stays_hot_after_its_last_user(path, documents):
    document = await documents.open(str(path), write=True)
    documents.release(document)
    add(path, message("m3") + b"\n")
    again = await documents.open(str(path), write=True)
    assert again is document
    assert ids(again) == ["m1", "m2", "m3"]


async def test_idle_documents_above_the_limit_are_evicted_least_recently_used_first(tmp_path):
    documents = Documents(limit=5000)
    opened = []
    for name in "abcd":
        (tmp_path / name).write_bytes(file_of(HEADER, message(name, text="x" * 500)))
        opened.append(await documents.open(str(tmp_path / name), write=True))
    kept = opened[0]
    size = kept.nbytes
    documents._limit = 2 * size
    for document in (opened[2], opened[1], opened[3]):
        documents.acquire(document)
        documents.release(document)
        documents.release(document)
    assert set(documents) == {kept, opened[1], opened[3]}
    assert documents.stats().evictions == 1
    assert await documents.open(str(tmp_path / "c"), write=True) is not opened[2]


@pytest.mark.parametrize("length", [10, 1000, 50_000])
def test_a_session_takes_about_as_much_memory_as_is_counted(length, tmp_path):
    path = tmp_path / "a.jsonl"
    parents = [None, *(f"{number:08x}" for number in range(1, 3000))]
    lines = (
        message(f"{number:08x}", parent, text="x" * length)
        for number, parent in enumerate(parents, start=1)
    )
    path.write_bytes(file_of(HEADER, *lines))
    tracemalloc.start()
    try:
        contents = reading.read(str(path)).contents
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert 0.8 < contents.nbytes / taken < 1.2


async def test_a_document_with_users_is_never_evicted(path):
    documents = Documents(limit=0)
    document = await documents.open(str(path), write=True)
    assert list(documents) == [document]
    documents.release(document)
    assert list(documents) == []


async def test_a_session_without_a_file_is_dropped_with_its_last_user(tmp_path, documents):
    one = await new_session(documents, tmp_path / "a.jsonl")
    await append(one, message("t", role="toolResult"))
    documents.release(one)
    other = await new_session(documents, tmp_path / "a.jsonl")
    assert other is not one
    assert ids(other) == []


async def test_a_replaced_file_is_still_the_document_of_its_path(path, tmp_path, documents):
    document = await documents.open(str(path), write=True)
    (tmp_path / "b").write_bytes(file_of(HEADER, M2))
    os.replace(tmp_path / "b", path)
    async with document.turn:
        await document.refresh()
    assert await documents.open(str(path), write=True) is document


async def test_an_inode_used_again_does_not_make_it_the_same_file(path, tmp_path, documents):
    document = await documents.open(str(path), write=True)
    path.unlink()
    other_path = tmp_path / "b.jsonl"
    other_path.write_bytes(file_of(HEADER, message("other")))
    document._state = msgspec.structs.replace(document.state, inode=other_path.stat().st_ino)
    other = await documents.open(str(other_path), write=True)
    assert other is not document
    assert ids(other) == ["other"]


async def test_a_missing_file_is_a_new_session_even_if_an_open_one_was_there(path, documents):
    """Like a new SessionManager on a missing path; the old handle keeps its entries."""
    old = await documents.open(str(path), write=True)
    path.unlink()
    with pytest.raises(SessionNotFound):
        await documents.open(str(path), write=True)
    new = await new_session(documents, path)
    assert (ids(old), ids(new)) == (["m1", "m2"], [])


async def test_an_emptied_file_begins_again_once_it_has_no_users(path, documents):
    document = await documents.open(str(path), write=True)
    os.truncate(path, 0)
    assert await new_session(documents, path) is document
    documents.release(document)
    documents.release(document)
    again = await new_session(documents, path)
    assert (ids(again), path.read_bytes()) == ([], HEADER + b"\n")


async def test_a_file_emptied_while_it_had_no_users_begins_again(path, documents):
    document = await documents.open(str(path), write=True)
    documents.release(document)
    os.truncate(path, 0)
    again = await new_session(documents, path)
    assert again is not document
    assert (ids(again), path.read_bytes()) == ([], HEADER + b"\n")


async def test_a_reader_and_a_writer_of_an_old_version_share_the_migrated_document(path, documents):
    path.write_bytes(file_of(V1_HEADER, *V1_LINES))
    reader = await documents.open(str(path), write=False)
    before = ids(reader)
    writer = await documents.open(str(path), write=True)
    assert writer is reader
    assert (ids(writer), writer.generation) == (before, 1)
    assert await documents.open(str(path), write=False) is reader


@pytest.mark.parametrize("size", [10, 500_000])
async def test_create_writes_a_whole_file_and_refuses_an_existing_one(size, tmp_path, documents):
    path = tmp_path / "dir" / "a.jsonl"
    lines = [HEADER, message("m1", text="x" * size)]
    document = await documents.create(str(path), iter(lines), size)
    assert path.read_bytes() == file_of(*lines)
    assert path.stat().st_mode & 0o777 == 0o600
    assert ids(document) == ["m1"]
    assert documents.users(document) == 1
    with pytest.raises(AlreadyExists):
        await documents.create(str(path), [HEADER], size)
    assert path.read_bytes() == file_of(*lines)


async def itself(contents):
    return contents


async def test_a_copy_of_a_file_is_migrated_not_shared_and_writes_nothing(path, documents):
    content = file_of(V1_HEADER, *V1_LINES)
    path.write_bytes(content)
    copy = Document.in_memory(await documents.use(str(path), itself))
    assert copy.header.version == 3
    await append(copy, M1)
    assert (copy.entry_count, path.read_bytes()) == (3, content)
    assert documents.stats().documents == 0


@pytest.mark.parametrize("content", [b"", b"text\n"])
async def test_a_file_that_is_not_a_session_is_not_copied(content, path, documents):
    path.write_bytes(content)
    with pytest.raises(InvalidSessionFile):
        await documents.use(str(path), itself)
    path.unlink()
    with pytest.raises(SessionNotFound):
        await documents.use(str(path), itself)


FILLING = """
import asyncio, sys
from sessiond.files import cache

LIMIT = 40_000_000
cache._FREED_BYTES = 1_000_000

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

async def main(paths):
    documents = cache.Documents(limit=LIMIT)
    before = resident()

    async def use():
        # Several at a time, so that several threads take memory.
        opened = await asyncio.gather(*(documents.open(path, write=False) for path in paths))
        while opened:
            documents.release(opened.pop())

    for _ in range(3):
        await use()
    assert 0.6 * LIMIT < documents.stats().bytes < LIMIT
    deadline = asyncio.get_running_loop().time() + 30
    # Modules and one more document count here; of 256 MB they are little: see dev/bench.
    while (grown := resident() - before) > 1.5 * LIMIT:
        assert asyncio.get_running_loop().time() < deadline, grown
        # What was given back last may still have been in use then.
        await use()
        await asyncio.sleep(0.05)

asyncio.run(main(sys.argv[1:]))
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="Linux tells what is resident")
def test_idle_documents_take_as_much_memory_as_they_may(tmp_path):
    paths = [tmp_path / f"{number}.jsonl" for number in range(6)]
    for path in paths:
        path.write_bytes(file_of(HEADER, *(message(f"m{n}", text="x" * 2000) for n in range(6000))))
    subprocess.run([sys.executable, "-c", FILLING, *map(str, paths)], check=True, timeout=120)
