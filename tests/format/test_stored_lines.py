from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.effort import effort

from sessiond.errors import FileChanged
from sessiond.format.load import Loaded, Loader, adopt, load
from sessiond.format.stored_lines import Source

from .builders import HEADER, dumps, entry, file_of, message
from .test_load import LINES, shown


class Bytes(Source):
    """A file in memory whose bytes may be changed."""

    def __init__(self, data: bytes) -> None:
        self.data = bytearray(data)

    def read(self, start: int, end: int) -> bytes:
        return bytes(self.data[start:end])

    def copy(self, start: int, end: int) -> memoryview:
        return memoryview(bytearray(self.data[start:end]))

    def changed(self) -> FileChanged:
        return FileChanged("x", OSError(116, "changed"))


def stored(data: bytes, cuts: list[int]) -> Loaded:
    loader = Loader(source=Bytes(data))
    for start, end in itertools.pairwise([0, *sorted(cuts), len(data)]):
        loader.feed(data[start:end])
    return loader.finish()


def runs(loaded: Loaded) -> list[Any]:
    """The body of the array of any run of entries, without white space at the ends of lines."""
    entries = loaded.entries
    pairs = itertools.combinations_with_replacement(range(len(entries)), 2)
    found = [loaded.text.buffers(entries[a].start, entries[b].end) for a, b in pairs]
    return [b"".join(views).replace(b"\r,", b",") for views in found]


FILES = st.tuples(
    st.sampled_from([b"", b"\xef\xbb\xbf", b"null\n"]),
    st.lists(st.tuples(LINES, st.sampled_from([b"\n", b"\r\n", b"\n\n"])), max_size=8),
    st.sampled_from([b"", b"{", b" ", dumps(entry("z", None, "custom")), b"\xff"]),
).map(
    lambda parts: (
        parts[0] + HEADER + b"\n" + b"".join(line + end for line, end in parts[1]) + parts[2]
    )
)


@given(FILES, st.data())
@settings(deadline=None, max_examples=effort(40, 80))
def test_lines_read_from_the_file_are_those_kept_in_memory(
    content: bytes, data: st.DataObject
) -> None:
    cuts = data.draw(st.lists(st.integers(0, len(content)), max_size=4))
    known, found = load(content), stored(content, cuts)
    assert shown(found) == shown(known)
    assert runs(found) == runs(known)
    assert runs_in_memory(found) == runs(known)
    for one, other in zip(found.entries, known.entries, strict=True):
        assert found.text.digest(one.start, one.end) == known.text.digest(other.start, other.end)


def runs_in_memory(loaded: Loaded) -> list[Any]:
    loaded.text.read_all()
    assert loaded.text.stored == 0
    return runs(loaded)


@given(FILES, st.data())
@settings(deadline=None, max_examples=effort(40, 60))
def test_growth_stays_in_the_file_too(content: bytes, data: st.DataObject) -> None:
    cut = data.draw(st.integers(content.index(HEADER) + len(HEADER), len(content)))
    source = Bytes(content)
    loader = Loader(source=source)
    loader.feed(content[:cut])
    first = loader.finish()
    loader = Loader(
        expect_header=False,
        first_line=first.lines + 1,
        first_index=len(first.entries),
        open_ended=first.open_ended,
        source=source,
        at=first.offset,
    )
    loader.feed(content[first.offset :])
    grown = loader.finish()
    if grown.glued:
        return
    first.entries += adopt(first.text, grown)
    whole = load(content)
    assert runs(first) == runs(whole)


GOOD = [dumps(message(f"m{n}", None, "user", "x" * n)) for n in range(6)]


def test_a_line_that_was_changed_in_place_is_never_shown() -> None:
    content = file_of(*GOOD)
    source = Bytes(content)
    loader = Loader(source=source)
    loader.feed(content)
    loaded = loader.finish()
    entries, text = loaded.entries, loaded.text
    at = len(HEADER) + 1
    for known, line in zip(entries, GOOD, strict=True):
        for changed in range(at, at + len(line)):
            source.data[changed] ^= 1
            with pytest.raises(FileChanged):
                text.slice(known.start, known.end)
            with pytest.raises(FileChanged):
                text.buffers(entries[0].start, entries[-1].end)
            source.data[changed] ^= 1
        assert text.slice(known.start, known.end) == line
        at += len(line) + 1
        if at < len(content):
            source.data[at - 1 : at] = b"x"
            with pytest.raises(FileChanged):
                text.buffers(entries[0].start, entries[-1].end)
            source.data[at - 1 : at] = b"\n"


def test_a_file_that_became_shorter_has_lost_its_last_lines_only() -> None:
    content = file_of(*GOOD)
    source = Bytes(content)
    loader = Loader(source=source)
    loader.feed(content)
    loaded = loader.finish()
    del source.data[-20:]
    entries = loaded.entries
    assert b"".join(loaded.text.buffers(entries[0].start, entries[-2].end)) == b",".join(GOOD[:-1])
    with pytest.raises(FileChanged):
        loaded.text.slice(entries[-1].start, entries[-1].end)
    with pytest.raises(FileChanged):
        loaded.text.buffers(entries[0].start, entries[-1].end)


def test_lines_one_after_another_are_one_chunk() -> None:
    assert len(stored(file_of(*GOOD * 50), list(range(100, 2000, 70))).text.chunks) == 1
