"""A large body is decoded in steps, with the same result as in one call."""

import json
from collections.abc import Iterator
from typing import Any

import attrs
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET, Raw, UnsetType

from sessiond.errors import InvalidParams
from sessiond.jsontext.large import shorten, strings
from sessiond.rpc import codec, params
from sessiond.rpc.codec import BadMessage

STRINGS = st.text(st.sampled_from('a",[]{}:\\\n\u00e9\U0001f600\ud800'), max_size=60)
VALUES = st.recursive(
    st.none() | st.integers() | STRINGS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(STRINGS, inner, max_size=4),
    max_leaves=20,
)
MESSAGES = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0") | VALUES, "method": st.just("m") | STRINGS | st.integers()},
    optional={
        "id": st.integers() | STRINGS | VALUES,
        "params": VALUES,
        "result": VALUES,
        "x": VALUES,
    },
)
BODIES = MESSAGES | st.lists(MESSAGES | VALUES, max_size=4) | VALUES


@attrs.define
class Params:
    text: str
    raw: Raw
    many: list[Raw]
    maybe: Raw | UnsetType = UNSET
    texts: list[str] = attrs.field(factory=list)


DECODER = msgspec.json.Decoder(Params)
GIVEN = st.fixed_dictionaries(
    {"text": STRINGS | VALUES, "raw": VALUES, "many": st.lists(VALUES, max_size=20) | VALUES},
    optional={"maybe": VALUES, "texts": st.lists(STRINGS, max_size=3), "unknown": VALUES},
)


@pytest.fixture(scope="module", autouse=True)
def _small_windows() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shorten, "_WINDOW", 16)
        patch.setattr(shorten, "_LONG", 30)
        patch.setattr(strings, "_STEP", 20)
        yield


def decoded(body: bytes, large: int) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(codec, "LARGE", large)
        try:
            message = codec.decode(body)
        except BadMessage as error:
            return seen(error)
    return [seen(each) for each in message] if isinstance(message, list) else seen(message)


def seen(message: codec.Envelope | BadMessage) -> Any:
    if isinstance(message, BadMessage):
        return message.code, message.message, message.id
    raw = (message.id, message.params, message.jsonrpc, message.result, message.error)
    return message.method, *map(bytes, raw)


@settings(max_examples=60)
@given(BODIES, st.booleans(), st.sampled_from([None, 1]), st.integers(0, 400))
def test_a_large_body_is_decoded_as_a_small_one(
    value: Any, ascii_only: bool, indent: int | None, cut: int
):
    body = json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode(errors="surrogatepass")
    for each in (body, body[:cut]):
        assert decoded(each, 0) == decoded(each, 1_000_000)


def test_the_members_of_a_large_batch_are_limited_before_it_is_found_to_be_invalid():
    member = b'{"jsonrpc":"2.0","method":"%b"}' % (b"m" * 100)
    for count in (1000, 1001):
        body = b"[%b,x]" % b",".join([member] * count)
        assert decoded(body, 0) == decoded(body, 1_000_000)


def decoded_params(raw: bytes, large: int) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(params, "LARGE", large)
        try:
            value = params.decode_params(DECODER, Raw(raw))
        except InvalidParams as error:
            return error.message, error.path
    maybe = None if value.maybe is UNSET else bytes(value.maybe)
    return value.text, bytes(value.raw), list(map(bytes, value.many)), maybe, value.texts


@settings(max_examples=60)
@given(GIVEN, st.sampled_from([None, 1]))
def test_large_params_are_decoded_as_small_ones(value: Any, indent: int | None):
    raw = json.dumps(value, indent=indent).encode()
    assert decoded_params(raw, 0) == decoded_params(raw, 1_000_000)
