"""JSON as text: spans, splices and spellings."""

import json
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessiond.text import nesting, quotes, spans, surrogates

LONE = re.compile("[\ud800-\udfff]")

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters())
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)
objects = st.dictionaries(st.text(), values)
spellings = st.sampled_from(
    [
        {"separators": (",", ":")},
        {"separators": (" , ", " : "), "ensure_ascii": False},
        {"indent": 2},
    ]
)


def encode(value, spelling) -> bytes:
    return json.dumps(value, **spelling).encode(errors="surrogatepass")


@given(objects, spellings)
def test_members_are_found_where_they_stand(value, spelling):
    raw = encode(value, spelling)
    found = spans.members(raw)
    assert [member.name for member in found] == list(value)
    for member in found:
        assert json.loads(raw[member.start : member.end]) == value[member.name]
        assert raw[member.key_start : member.key_start + 1] == b'"'


@given(objects, st.text(), values, spellings)
def test_assigning_a_member_equals_assignment_in_javascript(value, name, new, spelling):
    raw = encode(value, spelling)
    result = spans.replace_member(raw, name, json.dumps(new).encode())
    assert list(json.loads(result).items()) == list({**value, name: new}.items())


@given(objects, st.text())
def test_deleting_a_member_leaves_the_others_in_order(value, name):
    rest = {key: item for key, item in value.items() if key != name}
    result = json.loads(spans.without_member(json.dumps(value).encode(), name))
    assert list(result.items()) == list(rest.items())


def test_the_last_of_duplicate_members_counts():
    raw = b'{"a":1,"b":2,"a":3}'
    assert spans.raw_members(raw) == {"a": b"3", "b": b"2"}
    assert json.loads(spans.replace_member(raw, "a", b"9")) == {"a": 9, "b": 2}


@given(objects)
def test_raw_members_are_the_values_as_written(value):
    found = spans.raw_members(json.dumps(value).encode())
    assert {name: json.loads(raw) for name, raw in found.items()} == value


@pytest.mark.parametrize("raw", [b"[]", b"1", b"null", b'"a"', b"", b"{", b'{"a":}', b"{'a':1}"])
def test_a_value_that_is_not_an_object_has_no_members(raw):
    with pytest.raises(ValueError):
        spans.raw_members(raw)


@given(values)
def test_white_space_is_removed_between_tokens_only(value):
    spaced = json.dumps(value, indent=3, separators=(" ,", " : ")).encode()
    assert spans.minify(spaced) == json.dumps(value, separators=(",", ":")).encode()


@given(st.text(st.characters()))
def test_strings_are_written_as_json_stringify_writes_them(text):
    written = spans.js_string(text)
    assert json.loads(written) == text
    # Well-formed JSON.stringify: UTF-8 with nothing escaped but what has to be.
    assert LONE.search(written.decode()) is None
    shortest = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
    expected = "".join(
        shortest.get(char)
        or (
            "\\" + char
            if char in '"\\'
            else f"\\u{ord(char):04x}"
            if char < " " or "\ud800" <= char <= "\udfff"
            else char
        )
        for char in text
    )
    assert written.decode() == f'"{expected}"'


def depth(value) -> int:
    if isinstance(value, dict):
        return 1 + max(map(depth, value.values()), default=0)
    return 1 + max(map(depth, value), default=0) if isinstance(value, list) else 0


@given(values, st.integers(0, 6), spellings)
def test_depth_is_counted_as_arrays_and_objects_nest(value, limit, spelling):
    assert nesting.depth_exceeds(encode(value, spelling), limit) == (depth(value) > limit)


TRICKY = st.text(st.sampled_from('\\"[]{}, \n\u00e9')) | st.lists(st.sampled_from('\\"[ '))


@given(st.lists(TRICKY), st.integers(0, 3), spellings, st.integers(1, 9))
def test_steps_of_any_size_find_the_same_strings(value, limit, spelling, step):
    raw = encode(value, spelling)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quotes, "_STEP", step)
        assert nesting.depth_exceeds(raw, limit) == (depth(value) > limit)
        assert spans.minify(raw) == encode(value, {**spelling, **COMPACT})


COMPACT = {"separators": (",", ":"), "indent": None}
SURROGATES = [r"\ud83d", r"\ude00", r"\\", "u", "d83d", r"\u0041", " "]


@given(st.lists(st.sampled_from(SURROGATES), max_size=12), st.integers(1, 20))
def test_lone_surrogates_are_replaced_in_steps_of_any_size(pieces, step):
    raw = f'"{"".join(pieces)}"'.encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(surrogates, "_STEP", step)
        found = surrogates.without_lone_surrogates(raw)
    assert len(found) == len(raw)
    assert json.loads(found) == LONE.sub("\ufffd", json.loads(raw))


