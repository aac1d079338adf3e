"""Decoding and encoding messages: which ones are refused, and which bytes stay unchanged."""

import json
from typing import Annotated, Any

import attrs
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, Raw, UnsetType
from sessiond_protocol.registry import METHODS

from sessiond.rpc import codec
from sessiond.rpc.codec import ABSENT, BadMessage, Envelope
from sessiond.rpc.params import decode_params
from sessiond.runtime.errors import InvalidParams
from sessiond.text.spans import Json


def refused(body: bytes) -> tuple[int, bytes]:
    with pytest.raises(BadMessage) as caught:
        codec.decode(body)
    return caught.value.code, caught.value.id


def message(body: bytes) -> Envelope:
    decoded = codec.decode(body)
    assert isinstance(decoded, Envelope)
    return decoded


@pytest.mark.parametrize(
    "id_",
    [b"1", b"-7", b"0", b'"a"', rb'"\u0061"', b'""', b"9" * 5000, rb'"\ud83d"', '"é"'.encode()],
)
def test_an_id_is_kept_as_its_bytes(id_):
    decoded = message(b'{"jsonrpc":"2.0","id" : %b ,"method":"m"}' % id_)
    assert bytes(decoded.id) == id_


@pytest.mark.parametrize(
    "params",
    [
        b'{"a":{"jsonrpc":"2.0","id":1,"method":"x","params":[]}}',
        b'{"id":5,"method":"y","jsonrpc":"1.0","error":{}}',
        rb'{"a":"\ud83d","b":[ "\ud83d\ude00", 1e400, 1E+2 ],"a":"\uDC00"}',
        b'{"n":123456789012345678901234567890}',
    ],
)
def test_params_are_kept_as_their_bytes(params):
    decoded = message(b'{"jsonrpc":"2.0","id":3,"method":"m","params": %b }' % params)
    assert (bytes(decoded.id), decoded.method, bytes(decoded.params)) == (b"3", "m", params)


def test_the_members_of_the_envelope_come_in_any_order_among_others():
    decoded = message(rb'{"x":"\udc00","params":[],"method":"m","id":"q","y":{},"jsonrpc":"2.0"}')
    assert (bytes(decoded.id), decoded.method, bytes(decoded.params)) == (b'"q"', "m", b"[]")


@pytest.mark.parametrize("body", [
    b"", b" ", b"{", b"nonsense", b'{"jsonrpc":"2.0",}', b"{} {}", b"\xef\xbb\xbf{}", b"[1,]", b"NaN",
    b'{"id":1,"method":5,', b'{"id":1,"x":"\x00"}', b'{"id":1,"x":01}', rb'{"id":1,"x":"\q"}',
    b'{"id":1,"x":"\xff"}', b'{"id":1,"x":"\xed\xa0\xbd"}', b"\xff", rb'{"id":1,"x":"\ud83d",}',
])  # fmt: skip
def test_a_body_that_is_not_json_in_utf_8_is_a_parse_error(body):
    assert refused(body) == (-32700, b"null")


@pytest.mark.parametrize(("body", "id_"), [
    (b"42", b"null"),
    (b'"x"', b"null"),
    (b"null", b"null"),
    (b"{}", b"null"),
    (b"[]", b"null"),
    (b" [ ] ", b"null"),
    (b'{"jsonrpc":"2.0"}', b"null"),
    (b'{"jsonrpc":"2.0","method":1,"params":"bar"}', b"null"),
    (b'{"jsonrpc":"2.0","id":1}', b"1"),
    (b'{"jsonrpc":"2.0","id":1,"method":1}', b"1"),
    (b'{"jsonrpc":"2.0","id":1,"method":null}', b"1"),
    (rb'{"jsonrpc":"2.0","method":1,"id":"\ud83d"}', rb'"\ud83d"'),
    (b'{"jsonrpc":"1.0","id":1,"method":"m"}', b"1"),
    (b'{"jsonrpc":2.0,"id":1,"method":"m"}', b"1"),
    (b'{"id":1,"method":"m"}', b"1"),
    (b'{"method":"m"}', b"null"),
    (b'{"jsonrpc":"2.0","id":1.5}', b"1.5"),
    (b'{"jsonrpc":"2.0","id":true,"method":"m"}', b"null"),
    (b'{"jsonrpc":"2.0","id":[1],"method":"m"}', b"null"),
    (b'{"jsonrpc":"2.0","id":{"id":1},"method":5}', b"null"),
])  # fmt: skip
def test_an_invalid_request_is_refused_with_its_id_if_it_has_one(body, id_):
    assert refused(body) == (-32600, id_)


