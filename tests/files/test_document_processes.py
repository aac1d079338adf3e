"""Several processes write one file, or die while they do: nothing acknowledged is lost."""

import asyncio
import fcntl
import itertools
import os
import subprocess
import sys
import threading

import pytest
from session_files import (
    FILE,
    HEADER,
    M1,
    M3,
    add,
    append,
    file_of,
    ids,
    label,
    message,
    naive_ids,
    opened,
    refresh,
)

from sessiond.files.document import Document


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(FILE)
    return path


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
            await document.append(lambda: [message(name, document.tip_id)])
    print(document.generation, flush=True)

asyncio.run(main())
"""


async def test_three_processes_append_without_losing_lines(path):
    """Every acknowledged line is in the file once, complete, and in the memory of every process."""
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
            await document.append(lambda name=f"we-{number}": [message(name, document.tip_id)])
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


async def test_a_concurrent_writer_without_locks_loses_no_lines(path):
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
from sessiond.runtime.errors import WriteFailed
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
    # Of the line for which there was no space, at most a blank one is left.
    assert sum(1 for line in content.splitlines() if line.strip()) == int(written) + 4


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


async def test_acknowledged_entries_survive_a_kill_of_the_process(path):
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
    # At most the one line that was under way is there beyond those. The system may end a write
    # between two pages of a process that it kills.
    assert document.entry_count <= count + 3
    assert [each.kind for each in document.diagnostics()] in ([], ["tornTail"])
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
