"""Entries and stores are spelled as `JSON.stringify(store, null, 2)` spells them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.node import Rewriter, needs_node

from sessiond.gateway.store.entry import ABSENT, NonEntry, StoreEntry, encoded, store_text
from sessiond.gateway.store.snapshot import StoreSnapshot, parse
from sessiond.jsontext.spans import is_json

# Names that loading changes, and those that V8 puts first.
_OF_OLD = {"provider", "lastProvider", "room"}
_INDEX = re.compile(r"0|[1-9][0-9]{0,9}")


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rewriter]:
    with Rewriter(tmp_path_factory.mktemp("node")) as process:
        yield process


def rewritten(text: str) -> str:
    """The store as we would write it, if it held this."""
    found = parse("/s.json", text.encode(), StoreSnapshot())
    assert found.damaged is None
    return store_text(found.items).decode()


space = st.text(" \t\r\n", max_size=2)


def _spelled(text: str, draw: Any) -> str:
    """A JSON string, spelled in one of many ways."""
    return "".join(
        f"\\u{ord(each):04X}"
        if each != "/" and ord(each) < 0x10000 and draw(st.integers(0, 4)) == 0
        else "\\/"
        if each == "/"
        else json.dumps(each, ensure_ascii=0xD800 <= ord(each) < 0xE000)[1:-1]
        for each in text
    )


@st.composite
def strings(draw: Any, names: bool = False) -> str:
    alphabet = st.characters() | st.sampled_from('\ud83d\ude00\u2028\x7f"\\/\n{}[],:0')
    text = draw(st.text(alphabet, max_size=8))
    if names and (_INDEX.fullmatch(text) or text in _OF_OLD):
        text += "x"
    return f'"{_spelled(text, draw)}"'


@st.composite
def numbers(draw: Any) -> str:
    """A number that a double holds, in any spelling of the same decimal."""
    if draw(st.booleans()):
        return str(draw(st.integers(-(2**53), 2**53)))
    value = Decimal(repr(draw(st.floats(allow_nan=False, allow_infinity=False))))
    text = draw(st.sampled_from(["{}", "{:e}", "{:E}", "{:f}"])).format(value)
    if len(text) > 40:
        text = f"{value:e}"
    return draw(st.sampled_from([text, text + "0"])) if re.fullmatch(r"-?\d+\.\d+", text) else text


def _containers(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    item = st.tuples(space, inner, space).map("".join)
    member = st.tuples(space, strings(names=True), space, st.just(":"), item).map("".join)
    arrays = st.lists(item, max_size=4).map(lambda found: f"[{','.join(found)}]")
    objects = st.lists(member, max_size=5).map(lambda found: f"{{{','.join(found)}}}")
    return arrays | objects


values = st.recursive(
    numbers() | strings() | st.sampled_from(["true", "false", "null", "-0", "1E5", "[ ]", "{\n}"]),
    _containers,
    max_leaves=12,
)
members = st.lists(st.tuples(strings(names=True), space, values), max_size=5)
stores = members.map(
    lambda found: "{" + ",".join(f"{name}{gap}:{value}" for name, gap, value in found) + "}"
)


@needs_node
@given(text=stores)
def test_a_store_is_rewritten_as_node_rewrites_it(node: Rewriter, text: str):
    assert rewritten(text) == node.rewritten(text)


@needs_node
@given(text=values)
def test_members_are_spelled_as_node_spells_them(node: Rewriter, text: str):
    entry = StoreEntry.of({"x": text.encode()})
    assert store_text({"k": entry}).decode() == node.rewritten(f'{{"k":{{"x":{text}}}}}')


@needs_node
@given(
    value=st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(2**53), 2**53)
        | st.text()
        | st.floats(allow_nan=False, allow_infinity=False),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.text().filter(lambda name: not _INDEX.fullmatch(name)), inner, max_size=3
            )
        ),
    )
)
def test_plain_values_are_encoded_as_node_encodes_them(node: Rewriter, value: Any):
    text = store_text({"k": StoreEntry.of({"x": value})}).decode()
    assert text == node.rewritten(json.dumps({"k": {"x": value}}))
    # Above 2^53 JavaScript writes fewer digits than the whole number has that a double is.
    assert json.loads(encoded(value), parse_int=float) == value


@given(text=values)
def test_a_rewritten_text_does_not_change_again(text: str):
    once = rewritten(f'{{"k":{text}}}')
    assert rewritten(once) == once


@given(text=values, at=st.integers(0, 200), by=st.sampled_from(list('{}[],:"\\ x0-.e\x01')))
def test_json_is_distinguished_from_other_text(text: str, at: int, by: str):
    at %= len(text) + 1
    for candidate in (text, text[:at], text[:at] + by + text[at:], text[:at] + text[at + 1 :]):
        try:
            json.loads(candidate, parse_constant=lambda _: 1 / 0)
        except (ValueError, ZeroDivisionError):
            expected = False
        else:
            expected = True
        assert is_json(candidate.encode("utf-8", "surrogatepass")) is expected, candidate


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("9007199254740993", "9007199254740993"),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
        ("-9007199254740993", "-9007199254740993"),
        ("0.1000000000000000055", "0.1000000000000000055"),
        ("1e999", "1e999"),
        ("9007199254740992", "9007199254740992"),
        ("1.0", "1"),
        ("-0", "0"),
        ("-0.0", "0"),
        ("1e21", "1e+21"),
        ("1E5", "100000"),
        ("0.00001", "0.00001"),
        ("0.0000001", "1e-7"),
        ("100000000000000000000", "100000000000000000000"),
    ],
)
def test_numbers_are_spelled_as_in_javascript_if_a_double_holds_them(text: str, expected: str):
    assert rewritten(f'{{"k":{{"n":{text}}}}}') == f'{{\n  "k": {{\n    "n": {expected}\n  }}\n}}'


def test_names_like_array_indices_keep_their_place():
    text = '{\n  "b": {\n    "x": 1,\n    "7": 2\n  },\n  "3": {}\n}'
    assert rewritten(text) == text


def test_a_duplicate_member_has_the_first_position_and_the_last_value():
    text = (
        '{"k":{"a":{"x":1e1,"y":2,"x":[3,4]},"b":1,"a":{"x":1.0,"x":"\\ud800"}},"k2":1,"k2":null}'
    )
    assert json.loads(rewritten(text)) == json.loads(text)
    assert '"a": {\n      "x": "\\ud800"\n    },\n    "b": 1\n' in rewritten(text)


def nested(levels: int, inner: str = "") -> str:
    return "[" * levels + inner + "]" * levels


@needs_node
@pytest.mark.parametrize("levels", [250, 500, 990])
def test_json_nested_hundreds_deep_is_spelled_as_node_spells_it(node: Rewriter, levels: int):
    text = f'{{"k":{{"deep":{nested(levels, "1e1")},"a":"\\ud800"}}}}'
    assert rewritten(text) == node.rewritten(text)


def test_json_nested_thousands_deep_is_kept():
    deep = "[" * 20_000 + '{"a":1e1}' + "]" * 20_000
    text = f'{{"k":{{"deep":{deep},"sessionId":"i"}},"l":{{"x":1}}}}'
    found = parse("/s", text.encode(), StoreSnapshot())
    entry = found.items["k"]
    assert isinstance(entry, StoreEntry)
    assert found.problems == ()
    assert (entry.string("sessionId"), entry.get("deep")) == ("i", None)
    changed = entry.changed({"sessionId": "j"})
    # As it is: indented it would be 800 MB.
    assert changed.text.decode() == f'{{\n    "deep": {deep},\n    "sessionId": "j"\n  }}'
    assert parse("/s", store_text({"k": changed}), StoreSnapshot()).items["k"].text == changed.text


@needs_node
def test_json_as_deep_as_node_writes_it_is_indented(node: Rewriter):
    text = '{"k":' + '{"a":[' * 450 + "1.50" + "]}" * 450 + "}"
    assert rewritten(text) == node.rewritten(text)


def test_a_change_keeps_the_order_of_members_and_appends_new_ones():
    entry = StoreEntry.read(b'{"a":1,"b":{"c":[]},"d":null}')
    found = entry.changed({"b": b'{"x" :1.50}', "new": [True, {"y": None}], "a": "\u00e9\n\ud800"})
    assert found.text.decode() == (
        '{\n    "a": "é\\n\\ud800",\n    "b": {\n      "x": 1.5\n    },\n    "d": null,\n'
        '    "new": [\n      true,\n      {\n        "y": null\n      }\n    ]\n  }'
    )
    assert (found.get("a"), found.get("b"), found.get("d")) == ("é\n\ud800", {"x": 1.5}, None)
    assert "d" in found
    assert "e" not in found


def test_an_absent_value_removes_its_member():
    entry = StoreEntry.read(b'{"a":1,"b":2}')
    assert entry.changed({"a": ABSENT}).text == b'{\n    "b": 2\n  }'
    assert entry.changed({"a": ABSENT, "b": ABSENT}).text == b"{}"


def test_a_change_to_equal_values_returns_the_same_entry():
    entry = StoreEntry.read(b'{"a":1,"b":{"c":"\xc3\xa9"}}')
    assert entry.changed({"a": 1, "b": {"c": "é"}, "z": ABSENT}) is entry
    assert entry.changed({"a": b" 1.0 "}) is entry


def test_values_of_another_type_read_as_none():
    entry = StoreEntry.read(b'{"s":1,"n":"1","t":true,"i":1e999,"o":[]}')
    assert (entry.string("s"), entry.number("n"), entry.number("t")) == (None, None, None)
    assert (entry.number("i"), entry.object("o"), entry.get("none")) == (None, None, None)


def test_an_empty_store_is_an_empty_object():
    assert store_text({}) == b"{}"
    assert (
        store_text({"a": NonEntry(b"null"), "b": StoreEntry.of({})})
        == b'{\n  "a": null,\n  "b": {}\n}'
    )
