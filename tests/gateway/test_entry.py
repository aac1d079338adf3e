"""What is new in a store is spelled as `JSON.stringify(store, null, 2)` spells it; the rest stays."""

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

from sessiond.gateway.entry import ABSENT, NonEntry, StoreEntry, encoded, store_text
from sessiond.text.spans import is_json

# Names that V8 puts first.
_INDEX = re.compile(r"0|[1-9][0-9]{0,9}")


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rewriter]:
    with Rewriter(tmp_path_factory.mktemp("node")) as process:
        yield process


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
    if names and _INDEX.fullmatch(text):
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


def test_json_nested_thousands_deep_is_kept():
    deep = "[" * 20_000 + '{"a":1e1}' + "]" * 20_000
    entry = StoreEntry(f'{{"deep":{deep},"sessionId":"i"}}'.encode())
    assert (entry.string("sessionId"), entry.get("deep")) == ("i", None)
    changed = entry.changed({"sessionId": "j", "again": deep.encode()})
    # As it is: indented it would be 800 MB.
    assert changed.text.decode() == (
        f'{{\n    "deep": {deep},\n    "sessionId": "j",\n    "again": {deep}\n  }}'
    )


@pytest.mark.parametrize(
    "text",
    [
        "1.50",
        "1e1",
        "-0.0",
        "123456789012345678901234567890",
        "1e999",
        '"\\ud800"',
        '{"b":1,"7":2 }',
    ],
)
def test_a_change_keeps_the_bytes_of_other_members(text: str):
    entry = StoreEntry(f'{{"x":{text},"y":1}}'.encode())
    assert entry.changed({"y": 2}).text.decode() == f'{{\n    "x": {text},\n    "y": 2\n  }}'


def test_a_change_keeps_the_order_of_members_and_appends_new_ones():
    entry = StoreEntry(b'{"a":1,"b":{"c":[]},"d":null}')
    found = entry.changed({"b": b'{"x" :1.50}', "new": [True, {"y": None}], "a": "\u00e9\n\ud800"})
    assert found.text.decode() == (
        '{\n    "a": "é\\n\\ud800",\n    "b": {\n      "x": 1.50\n    },\n    "d": null,\n'
        '    "new": [\n      true,\n      {\n        "y": null\n      }\n    ]\n  }'
    )
    assert (found.get("a"), found.get("b"), found.get("d")) == ("é\n\ud800", {"x": 1.5}, None)
    assert "d" in found
    assert "e" not in found


def test_an_absent_value_removes_its_member():
    entry = StoreEntry(b'{"a":1,"b":2}')
    assert entry.changed({"a": ABSENT}).text == b'{\n    "b": 2\n  }'
    assert entry.changed({"a": ABSENT, "b": ABSENT}).text == b"{}"


def test_a_change_to_equal_values_returns_the_same_entry():
    entry = StoreEntry(b'{"a":1,"b":{"c":"\xc3\xa9"}}')
    assert entry.changed({"a": 1, "b": {"c": "é"}, "z": ABSENT}) is entry
    assert entry.changed({"a": b"1"}) is entry


def test_values_of_another_type_read_as_none():
    entry = StoreEntry(b'{"s":1,"n":"1","t":true,"i":1e999,"o":[]}')
    assert (entry.string("s"), entry.number("n"), entry.number("t")) == (None, None, None)
    assert (entry.number("i"), entry.object("o"), entry.get("none")) == (None, None, None)


def test_an_empty_store_is_an_empty_object():
    assert store_text({}) == b"{}"
    assert (
        store_text({"a": NonEntry(b"null"), "b": StoreEntry.of({})})
        == b'{\n  "a": null,\n  "b": {}\n}'
    )
