from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.effort import effort

from sessiond.format.load import Loaded, Loader, NotASession, load
from sessiond.text.spans import js_trim

from .builders import HEADER, dumps, entry, entry_lines, file_of, ids, message

GOOD = dumps(message("a", None, "user", "grüße 😀"))
DEEP = b'{"type":"custom","id":"deep","data":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
"""Deeper than any interpreter lets a decoder go."""
SURROGATE = b'{"type":"custom","id":"ls","parentId":null,"timestamp":"x","data":"\\ud83d"}'


def shown(loaded: Loaded) -> dict[str, Any]:
    """Everything a reader of the result can see, without how the text is cut in chunks."""
    names = (
        "header header_line header_number bad raw_lines offset torn torn_line"
        " open_ended glued lines bom"
    )
    return {name: getattr(loaded, name) for name in names.split()} | {
        "lines of entries": entry_lines(loaded),
        "facts": [(e.id, e.parent_id, e.type, e.timestamp, e.role, e.line) for e in loaded.entries],
        "diagnostics": loaded.diagnostics(),
    }


def fed(data: bytes, cuts: list[int]) -> Loaded:
    loader = Loader()
    edges = [0, *sorted(cuts), len(data)]
    for start, end in itertools.pairwise(edges):
        loader.feed(memoryview(bytearray(data[start:end])))
    return loader.finish()


LINES = st.sampled_from(
    [
        GOOD,
        dumps(message("b", "a", "assistant", [])),
        dumps(entry("c", "b", "label", targetId="a", label="x")),
        b"  " + GOOD + b" \t",
        SURROGATE,
        b"",
        b"  ",
        "\u00a0\u2028".encode(),
        b"{broken",
        b"null",
        b"42",
        b"[]",
        b'{"id":"no type"}',
        b'{"type":"custom"}',
        HEADER,
        DEEP,
        b'{"type":"custom","id":"raw","data":"\xff\xed\xa0\x80"}',
        b"\xff",
    ]
)


@given(
    st.lists(st.tuples(LINES, st.sampled_from([b"\n", b"\r\n"])), max_size=8),
    st.sampled_from([b"", b"{", b" ", GOOD, GOOD[:-1], "é".encode()[:1], b"null"]),
    st.sampled_from([b"", b"\xef\xbb\xbf"]),
    st.data(),
)
@settings(deadline=None, max_examples=effort(40, 150))
def test_result_does_not_depend_on_how_the_file_is_cut_into_chunks(
    lines: list[tuple[bytes, bytes]], rest: bytes, bom: bytes, data: st.DataObject
) -> None:
    content = bom + HEADER + b"\n" + b"".join(line + end for line, end in lines) + rest
    cuts = data.draw(st.lists(st.integers(0, len(content)), max_size=6))
    assert shown(fed(content, cuts)) == shown(load(content))


def test_bytes_fed_one_by_one_give_the_same_as_all_at_once() -> None:
    content = (
        b"\xef\xbb\xbf" + file_of(GOOD, b"{bad", b"\xff", SURROGATE, b"", GOOD + b"\r") + GOOD[:20]
    )
    assert shown(fed(content, list(range(len(content))))) == shown(load(content))


@given(st.lists(LINES, max_size=8))
@settings(deadline=None, max_examples=effort(40, 100))
def test_entries_are_the_lines_a_naive_reader_finds(lines: list[bytes]) -> None:
    expected = []
    for line in lines:
        text = line.decode(errors="replace")
        try:
            value = json.loads(text) if line is not DEEP else None
        except ValueError:
            continue
        if (
            isinstance(value, dict)
            and isinstance(value.get("type"), str)
            and value["type"] != "session"
            and isinstance(value.get("id"), str)
        ):
            expected.append(text.strip(" \t\r\n").encode())
    loaded = load(file_of(*lines))
    assert entry_lines(loaded) == expected


def test_cut_at_every_byte_whole_lines_are_read_and_the_rest_follows_from_the_offset() -> None:
    content = file_of(
        GOOD, b"", b"{bad", dumps(message("b", "a", "assistant", "ü")) + b"\r", b"\xff", GOOD
    )
    whole = load(content)
    for cut in range(len(HEADER), len(content) + 1):
        first = load(content[:cut])
        assert first.offset + len(first.torn) == cut
        loader = Loader(
            expect_header=False,
            first_line=first.lines + 1,
            open_ended=first.open_ended,
        )
        loader.feed(content[first.offset :])
        grown = loader.finish()
        assert not grown.glued
        assert grown.lines == whole.lines
        entries = first.entries + grown.entries
        assert [(e.id, e.line) for e in entries] == [(e.id, e.line) for e in whole.entries]
        assert [e.raw for e in entries] == entry_lines(whole)
        assert first.bad + grown.bad == whole.bad


