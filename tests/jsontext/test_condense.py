"""Long strings are shortened before a line is decoded, which does not change its facts."""

from __future__ import annotations

import json
from typing import Any

import pytest
from format.builders import HEADER
from hypothesis import given
from hypothesis import strategies as st

from sessiond.format import load as loading
from sessiond.format import quick_lines
from sessiond.jsontext.large import condense, strings

LONG, STEP = 20, 40

STRINGS = st.text(st.sampled_from('a"\\\n\u00e9\U0001f600'), max_size=150)
VALUES = st.recursive(
    st.none() | st.integers() | STRINGS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(STRINGS, inner, max_size=3),
)


@pytest.fixture(autouse=True, scope="module")
def _small_steps() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(condense, "_LONG", LONG)
        patch.setattr(strings, "_STEP", STEP)
        patch.setattr(strings, "_FIRST_STEP", STEP // 2)
        patch.setattr(quick_lines, "_LONG_LINE", 0)
        yield


def shortened(value: Any, ascii_only: bool) -> Any:
    """The model: every long string of a value replaced."""
    if isinstance(value, str):
        spelled = json.dumps(value, ensure_ascii=ascii_only).encode()
        return condense.STAND_IN if len(spelled) > LONG else value
    if isinstance(value, list):
        return [shortened(item, ascii_only) for item in value]
    if isinstance(value, dict):
        pairs = value.items()
        return {shortened(name, ascii_only): shortened(item, ascii_only) for name, item in pairs}
    return value


@given(VALUES, st.booleans())
def test_every_long_string_is_replaced_and_nothing_else(value: Any, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only).encode()
    raw = bytearray(b'"' + text + b'"')
    assert json.loads(condense.condensed(raw, 1, len(raw) - 1)) == shortened(value, ascii_only)


@pytest.mark.parametrize("bad", [rb"\q", b"\x01", rb"\u12", rb"\ud83d"])
@pytest.mark.parametrize("before", range(STEP - 8, STEP + 8))
def test_an_invalid_string_is_unchanged(bad: bytes, before: int) -> None:
    raw = bytearray(b'["' + b"x" * before + bad + b"y" * STEP + b'"]')
    assert condense.condensed(raw, 0, len(raw)) == raw


@given(VALUES, STRINGS, STRINGS)
def test_long_lines_give_the_facts_that_short_ones_give(value: Any, name: str, text: str) -> None:
    entry = {"type": "message", "id": name or "i", "parentId": text, "x": value}
    entry["message"] = {"role": text, "content": value}
    line = json.dumps(entry).encode()
    loaded = loading.load(HEADER + b"\n" + line + b"\n")
    found = loaded.entries[0]
    assert (found.id, found.parent_id, found.role) == (name or "i", text, text)
    assert loaded.text.slice(found.start, found.end) == line


@pytest.mark.parametrize("short", ["text", 'a \\"quote\\"', "a\\\\"])
def test_many_short_strings_are_not_copied_once_for_each(
    short: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied = 0

    class Counted(bytes):
        def __new__(cls, *args: Any) -> bytes:
            nonlocal copied
            made = bytes(*args)
            copied += len(made)
            return made

    monkeypatch.setattr(strings, "bytes", Counted, raising=False)
    monkeypatch.setattr(strings, "_STEP", 100_000)
    raw = bytearray(b'["' + b'","'.join([short.encode()] * 5000) + b'"]')
    assert condense.condensed(raw, 0, len(raw)) == raw
    assert (copied > 0) == ("\\" in short)
    assert copied < 10 * len(raw)
