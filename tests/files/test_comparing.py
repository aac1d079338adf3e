"""An edit in place is never taken for growth for long, however little of the file it changes."""

from __future__ import annotations

import asyncio
import itertools
import random
import time
from pathlib import Path
from typing import Any

import pytest
from session_files import (
    HEADER,
    Listening,
    add,
    append,
    file_of,
    message,
    refresh,
)
from support.effort import effort

from sessiond.files import comparing
from sessiond.files.cache import Documents
from sessiond.files.comparing import Comparisons
from sessiond.files.contents import Contents
from sessiond.files.document import Document
from sessiond.files.identity import FileState
from sessiond.files.reading import begins_with, read
from sessiond.runtime.errors import WriteFailed
from sessiond.runtime.limits import TAIL_BYTES

LONG = "x" * (2 * TAIL_BYTES)
FILE = file_of(HEADER, message("m1", text="SECRET"), message("m2", "m1", text=LONG))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.jsonl"
    path.write_bytes(FILE)
    return path


@pytest.fixture
def documents() -> Documents:
    return Documents()


async def opened(documents: Documents, path: Path) -> Document:
    document = await documents.open(str(path), write=True)
    assert isinstance(document, Document)
    return document


def edit_in_place(path: Path, old: bytes = b"SECRET", new: bytes = b"XXXXXX") -> None:
    at = path.read_bytes().index(old)
    with path.open("r+b") as file:
        file.seek(at)
        file.write(new)


def text(document: Document, number: int) -> bytes:
    return document.tree.entries[number].raw


async def test_an_edit_before_growth_is_read_when_the_growth_pauses(
    documents: Documents, path: Path
):
    document = await opened(documents, path)
    heard = Listening(document)
    edit_in_place(path)
    add(path, message("m3", "m2") + b"\n")
    await refresh(document)
    assert heard.take() == [("appended", ["m3"], None)]
    assert b"SECRET" in text(document, 0)
    await asyncio.wait_for(documents.comparisons.idle(), 10)
    assert heard.take() == [("rewritten", ["m1", "m2", "m3"], None)]
    assert (document.generation, b"XXXXXX" in text(document, 0)) == (1, True)


async def test_growth_alone_is_reported_once(documents: Documents, path: Path):
    document = await opened(documents, path)
    heard = Listening(document)
    add(path, message("m3", "m2") + b"\n")
    await refresh(document)
    assert not document.is_compared
    await asyncio.wait_for(documents.comparisons.idle(), 10)
    assert heard.take() == [("appended", ["m3"], None)]
    assert (document.generation, document.is_compared) == (0, True)


async def test_a_removed_text_does_not_come_back_with_a_deleted_file(
    documents: Documents, path: Path
):
    document = await opened(documents, path)
    edit_in_place(path)
    add(path, message("m3", "m2") + b"\n")
    await refresh(document)
    path.unlink()
    with pytest.raises(WriteFailed, match="not written again"):
        await append(document, message("m4", "m3"))
    assert not path.exists()


@pytest.mark.parametrize("removed", ["deleted", "emptied"])
async def test_compared_lines_are_written_again(documents: Documents, path: Path, removed: str):
    document = await opened(documents, path)
    edit_in_place(path)
    add(path, message("m3", "m2") + b"\n")
    await refresh(document)
    await asyncio.wait_for(documents.comparisons.idle(), 10)
    before = path.read_bytes()
    if removed == "deleted":
        path.unlink()
    else:
        path.write_bytes(b"")
    await append(document, message("m4", "m3"))
    assert path.read_bytes() == before + message("m4", "m3") + b"\n"


async def test_lines_that_are_copied_are_compared_first(documents: Documents, path: Path):
    document = await opened(documents, path)
    edit_in_place(path)
    add(path, message("m3", "m2") + b"\n")
    await refresh(document)
    async with document.turn:
        await document.settle()
    assert b"XXXXXX" in text(document, 0)


