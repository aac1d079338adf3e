"""Whole entries are taken out of lines that are no JSON, and nothing else is."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from format.builders import dumps, entry, message
from sessiond.format.repair.salvage import identity, is_old_entry, salvage

ONE = dumps(message("a", None, "user", "one"))
TWO = dumps(message("b", "a", "assistant", [{"type": "text", "text": "two"}]))
CALL = dumps(
    message(
        "c",
        "b",
        "assistant",
        [
            {"type": "toolCall", "id": "t1", "name": "edit", "arguments": {"entry": entry("x")}},
            {"type": "text", "text": "after"},
        ],
    )
)
OLD = b'{"type":"message","timestamp":"2025-01-01T00:00:00.000Z","message":{"role":"user"}}'


@pytest.mark.parametrize(
    ("line", "entries", "rest"),
    [
        (ONE + TWO, [ONE, TWO], b""),
        (ONE + b"  " + TWO + ONE, [ONE, TWO, ONE], b""),
        (ONE[:40] + TWO, [TWO], ONE[:40]),
        (TWO[:-20] + ONE, [ONE], TWO[:-20]),
        (ONE + TWO[:50], [ONE], TWO[:50]),
        (TWO[:50] + ONE + TWO[:50], [ONE], TWO[:50] * 2),
        (b"\0\0\0" + ONE, [ONE], b""),
        (ONE + b"\0\0", [ONE], b""),
        (ONE + b" garbage", [ONE], b"garbage"),
        (b"garbage " + ONE, [ONE], b"garbage"),
        (b"garbage " + ONE + b" garbage", [], b"garbage " + ONE + b" garbage"),
        (ONE[:-1], [], ONE[:-1]),
        (b"", [], b""),
        (CALL[:-3], [], CALL[:-3]),
        (CALL[: CALL.index(b',{"type":"text"')], [], CALL[: CALL.index(b',{"type":"text"')]),
        (b'{"type":"session","id":"s","parentId":null,"timestamp":""', [], None),
        (b'x{"type":"custom","id":5,"parentId":null,"timestamp":""}', [], None),
        (b'x{"type":"custom","id":"a","parentId":null,"timestamp":NaN}', [], None),
        (b"x" + OLD, [], None),
    ],
)
def test_complete_entries_in_a_damaged_line_are_found(
    line: bytes, entries: list[bytes], rest: bytes | None
):
    found = salvage(line)
    assert found.entries == entries
    assert found.rest == (line if rest is None else rest)


def naive(text: str) -> list[str]:
    """Try every beginning: the rule of `salvage`, in quadratic time."""
    entries: list[str] = []
    start = done = 0
    for found in re.finditer(r'\{\s*"type"\s*:\s*"', text):
        at = found.start()
        if at < done:
            continue
        try:
            value, end = json.JSONDecoder().raw_decode(text, at)
        except ValueError:
            continue
        # What is inside a whole object is part of it.
        done = end
        follows = at == start or end == len(text)
        follows = follows or re.match(r'\{\s*"type"\s*:\s*"', text[end:]) is not None
        has_all = {"id", "parentId"} <= value.keys() and isinstance(value.get("timestamp"), str)
        if has_all and follows:
            entries.append(text[at:end])
            start = end
    return entries


PIECES = st.sampled_from(
    [ONE.decode(), TWO.decode(), CALL.decode(), '{"type":"x","b":', "[", "}", '"']
)


@given(st.lists(st.tuples(PIECES, st.integers(0, 400)), min_size=1, max_size=6))
def test_what_is_found_is_what_trying_every_beginning_finds(pieces: list[tuple[str, int]]):
    text = "".join(piece[:length] for piece, length in pieces)
    assert [entry.decode() for entry in salvage(text.encode()).entries] == naive(text)


def test_entries_of_version_1_have_no_ids():
    assert salvage(b"x" + OLD, is_old_entry).entries == [OLD]
    block = b'{"type":"text","text":"","timestamp":""}'
    assert salvage(b"x" + block, is_old_entry).entries == []


def test_invalid_utf_8_and_lone_surrogates_are_tolerated():
    lone = ONE.replace(b"one", rb"\ud83d")
    assert salvage(b"\xff" + lone).entries == [lone]


@pytest.mark.parametrize(
    "piece", [b'{"type":"', b'{"type":"a","b":', b'{"type":"a","b":[', ONE[:-1] + b",", b"{"]
)
def test_hostile_lines_take_no_time(piece: bytes):
    assert salvage(piece * 5000).entries == []
    # Nested 400 deep, with 4 MB inside.
    deep = piece * 400 + b'"' + b"x" * 4_000_000 + b'"'
    assert salvage(deep).entries == []


@pytest.mark.parametrize(
    ("rest", "found"),
    [
        (ONE[:45], ("a", None)),
        (TWO[:45], ("b", "a")),
        (ONE[:25], None),
        (CALL[CALL.index(b'"arg') :], ("x", None)),
    ],
)
def test_a_part_of_an_entry_may_tell_where_it_stood(rest: bytes, found: object):
    assert identity(rest) == found
