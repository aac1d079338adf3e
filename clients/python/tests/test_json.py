"""Encoding and decoding of JSON, compared with the standard library."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, Raw

from sessiond_client.contract import TextContent, UnknownBlock, UserMessage
from sessiond_client.encoding import encode
from sessiond_client.exact import _elements, items, members, parse

texts = st.text(st.characters())  # lone surrogates included
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


@given(values)
def test_an_encoded_value_is_parsed_to_the_same_value(value):
    assert json.loads(encode(value)) == value
    assert parse(encode(value)) == value


@given(st.lists(values), st.sampled_from([None, 2]))
def test_items_are_the_exact_texts(value, indent):
    text = json.dumps(value, indent=indent).encode()
    parts = list(_elements(text))
    assert [json.loads(part) for part in parts] == value
    assert all(part in text and part == part.strip() for part in parts)
    assert [bytes(each) for each in items(text)] == parts


@given(st.dictionaries(texts, values), st.sampled_from([None, 2]))
def test_members_are_the_exact_texts(value, indent):
    text = json.dumps(value, indent=indent).encode()
    assert {name: json.loads(bytes(part)) for name, part in members(text).items()} == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (rb'"\ud83d"', "\ud83d"),
        (rb'"\ud83d\ude00"', "😀"),
        (b"123456789012345678901234567890", 123456789012345678901234567890),
        (b"1e400", float("inf")),
        (rb'{"a":1,"a":"\udc00"}', {"a": "\udc00"}),
    ],
)
def test_json_that_other_parsers_refuse_is_parsed(text, value):
    assert parse(text) == value


def test_an_integer_longer_than_python_converts_keeps_its_digits():
    assert f"{parse(b'[' + b'7' * 5000 + b']')[0]:f}" == "7" * 5000


@pytest.mark.parametrize("text", [b"NaN", b"[Infinity]", b"{", b""])
def test_text_that_is_not_json_is_refused(text):
    with pytest.raises(ValueError):
        parse(text)


def test_nothing_nests_too_deep_to_be_taken_apart():
    deep = b"[" * 5000 + b"]" * 5000
    assert [bytes(part) for part in members(b'{"a":%b,"b":1}' % deep).values()] == [deep, b"1"]


def test_classes_of_the_contract_are_encoded_without_what_is_unset():
    blocks = [TextContent(text="x"), UnknownBlock({"type": "?"})]
    message = UserMessage(content=blocks, timestamp=1)
    assert encode({"a": UNSET, "b": message}) == (
        b'{"b":{"role":"user","content":[{"type":"text","text":"x"},{"type":"?"}],"timestamp":1}}'
    )


def test_raw_json_is_sent_byte_for_byte():
    assert encode({"a": [Raw(b'{ "x" : 1.50 }')]}) == b'{"a":[{ "x" : 1.50 }]}'


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_numbers_that_json_cannot_hold_are_refused(value):
    with pytest.raises(ValueError, match="Raw"):
        encode([value])


@pytest.mark.parametrize("value", [{1: 2}, object(), b"bytes", {"a": {1, 2}}])
def test_a_value_that_json_cannot_hold_is_refused(value):
    with pytest.raises(TypeError):
        encode(value)