async def test_own_appends_are_not_compared(documents: Documents, path: Path):
    document = await opened(documents, path)
    await append(document, message("m3", "m2"))
    assert document.is_compared


ODD_LINES = [
    b"",
    b" \t",
    "\u00a0".encode(),
    b"{broken",
    b"\xff\xfe{",
    b'{"type":"message","id":"odd\xff","parentId":null}',
    message("spaces").replace(b",", b" , ") + b"  \r",
    HEADER,
    b"[1]",
    b"0",
    message("m9", text="y" * 1_100_000),
]


@pytest.mark.parametrize("seed", range(effort(20, 200)))
def test_the_comparison_agrees_with_reading_again(tmp_path: Path, seed: int):
    chance = random.Random(seed)
    lines = [message(f"e{number}") for number in range(5)]
    lines += chance.choices(ODD_LINES, k=5)
    chance.shuffle(lines)
    begin = chance.choice([b"", b"\xef\xbb\xbf", b"\n", b"no JSON\n"])
    data = begin + HEADER + chance.choice([b"\n", b"\r\n"]) + b"\n".join(lines)
    data += chance.choice([b"", b"\n", b'\n{"torn'])
    path = tmp_path / "a.jsonl"
    path.write_bytes(data)
    known = _read(path)
    key = FileState.of(path.stat()).key
    assert begins_with(str(path), known.snapshot(), key)
    for _ in range(20):
        at = chance.randrange(known.offset)
        changed = bytearray(data)
        changed[at] = chance.choice(b'x {"\n\r\t')
        path.write_bytes(changed)
        if begins_with(str(path), known.snapshot(), key):
            assert _read(path).same_as(known), (at, changed[at])


def _read(path: Path) -> Contents:
    contents = read(str(path)).contents
    assert contents is not None
    return contents


class Growing:
    """A document of some size, whose comparisons take some time of a fake clock."""

    is_compared = False

    def __init__(self, clock: Clock, nbytes: int, seconds: float) -> None:
        self.nbytes = nbytes
        self.compared: list[float] = []
        self._clock, self._seconds = clock, seconds

    async def compare(self) -> float:
        self.compared.append(self._clock.now)
        return self._seconds


class Clock:
    now = 0.0

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(time, "monotonic", lambda: clock.now)
    monkeypatch.setattr(comparing.asyncio, "sleep", clock.sleep)
    return clock


@pytest.mark.parametrize(("megabytes", "latest"), [(1, 10), (100, 60)])
async def test_a_file_that_never_stops_to_grow_is_compared_some_time(
    clock: Clock, megabytes: int, latest: float, monkeypatch: pytest.MonkeyPatch
):
    document, comparisons = Growing(clock, megabytes << 20, 0.0), Comparisons()

    async def grow(seconds: float) -> None:
        clock.now += seconds / 2
        if not document.compared:
            comparisons.want(document)

    monkeypatch.setattr(comparing.asyncio, "sleep", grow)
    comparisons.want(document)
    await comparisons.idle()
    (at,) = document.compared
    assert latest <= at <= latest + comparing.PAUSE


async def test_all_comparisons_together_take_little_of_a_processor(clock: Clock):
    documents = [Growing(clock, 1 << 20, 0.2) for _ in range(5)]
    comparisons = Comparisons()
    for document in documents:
        comparisons.want(document)
    await comparisons.idle()
    times = sorted(at for document in documents for at in document.compared)
    assert all(later - earlier >= 10 for earlier, later in itertools.pairwise(times))


async def test_a_comparison_that_fails_hinders_no_other(clock: Clock):
    class Broken(Growing):
        async def compare(self) -> float:
            raise RuntimeError("as a test")

    comparisons, fine = Comparisons(), Growing(clock, 1, 0.0)
    both: list[Any] = [Broken(clock, 1, 0.0), fine]
    for document in both:
        comparisons.want(document)
    await comparisons.idle()
    assert len(fine.compared) == 1