def test_brackets_in_strings_do_not_nest():
    assert not nesting.depth_exceeds(b'"' + b"[" * 1000 + b'"', 10)
    assert not nesting.depth_exceeds(rb'["\"[[[[[[[[[[[["]', 5)


@pytest.mark.parametrize("unended", [b'["' + rb"\"" * 400_000, b'["' + b"\\" * 799_999])
def test_an_unended_string_costs_no_more_than_its_length(unended):
    # Quadratic work here would run into the deadline of the test.
    raw = b"[" * 600 + unended
    assert nesting.depth_exceeds(raw, 512)
    spans.minify(raw)
    spans.plain(raw)


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        (rb'"\ud83d"', rb'"\ufffd"'),
        (rb'"\ud83d\ude00"', rb'"\ud83d\ude00"'),
        (rb'"\ude00\ud83d"', rb'"\ufffd\ufffd"'),
        (rb'"\\ud83d"', rb'"\\ud83d"'),
        (rb'"\uD83D\uD83D\uDE00"', rb'"\ufffd\uD83D\uDE00"'),
        (b"9007199254740991", b"9007199254740991"),
        (b"9007199254740992", b"9007199254740992"),
        (b"-9007199254740993", b'"-9007199254740993"'),
        (b"[1e400,-1e400,1e308]", b'["1e400","-1e400",1e308]'),
        (b'"9007199254740993"', b'"9007199254740993"'),
        (b"12345678901234567.5", b"12345678901234567.5"),
    ],
)
def test_plain_json_replaces_values_that_other_parsers_cannot_hold(raw, plain):
    assert spans.plain(raw) == plain


@given(values, spellings)
def test_plain_json_stays_valid_and_safe(value, spelling):
    def check(item) -> None:
        if isinstance(item, list):
            for each in item:
                check(each)
        elif isinstance(item, dict):
            for key, each in item.items():
                check(key)
                check(each)
        elif isinstance(item, str):
            assert LONE.search(item) is None
        elif isinstance(item, int):
            assert abs(item) <= 2**53
        elif isinstance(item, float):
            assert math.isfinite(item)

    if spelling.get("ensure_ascii", True):
        check(json.loads(spans.plain(encode(value, spelling))))


@pytest.mark.parametrize(
    "raw", [b"NaN", b"[Infinity]", b"-Infinity", b"{", b"\xff", b"[" * 100_000]
)
def test_text_that_is_not_json_is_a_value_error(raw):
    with pytest.raises(ValueError):
        spans.loads(raw)


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (rb'"\ud83d"', "\ud83d"),
        (b"123456789012345678901234567890", 123456789012345678901234567890.0),
        (b"9" * 5000, math.inf),
        (b"9" * 309, math.inf),
        (b"-" + b"9" * 400, -math.inf),
        (b"9" * 308, float("9" * 308)),
        (b"-" + b"9" * 308, -float("9" * 308)),
        (b"[" * 900 + b"]" * 900, None),
    ],
)
def test_values_of_unexpected_types_are_decoded_leniently(raw, value):
    found = spans.loads(raw)
    assert value is None or found == value


@pytest.mark.parametrize("name", ["plain", "in strings", "hovering"])
def test_the_depth_of_a_million_brackets_is_exact_at_the_limit(name):
    """Where whole chunks are counted, where strings hold brackets, where the limit is near."""
    around = {
        "plain": (b"[[]]," * 250_000, b""),
        "in strings": (b'["]]["],' * 120_000, b'"[[",'),
        "hovering": (b"[[],[]]," * 100_000, b"[],"),
    }[name]
    start, inside = around
    for depth in (511, 512, 513):
        raw = b"[" + start + b"[" * (depth - 1) + inside.rstrip(b",") * (depth < 512)
        raw += b"]" * (depth - 1) + b"]"
        assert nesting.depth_exceeds(raw, 512) == (depth == 513), depth


@pytest.mark.parametrize("end", range(60))
def test_of_an_object_that_is_cut_off_the_whole_members_are_found(end):
    raw = b'{"a" : 12 , "b":[1,{"c":"]"}],"d":{}, "e":"\\"","f" : true}'[:end]
    whole = spans.members(raw + b"}" * 0) if end else []
    names = [member.name for member in whole]
    assert names == list("abdef")[: len(names)]
    assert all(raw[member.end :].lstrip()[:1] in (b",", b"}") for member in whole)
