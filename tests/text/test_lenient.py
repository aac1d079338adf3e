from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessiond.text.lenient import lenient


class Part(msgspec.Struct):
    kind: str | None = None
    size: int = 0


class Whole(msgspec.Struct, rename="camel"):
    name: str = ""
    is_old: bool | None = None
    part: Part | None = None
    parts: list[Part] = []
    texts: dict[str, str | None] = {}
    any_value: msgspec.Raw = msgspec.Raw(b"")


def part(value: Any) -> Part:
    """Return what fits of an object, by the naivest rules."""
    made = Part()
    if "kind" in value and (value["kind"] is None or isinstance(value["kind"], str)):
        made.kind = value["kind"]
    if type(value.get("size")) is int:
        made.size = value["size"]
    return made


def whole(value: Any) -> Whole:
    made = Whole()
    if isinstance(value.get("name"), str):
        made.name = value["name"]
    if type(value.get("isOld")) is bool:
        made.is_old = value["isOld"]
    if isinstance(value.get("part"), dict):
        made.part = part(value["part"])
    if isinstance(value.get("parts"), list):
        made.parts = [part(each) for each in value["parts"] if isinstance(each, dict)]
    if isinstance(value.get("texts"), dict):
        fitting = value["texts"].items()
        made.texts = {name: each for name, each in fitting if isinstance(each, str | None)}
    if "anyValue" in value:
        made.any_value = msgspec.Raw(json.dumps(value["anyValue"]).encode())
    return made


texts = st.text(st.characters(codec=None, exclude_categories=[]), max_size=5)
anything = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | texts,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["kind", "size", "x"]), inner, max_size=3)
    ),
    max_leaves=5,
)
names = st.sampled_from(["name", "isOld", "part", "parts", "texts", "anyValue", "other"])


@given(value=st.dictionaries(names, anything, max_size=6))
def test_what_fits_is_taken_and_the_rest_keeps_its_default(value: dict[str, Any]):
    decoded = lenient(Whole)(json.dumps(value).encode())
    expected = whole(value)
    assert decoded is not None
    assert bytes(decoded.any_value) == bytes(expected.any_value)
    decoded.any_value = expected.any_value
    assert decoded == expected


@pytest.mark.parametrize("raw", [b"", b"null", b"[1]", b'"text"', b"{", b'{"name":}', b"{} {}"])
def test_what_is_no_object_is_none(raw: bytes):
    assert lenient(Whole)(raw) is None


def test_bytes_that_are_no_text_and_depth_concern_their_member_alone():
    deep = b"[" * 5000 + b"]" * 5000
    decoded = lenient(Whole)(b'{"name":"a\xffb","anyValue":%b,"part":{"size":2}}' % deep)
    assert decoded is not None
    assert (decoded.name, bytes(decoded.any_value), decoded.part) == (
        "a\ufffdb",
        deep,
        Part(size=2),
    )
