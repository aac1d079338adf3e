"""Large texts are checked in windows as one call of the decoder would check them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sessiond.jsontext.large import shorten, strings
from sessiond.jsontext.surrogates import without_lone_surrogates

STRINGS = st.text(st.sampled_from('a",[]{}:\\\n\u00e9\U0001f600\ud800'), max_size=40)
VALUES = st.recursive(
    st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | STRINGS,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(STRINGS, inner, max_size=5),
    max_leaves=40,
)
INDENTS = st.sampled_from([None, 1, 9])
LONG = 12


@pytest.fixture(autouse=True, scope="module", params=[(7, 13), (40, 100)])
def _small_windows(request: pytest.FixtureRequest) -> Iterator[None]:
    window, step = request.param
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shorten, "_WINDOW", window)
        patch.setattr(shorten, "_LONG", LONG)
        patch.setattr(shorten, "LARGE", 64)
        patch.setattr(strings, "_STEP", step)
        yield


def refused(text: bytes) -> str | None:
    """The message of the decoder for the whole text."""
    try:
        msgspec.json.decode(without_lone_surrogates(text), type=msgspec.Raw)
    except msgspec.DecodeError as error:
        return str(error)
    return None


def restored(short: shorten.ShortText, raw: bytes) -> bytes:
    """The original text, put together from the stand-ins."""
    text = short.text
    for number, place in enumerate(short.spans):
        value = raw[slice(*place)]
        name = b'"%b %d"' % (short.name, number)
        forms = {b"[": b"[%b]" % name, b"{": b"{%b:[]}" % name}
        stand_in = forms.get(value[:1], name)
        assert short.place(stand_in) == place
        assert text.count(stand_in) == 1
        text = text.replace(stand_in, value)
    return text


@settings(max_examples=60)
@given(VALUES, INDENTS, st.booleans(), st.integers(0, 3), st.booleans())
def test_stand_ins_of_the_same_type_replace_long_values(
    value: Any, indent: int | None, ascii_only: bool, levels: int, is_valid: bool
):
    raw = json.dumps(value, indent=indent, ensure_ascii=ascii_only).encode(errors="surrogatepass")
    if not ascii_only:
        raw = raw.decode(errors="replace").encode()
    short = shorten.shorten(raw, levels=levels, is_valid=is_valid)
    assert refused(short.text) is None
    assert restored(short, raw) == raw
    for start, end in short.spans:
        assert end - start > LONG
        assert refused(raw[start:end]) is None
    assert depth_of_long_values(json.loads(short.text), short, levels)


def depth_of_long_values(value: Any, short: shorten.ShortText, levels: int) -> bool:
    """Whether no container beyond `levels` is longer than `LONG`, apart from stand-ins."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode(
        errors="surrogatepass"
    )
    if short.name in text and len(text) < 64:
        return True
    if not isinstance(value, list | dict):
        return True
    if levels < 0:
        return len(text) <= LONG
    parts = value.values() if isinstance(value, dict) else value
    return all(depth_of_long_values(part, short, levels - 1) for part in parts)


@settings(max_examples=60)
@given(VALUES, INDENTS, st.data())
@example([1, "aaaaaaaaaaaaaaaaaaaaaaaaa\\u12", 3], None, None)
def test_text_that_is_not_json_is_refused_with_the_message_of_the_decoder(
    value: Any, indent: int | None, data: st.DataObject | None
):
    raw = json.dumps(value, indent=indent).encode()
    if data is None:
        raw = raw.replace(b"\\\\", b"\\")
    else:
        at = data.draw(st.integers(0, len(raw)))
        size = data.draw(st.integers(0, 3))
        more = data.draw(
            st.sampled_from([b"", b",", b"]", b"}", b'"', b"\\", b"\x01", b"1", b"[", b":"])
        )
        raw = raw[:at] + more + raw[at + size :]
    expected = refused(raw)
    if expected is None:
        assert restored(shorten.shorten(raw), raw) == raw
        return
    with pytest.raises(shorten.NotJson) as raised:
        shorten.shorten(raw)
    assert str(raised.value) == expected


@settings(max_examples=60)
@given(st.lists(VALUES, max_size=30), INDENTS)
def test_a_large_array_is_split_into_arrays_of_its_elements(value: list[Any], indent: int | None):
    raw = json.dumps(value, indent=indent).encode()
    parts = [json.loads(part) for part in shorten.elements_of(raw)]
    assert [element for part in parts for element in part] == value


@settings(max_examples=60)
@given(STRINGS)
def test_a_long_string_is_split_into_strings(text: str):
    raw = json.dumps(text).encode()
    parts = [json.loads(part) for part in strings.parts_of_string(memoryview(raw))]
    assert "".join(parts).encode("utf-16", "surrogatepass") == text.encode(
        "utf-16", "surrogatepass"
    )


@pytest.mark.parametrize("raw", [b'10"4170432779429956317', b'[1]"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'])
def test_what_follows_the_value_is_refused_before_an_open_string(raw: bytes):
    with pytest.raises(shorten.NotJson) as raised:
        shorten.shorten(raw)
    assert str(raised.value) == refused(raw)


@pytest.mark.parametrize("before", range(30))
def test_an_escaped_backslash_is_not_cut(before: int):
    raw = b'"%b%b"' % (b"a" * before, rb"\\ud83d" * 20)
    assert refused(raw) is None
    assert strings.end_of_string(memoryview(raw), 1) == len(raw) - 1
