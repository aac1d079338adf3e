from __future__ import annotations

import pytest

from sessiond.text.javascript import (
    entries_of,
    number_text,
    stringify,
    truthy,
    utf16_head,
    utf16_key,
    utf16_length,
)

EMOJI = "\U0001f600"


@pytest.mark.parametrize(
    ("text", "length"),
    [("", 0), ("abc", 3), ("é漢", 2), (EMOJI, 2), ("\ud83d", 1), ("a" + EMOJI, 3)],
)
def test_a_length_counts_code_units(text: str, length: int):
    assert utf16_length(text) == length


@pytest.mark.parametrize(
    ("text", "units", "head"),
    [
        ("abc", 2, "ab"),
        ("abc", 3, "abc"),
        ("abc", 9, "abc"),
        ("a" + EMOJI, 2, "a"),
        (EMOJI + "a", 2, EMOJI),
        (EMOJI * 3, 3, EMOJI),
        ("ab\ud83d", 3, "ab\ud83d"),
        ("ab\ud83dx", 3, "ab\ud83d"),
        ("é" * 4, 3, "é" * 3),
        ("", 0, ""),
        (EMOJI, 1, ""),
    ],
)
def test_a_head_is_cut_by_code_units_and_never_within_a_pair(text: str, units: int, head: str):
    assert utf16_head(text, units) == head


def test_texts_sort_by_code_unit_so_that_an_emoji_comes_before_a_private_character():
    assert sorted(["\ue000", EMOJI, "a", "Z"], key=utf16_key) == ["Z", "a", EMOJI, "\ue000"]


@pytest.mark.parametrize("raw", [b"1", b"-1", b'"0"', b"true", b"[]", b"{}", b"1e400", b'" "'])
def test_values_javascript_takes_for_true(raw: bytes):
    assert truthy(raw)


@pytest.mark.parametrize("raw", [None, b"", b"0", b"-0", b"0.0", b"0e9", b'""', b"null", b"false"])
def test_values_javascript_takes_for_false(raw: bytes | None):
    assert not truthy(raw)


# By ECMAScript's Number::toString.
NUMBERS = {
    "0": "0",
    "-0": "0",
    "-0.0": "0",
    "1.0": "1",
    "0.10": "0.1",
    "100": "100",
    "1E2": "100",
    "-12.25": "-12.25",
    "1e21": "1e+21",
    "1e20": "100000000000000000000",
    "123456789012345678901": "123456789012345680000",
    "12345678901234567890": "12345678901234567000",
    "-9007199254740993": "-9007199254740992",
    "0.000001": "0.000001",
    "0.0000001": "1e-7",
    "1.5e-9": "1.5e-9",
    "123456789.123456789123456789": "123456789.12345679",
    "5e-324": "5e-324",
    "1.7976931348623157e308": "1.7976931348623157e+308",
    "1e400": "null",
    "-1e400": "null",
}


@pytest.mark.parametrize(("spelled", "shown"), NUMBERS.items())
def test_numbers_are_spelled_as_javascript_does(spelled: str, shown: str):
    assert number_text(spelled.encode()) == shown
    assert stringify(spelled.encode()) == shown


TEXTS = {
    '{ "a" : [ 1 ,\t2 ] }': '{"a":[1,2]}',
    '"\\u00e9\\/\\u0041"': '"é/A"',
    '"\\ud83d"': '"\\ud83d"',
    '"\\ud83d\\ude00"': f'"{EMOJI}"',
    '"\\u0001\\b\\u001f\\u007f"': '"\\u0001\\b\\u001f\x7f"',
    '{"b":1,"10":2,"9":3,"a":4}': '{"9":3,"10":2,"b":1,"a":4}',
    '{"a":1,"b":2,"a":3}': '{"a":3,"b":2}',
    '{"01":1,"1":2}': '{"1":2,"01":1}',
    '{"x":{"2":[],"1":{"a":1,"a":[{}]}},"y":1.0}': '{"x":{"1":{"a":[{}]},"2":[]},"y":1}',
    '{"1":{"1":"\\ud83d"},"1":{"c":",}"}}': '{"1":{"c":",}"}}',
    '{"e":true,"v":"1.50","n":null}': '{"e":true,"v":"1.50","n":null}',
    "[]": "[]",
    "{}": "{}",
    '{"":{"":1e2}}': '{"":{"":100}}',
    '"a,{[:"': '"a,{[:"',
}


@pytest.mark.parametrize(("given", "expected"), TEXTS.items())
def test_json_is_spelled_as_javascript_would_write_it_again(given: str, expected: str):
    assert stringify(given.encode()) == expected


def test_nesting_of_any_depth_is_written_again():
    deep = '{"a":[' * 5000 + '"\\ud83d"' + "]}" * 5000
    assert stringify(deep.encode()) == deep


def test_names_that_are_indices_come_first():
    assert [name for name, _ in entries_of(b'{"b":1,"2":1,"4294967295":1,"1":1}')] == [
        "1",
        "2",
        "b",
        "4294967295",
    ]