@pytest.mark.parametrize("more", [b'{"b":1}\n', b"x\n", b' {"b":1}'])
def test_growth_that_changes_an_open_ended_line_is_reported(more: bytes) -> None:
    first = load(HEADER + b"\n" + GOOD)
    assert first.open_ended
    loader = Loader(expect_header=False, first_line=3, open_ended=True)
    loader.feed(more)
    assert loader.finish().glued


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (b"{bad", "malformedLine"),
        (b'{"type":"custom","id":"x"} {}', "malformedLine"),
        (b'{"type":"custom","id":"x","n":NaN}', "malformedLine"),
        (b'{"type":"custom","id":"x","n":01}', "malformedLine"),
        (b'{"type":"custom","id":"x","s":"\x01"}', "malformedLine"),
        (b"\xef\xbb\xbf" + GOOD, "malformedLine"),
        ("\u00a0".encode() + GOOD, "malformedLine"),
        (DEEP, "malformedLine"),
        (b"null", "notAnEntry"),
        (b"42", "notAnEntry"),
        (b"[]", "notAnEntry"),
        (b'"text"', "notAnEntry"),
        (b'{"id":"x"}', "notAnEntry"),
        (b'{"type":5,"id":"x"}', "notAnEntry"),
        (b'{"type":"custom"}', "missingId"),
        (b'{"type":"custom","id":7}', "missingId"),
        (b'{"type":"custom","id":null}', "missingId"),
        (HEADER, "secondHeader"),
        (b'{"type":"session"}', "secondHeader"),
    ],
)
def test_bad_lines_are_kept_and_reported_and_spoil_nothing_around_them(
    line: bytes, kind: str
) -> None:
    loaded = load(file_of(GOOD, line, dumps(message("b", "a", "user"))))
    assert ids(loaded.entries) == ["a", "b"]
    assert [(bad.line, bad.raw, bad.kind) for bad in loaded.bad] == [(3, line, kind)]
    assert [(d.line, d.kind) for d in loaded.diagnostics()] == [(3, kind)]
    assert loaded.entries[0].raw == GOOD


def test_a_line_nested_too_deeply_is_reported_with_that_reason() -> None:
    assert "deep" in load(file_of(DEEP)).bad[0].message


@pytest.mark.parametrize("blank", [b"", b" \t", b"\r", "\u00a0\u3000\ufeff".encode(), b"\x0b\x0c"])
def test_blank_lines_are_skipped_without_a_word_but_counted(blank: bytes) -> None:
    loaded = load(file_of(blank, GOOD))
    assert [(e.id, e.line) for e in loaded.entries] == [("a", 3)]
    assert loaded.diagnostics() == []


def test_lines_end_with_crlf_and_may_have_white_space_around() -> None:
    content = HEADER + b"\r\n  " + GOOD + b"\t \r\n" + GOOD + b"\r\n"
    loaded = load(content)
    assert entry_lines(loaded) == [GOOD, GOOD]
    assert loaded.header is not None
    assert loaded.header.raw == HEADER
    assert loaded.diagnostics() == []


def test_a_byte_order_mark_is_accepted_and_reported() -> None:
    loaded = load(b"\xef\xbb\xbf" + file_of(GOOD))
    assert loaded.header is not None
    assert loaded.header.raw == HEADER
    assert loaded.offset == 3 + len(file_of(GOOD))
    assert [(d.line, d.kind) for d in loaded.diagnostics()] == [(1, "byteOrderMark")]


def test_bytes_that_are_not_utf8_are_shown_as_replacement_characters_and_kept() -> None:
    line = b'{"type":"custom","id":"x","data":"a\xffb\xed\xa0\x80c"}'
    loaded = load(file_of(GOOD, line, GOOD))
    # As the WHATWG decoder replaces: one for each byte of an encoded surrogate.
    assert entry_lines(loaded)[1] == line.replace(b"\xff", b"\xef\xbf\xbd").replace(
        b"\xed\xa0\x80", b"\xef\xbf\xbd" * 3
    )
    assert loaded.raw_lines == {3: line}
    assert [(d.line, d.kind) for d in loaded.diagnostics()] == [(3, "invalidUtf8")]


