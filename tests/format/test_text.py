from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sessiond.format.text import Text

CHUNKS = st.lists(st.binary(min_size=1, max_size=20), min_size=1, max_size=40)


@given(CHUNKS, st.data())
def test_any_range_equals_that_of_the_chunks_joined_by_commas(
    chunks: list[bytes], data: st.DataObject
) -> None:
    text = Text()
    bases = [text.add(chunk) for chunk in chunks]
    joined = b",".join(chunks)
    assert [
        joined[base : base + len(chunk)] for base, chunk in zip(bases, chunks, strict=True)
    ] == chunks
    first = data.draw(st.integers(0, len(chunks) - 1))
    last = data.draw(st.integers(first, len(chunks) - 1))
    start, end = bases[first], bases[last] + len(chunks[last])
    assert text.slice(start, end) == joined[start:end]
    assert b"".join(text.buffers(start, end)) == joined[start:end]
    assert text.end == len(joined) + 1


@given(CHUNKS, CHUNKS)
def test_taking_over_another_text_shifts_its_offsets(one: list[bytes], other: list[bytes]) -> None:
    text, grown = Text(), Text()
    for chunk in one:
        text.add(chunk)
    bases = [grown.add(chunk) for chunk in other]
    shift = text.extend(grown)
    found = [
        text.slice(base + shift, base + shift + len(c))
        for base, c in zip(bases, other, strict=True)
    ]
    assert found == other


def test_many_small_appends_leave_few_buffers() -> None:
    text = Text()
    for _ in range(20_000):
        text.add(b"x" * 200)
    assert len(text.buffers(0, text.end)) < 120
    assert text.nbytes >= 20_000 * 200


def test_buffers_handed_out_keep_their_bytes_while_chunks_merge() -> None:
    text = Text()
    text.add(b"first")
    held = text.buffers(0, 5)
    for _ in range(100):
        text.add(b"later")
    assert b"".join(held) == b"first"


def test_an_empty_range_is_empty() -> None:
    assert Text().buffers(0, 0) == []
    assert Text().slice(0, 0) == b""