@pytest.mark.parametrize("id_", [b"null", b"1.5", b"1.0", b"1e2", b"-1E-3", b"0", b'""'])
def test_an_id_is_a_string_any_number_or_null(id_: bytes):
    # https://www.jsonrpc.org/specification#request_object
    assert bytes(message(b'{"jsonrpc":"2.0","id":%b,"method":"m"}' % id_).id) == id_


def nested(depth: int) -> bytes:
    """A request that nests `depth` deep, its own object included."""
    return b'{"jsonrpc":"2.0","id":7,"method":"m","params":%b%b}' % (
        b"[" * (depth - 1),
        b"]" * (depth - 1),
    )


def test_nesting_is_limited_to_512():
    assert bytes(message(nested(512)).id) == b"7"
    assert refused(nested(513)) == (-32600, b"7")


@pytest.mark.parametrize(("body", "id_"), [
    (nested(100_000), b"7"),
    (b'{"params":' + b"[" * 3000 + b"]" * 3000 + b',"id":"late"}', b'"late"'),
    (b"[" * 100_000, b"null"),
    (b"[" * 600 + b"]" * 600, b"null"),
    (b'{"a":' * 3000, b"null"),
    (b'{"id":[' + b"[" * 600, b"null"),
    (b'{"id":1,' + b"[" * 600 + b'"', b"1"),
    (b'{"id":nonsense,"a":' + b"[" * 600, b"null"),
    (rb'{"id":"\q","a":' + b"[" * 600, b"null"),
    (b'{"id","id":,"a":' + b"[" * 600, b"null"),
])  # fmt: skip
def test_too_deep_a_body_is_refused_before_decoding(body, id_):
    assert refused(body) == (-32600, id_)


@pytest.mark.parametrize("body", [
    b'{"jsonrpc":"2.0","id":1,"result":null}',
    b'{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}',
    rb'{"id":1.5,"result":"\ud83d"}',
    b'{"jsonrpc":2,"result":null}',
])  # fmt: skip
def test_a_message_without_a_method_is_a_response(body):
    assert message(body).method is UNSET


def test_a_batch_is_taken_apart():
    good = b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"a" : 1}}'
    surrogate = rb'{"jsonrpc":"2.0","id":2,"method":"m","params":["\ud83d" , "\u00e9"]}'
    members = codec.decode(b" [%b ,\r\n 42,[%b],%b, {} ]" % (good, good, surrogate))
    assert isinstance(members, list)
    first, number, array, last, empty = map(codec.decode_member, members)
    assert isinstance(first, Envelope)
    assert bytes(first.params) == b'{"a" : 1}'
    assert isinstance(last, Envelope)
    assert bytes(last.params) == rb'["\ud83d" , "\u00e9"]'
    for bad in (number, array, empty):
        assert isinstance(bad, BadMessage)
        assert (bad.code, bad.id) == (-32600, b"null")


@attrs.define
class Inner:
    role: str
    count: int | UnsetType = UNSET


@attrs.frozen
class Settings:
    name: str


@attrs.define
class Params:
    session: str
    message: Raw | UnsetType = UNSET
    inner: Inner | UnsetType | None = UNSET
    many: list[Inner] | UnsetType = UNSET
    names: list[str] | UnsetType = UNSET
    by_name: dict[str, Inner] | UnsetType = UNSET
    settings: Settings | UnsetType = UNSET
    leafId: str | UnsetType | None = UNSET  # noqa: N815 - a wire name
    limit: Annotated[int, msgspec.Meta(ge=0)] | UnsetType | None = UNSET
    flag: bool = False
    ratio: float = 0.0


@attrs.define
class Optional:
    limit: int | UnsetType | None = UNSET


PARAMS = msgspec.json.Decoder(Params)
OPTIONAL = msgspec.json.Decoder(Optional)


@pytest.mark.parametrize(
    "raw", [ABSENT, Raw(b"null"), Raw(b"{}"), Raw(b"[]"), Raw(b"[ \n]"), Raw(b"{ }")]
)
def test_no_params_are_fine_where_nothing_is_required(raw):
    assert decode_params(OPTIONAL, raw) == Optional()
    assert decode_params(None, raw) is None
    with pytest.raises(InvalidParams) as caught:
        decode_params(PARAMS, raw)
    assert caught.value.path == "$.session"


@pytest.mark.parametrize("raw", [b"[1]", b"[[]]", b"1", b'"x"', b"true", b"false"])
def test_params_that_are_not_an_object_are_refused(raw):
    for decoder in (OPTIONAL, PARAMS, None):
        with pytest.raises(InvalidParams) as caught:
            decode_params(decoder, Raw(raw))
        assert caught.value.path == "$"