@pytest.mark.parametrize(
    ("first", "number"),
    [
        (GOOD, 1),
        (b"42", 1),
        (b"[]", 1),
        (b'"x"', 1),
        (b"true", 1),
        (b'{"type":"session"}', 1),
        (b'{"type":"session","id":4}', 1),
        (b'{"id":"x"}', 1),
        (b"{bad\nnull\n\n7", 4),
    ],
)
def test_a_file_without_a_header_in_its_first_line_is_not_a_session(
    first: bytes, number: int
) -> None:
    with pytest.raises(NotASession) as caught:
        load(file_of(GOOD, header=first))
    assert caught.value.line == number


@pytest.mark.parametrize(
    "content", [b"\n", b"  ", b"{bad\n", b"null\n", b"{", b"\xef\xbb\xbf", HEADER[:-1]]
)
def test_a_file_without_any_json_value_is_not_a_session(content: bytes) -> None:
    with pytest.raises(NotASession):
        load(content)


def test_an_empty_file_loads_without_a_header() -> None:
    loaded = load(b"")
    assert loaded.header is None
    assert loaded.entries == []


@pytest.mark.parametrize("junk", [b"{bad", b"null", b"0", b"false", b'""', b""])
def test_lines_that_pi_skips_may_precede_the_header(junk: bytes) -> None:
    loaded = load(junk + b"\n" + file_of(GOOD))
    assert loaded.header is not None
    assert loaded.header.id == "s"
    assert loaded.header_number == 2
    assert len(loaded.bad) == bool(junk)
    assert ids(loaded.entries) == ["a"]


def test_an_unended_last_line_that_is_whole_is_an_entry() -> None:
    loaded = load(HEADER + b"\n" + GOOD)
    assert ids(loaded.entries) == ["a"]
    assert loaded.open_ended
    assert loaded.torn == b""
    assert loaded.offset == len(HEADER) + 1 + len(GOOD)


def test_an_unended_header_is_a_session() -> None:
    loaded = load(HEADER)
    assert loaded.header is not None
    assert loaded.open_ended


@pytest.mark.parametrize("torn", [GOOD[:-1], b"42", b"{", '{"a":"é'.encode()[:-1]])
def test_a_torn_tail_is_kept_apart_and_reported(torn: bytes) -> None:
    loaded = load(file_of(GOOD) + torn)
    assert loaded.torn == torn
    assert loaded.offset == len(file_of(GOOD))
    assert [(d.line, d.kind) for d in loaded.diagnostics()] == [(3, "tornTail")]


def test_a_line_with_facts_of_unexpected_types_is_an_entry() -> None:
    lines = [
        b'{"type":"message","id":"a","parentId":5,"timestamp":0,"message":null}',
        b'{"type":"message","id":"b","message":{"role":7}}',
        b'{"type":"message","id":"c","parentId":"a","timestamp":null,"message":[]}',
        b'{"type":"custom","id":"x","type":"message","id":"d","message":{"role":"user"}}',
        b'{"type":"custom","id":"e","message":{"role":"user"}}',
    ]
    loaded = load(file_of(*lines))
    facts = [(e.id, e.parent_id, e.type, e.timestamp, e.role) for e in loaded.entries]
    assert facts == [
        ("a", None, "message", "1970-01-01T00:00:00.000Z", ""),
        ("b", None, "message", "", ""),
        ("c", "a", "message", "", ""),
        ("d", None, "message", "", "user"),
        ("e", None, "custom", "", None),
    ]


def test_lone_surrogates_in_ids_and_values_pass() -> None:
    line = b'{"type":"custom","id":"\\udc00","parentId":null,"timestamp":"t","data":"\\ud83d"}'
    loaded = load(file_of(line))
    assert ids(loaded.entries) == ["\udc00"]
    assert entry_lines(loaded) == [line]


def test_an_unknown_version_is_reported_at_the_header() -> None:
    loaded = load(b"\n" + file_of(header=HEADER.replace(b":3,", b":5,")))
    assert [(d.line, d.kind) for d in loaded.diagnostics()] == [(2, "unknownVersion")]


def test_trimming_is_that_of_javascript() -> None:
    assert js_trim("\ufeff\u2003x\u0085\x1c \u2029") == "x\u0085\x1c"