@pytest.mark.parametrize(("raw", "path"), [
    ('{"session":3}', "$.session"),
    ('{"session":null}', "$.session"),
    ('{"session":"a","inner":{}}', "$.inner.role"),
    ('{"session":"a","inner":{"role":1}}', "$.inner.role"),
    ('{"session":"a","inner":{"role":"","count":"5"}}', "$.inner.count"),
    ('{"session":"a","many":[{"role":"a"},{"role":5}]}', "$.many[1].role"),
    ('{"session":"a","many":[{"role":"a"},{}]}', "$.many[1].role"),
    ('{"session":"a","many":{}}', "$.many"),
    ('{"session":"a","limit":"5"}', "$.limit"),
    ('{"session":"a","limit":5.0}', "$.limit"),
    ('{"session":"a","limit":true}', "$.limit"),
    ('{"session":"a","limit":-1}', "$.limit"),
    ('{"session":"a","flag":1}', "$.flag"),
    ('{"session":"a","flag":"true"}', "$.flag"),
    ('{"session":"a","ratio":"1"}', "$.ratio"),
    ('{"session":"a","leafId":5}', "$.leafId"),
])  # fmt: skip
def test_a_member_that_does_not_fit_is_named_by_its_path(raw, path):
    """Values are not coerced, also if another member has a lone surrogate."""
    for text in (raw, raw[:-1] + r',"other":"\ud83d"}'):
        with pytest.raises(InvalidParams) as caught:
            decode_params(PARAMS, Raw(text.encode()))
        assert caught.value.path == path


@pytest.mark.parametrize(("raw", "message"), [
    ('{"session":3}', "$.session: expected a string, got a number"),
    ('{"session":1.5}', "$.session: expected a string, got a number with a fraction"),
    ('{"session":[]}', "$.session: expected a string, got an array"),
    ("{}", "$.session: required member is missing"),
    ("5", "$: expected an object, got a number"),
    ('{"session":"","inner":{"role":{}}}', "$.inner.role: expected a string, got an object"),
    ('{"session":"","limit":"5"}', "$.limit: expected an integer or null, got a string"),
    ('{"session":"","limit":-1}', "$.limit: expected an integer >= 0"),
    ('{"session":"","flag":0}', "$.flag: expected true or false, got a number"),
    ('{"session":"","many":[{"role":true}]}', "$.many[0].role: expected a string, got a boolean"),
])  # fmt: skip
def test_the_error_message_names_the_expected_type_and_the_path(raw, message):
    with pytest.raises(InvalidParams) as caught:
        decode_params(PARAMS, Raw(raw.encode()))
    assert caught.value.message == message


def test_absent_null_and_a_value_are_three_things():
    def leaf(raw: bytes) -> object:
        return decode_params(PARAMS, Raw(raw)).leafId

    assert leaf(b'{"session":"a"}') is UNSET
    assert leaf(b'{"session":"a","leafId":null}') is None
    assert leaf(b'{"session":"a","leafId":"x"}') == "x"


def test_unknown_members_are_ignored():
    assert decode_params(OPTIONAL, Raw(rb'{"x":["\ud83d"],"limit":3,"self":1}')) == Optional(3)


def test_strings_and_opaque_members_keep_lone_surrogates():
    raw = rb"""{ "session" : "a\ud83d\u00e9", "message": {"x" : [ "\udc00", 1.0 ] }, "many": [
        {"role":"\ud83d\ude00\ud83d"}, {"role":"\\ud83d", "count": 2}], "names":["\udfff" , "b"],
        "settings": {"name": "\uD83D"}, "by_name": {"k\ud83d": {"role": "r"}}, "flag": true}"""
    params = decode_params(PARAMS, Raw(raw))
    assert params.session == "a\ud83dé"
    assert isinstance(params.message, Raw)
    assert bytes(params.message) == rb'{"x" : [ "\udc00", 1.0 ] }'
    assert params.many == [Inner("😀\ud83d"), Inner("\\ud83d", 2)]
    assert params.names == ["\udfff", "b"]
    assert params.settings == Settings("\ud83d")
    assert params.by_name == {"k\ud83d": Inner("r")}
    assert params.flag is True


PIECES = st.sampled_from(
    [r"\ud83d", r"\ude00", r"\\", r"\u0041", "u", "d83d", "é", "😀", " ", r"\"", r"\\u"]
)
TEXTS = st.lists(PIECES, max_size=8).map("".join)


@given(TEXTS, TEXTS)
def test_any_string_decodes_as_the_standard_library_does(one, two):
    params = b'{"session":"%b","message" : ["%b"]}' % (one.encode(), two.encode())
    envelope = message(
        b'{"params":%b,"id":"%b","jsonrpc":"2.0","method":"m"}' % (params, two.encode())
    )
    assert bytes(envelope.id) == b'"%b"' % two.encode()
    assert bytes(envelope.params) == params
    decoded = decode_params(PARAMS, envelope.params)
    assert decoded.session == json.loads(f'"{one}"')
    assert bytes(decoded.message) == b'["%b"]' % two.encode()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters()), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(JSON)
def test_any_value_is_encoded_so_that_it_decodes_to_itself(value):
    """Surrogates and big integers included, and always as UTF-8."""
    assert json.loads(codec.encode(value).decode()) == value


def test_an_attrs_object_is_encoded_without_its_unset_members():
    @attrs.define
    class Result:
        name: str
        entry: Raw
        leafId: str | UnsetType | None = UNSET  # noqa: N815 - a wire name

    for name in ("é\u2028", "\ud83d"):
        for leaf, expected in ((UNSET, {}), (None, {"leafId": None}), ("x", {"leafId": "x"})):
            encoded = codec.encode(Result(name, Raw(b'{"n":1.0}'), leaf))
            assert json.loads(encoded) == {"name": name, "entry": {"n": 1.0}, **expected}
            assert b'{"n":1.0}' in encoded


def test_an_answer_keeps_the_bytes_of_the_id_and_the_result():
    def sent(id_: bytes, result: object) -> bytes:
        return bytes(codec.answer(id_, result, plain_json=False))

    assert sent(rb'"\u0061"', None) == rb'{"jsonrpc":"2.0","id":"\u0061","result":null}'
    assert sent(b"1", {"a": 1}) == b'{"jsonrpc":"2.0","id":1,"result":{"a":1}}'
    assert (
        sent(b"1", Json.of(b'{"a" ', b": 1.0}")) == b'{"jsonrpc":"2.0","id":1,"result":{"a" : 1.0}}'
    )
    assert sent(b"1", []) == b'{"jsonrpc":"2.0","id":1,"result":[]}'


def test_a_big_answer_keeps_its_parts_and_a_small_one_is_one_piece():
    part = b" " * 100_000
    big = codec.answer(b"1", Json.of(b"[", part, b"]"), plain_json=False)
    assert isinstance(big, Json)
    assert any(buffer is part for buffer in big.parts)
    assert isinstance(codec.answer(b"1", Json.of(b"[", b"]"), plain_json=False), bytes)


def test_plain_json_spares_the_id():
    big = b"123456789012345678901234567890"
    raw = rb'["\ud83d",123456789012345678901234567890,1e400]'
    plain = rb'["\ufffd","123456789012345678901234567890","1e400"]'
    answer = codec.answer(big, Json.of(raw), plain_json=True)
    assert bytes(answer) == b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (big, plain)
    assert (
        bytes(codec.notification("m", Json.of(raw), plain_json=True))
        == b'{"jsonrpc":"2.0","method":"m","params":%b}' % plain
    )
    error = {"code": 1, "message": "\ud83d"}
    assert (
        json.loads(bytes(codec.failure(big, error, plain_json=True)))["error"]["message"]
        == "\ufffd"
    )


def closed_members() -> list[tuple[str, str]]:
    """Return the params of the contract that are one of several texts, by method."""
    found = []
    for method in METHODS.values():
        for name, schema in _members_of(method.params).items():
            arms = [schema, *schema.get("anyOf", ())]
            if any("enum" in arm for arm in arms):
                found.append((method.name, name))
    return found


def _members_of(kind: type | None) -> dict[str, Any]:
    if kind is None:
        return {}
    schema = msgspec.json.schema(kind)
    members: dict[str, Any] = schema["$defs"][kind.__name__]["properties"]
    return members


@pytest.mark.parametrize(("method", "member"), closed_members())
def test_a_text_that_is_none_of_the_known_ones_is_told_which_there_are(method: str, member: str):
    kind = METHODS[method].params
    assert kind is not None
    schema = _members_of(kind)[member]
    known = next(each["enum"] for each in (schema, *schema.get("anyOf", ())) if "enum" in each)
    others = dict.fromkeys(msgspec.json.schema(kind)["$defs"][kind.__name__]["required"], "/a")
    others.pop(member, None)
    raw = msgspec.Raw(json.dumps({member: "none of them", **others}).encode())
    with pytest.raises(InvalidParams) as caught:
        decode_params(msgspec.json.Decoder(kind), raw)
    assert caught.value.path == f"$.{member}"
    told = ", ".join(repr(each) for each in known if each is not None)
    assert caught.value.message.endswith(f"expected one of {told}, got 'none of them'")
