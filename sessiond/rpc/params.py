"""Decode the params of a message into the class that its method declares."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

import attrs
import msgspec
from msgspec import Raw

from sessiond.errors import InvalidParams
from sessiond.jsontext.large.shorten import LARGE, elements_of, shorten
from sessiond.jsontext.large.strings import text_of
from sessiond.jsontext.parts import elements, object_members
from sessiond.jsontext.spans import loads
from sessiond.jsontext.surrogates import without_lone_surrogates
from sessiond.memory import require
from sessiond.rpc.codec import ABSENT

_TYPES = {
    "str": "a string",
    "int": "an integer",
    "float": "a number",
    "bool": "true or false",
    "array": "an array",
    "object": "an object",
    "null": "null",
}
"""msgspec's names of expected types → our wording."""

_GOT = {**_TYPES, "int": "a number", "float": "a number with a fraction", "bool": "a boolean"}
"""msgspec's names of the types of sent values → our wording."""

_PATH = re.compile(r"^(.*?)(?: - at `(.*)`)?$", re.DOTALL)
_MISSING = re.compile(r"^Object missing required field `(.*)`$")
_MISFIT = re.compile(r"^Expected `(.*?)`(?:, got `(.*)`)?(.*)$")
_SURROGATE = re.compile("[\ud800-\udfff]")


def decode_params(decoder: msgspec.json.Decoder[Any] | None, raw: Raw) -> Any:
    """Decode params into the class of `decoder`; returns None if the method has no params.

    Absent params, `null` and `[]` count as `{}`. Raises InvalidParams.
    """
    if decoder is None:
        if raw is not ABSENT and _as_object(raw) is None:
            raise InvalidParams.misfit("an object", bytes(raw)[:1], "$")
        return None
    if raw is ABSENT:
        return _decode_object(decoder, Raw(b"{}"))
    given = memoryview(raw)
    if given[0] != 0x7B:
        as_object = _as_object(raw)
        if as_object is None:
            raise InvalidParams.misfit("an object", bytes(given[:1]), "$")
        raw = as_object
    return _decode_object(decoder, raw)


def _as_object(raw: Raw) -> Raw | None:
    given = memoryview(raw)
    if given[0] == 0x7B:
        return raw
    if given[0] == 0x6E or (given[0] == 0x5B and not bytes(given[1:-1]).strip(b" \t\r\n")):
        return Raw(b"{}")
    return None


def _decode_object(decoder: msgspec.json.Decoder[Any], raw: Raw) -> Any:
    size = len(memoryview(raw))
    require(2 * size)
    if size > LARGE:
        with suppress(_NeedsWhole):
            return _decode_shortened(decoder, raw)
    try:
        return decoder.decode(raw)
    except msgspec.ValidationError as error:
        raise _invalid_params(error) from None
    except msgspec.DecodeError:
        sent = bytes(raw)
    try:
        return _restored(decoder.decode(without_lone_surrogates(sent)), sent)
    except msgspec.ValidationError as error:
        raise _invalid_params(error) from None


class _NeedsWhole(Exception):
    """The params can only be decoded in one call."""


def _decode_shortened(decoder: msgspec.json.Decoder[Any], raw: Raw) -> Any:
    """Decode large params without their long members, and set these afterwards.

    Raises _NeedsWhole for what is not valid, so that the error is that of the whole.
    """
    view = memoryview(raw)
    short = shorten(view, is_valid=True)
    try:
        params = decoder.decode(short.text)
        members = object_members(short.text)
    except msgspec.MsgspecError:
        raise _NeedsWhole from None
    if not attrs.has(type(params)):
        raise _NeedsWhole
    for name, member in members.items():
        place = short.place(member)
        if place and hasattr(params, name):
            value = _long_value(getattr(params, name), view[slice(*place)])
            object.__setattr__(params, name, value)
    return params


def _long_value(stand_in: object, value: memoryview) -> Any:
    if isinstance(stand_in, Raw):
        return Raw(value)
    if isinstance(stand_in, str):
        return text_of(value)
    if isinstance(stand_in, list) and all(isinstance(element, Raw) for element in stand_in):
        return [Raw(element) for part in elements_of(value) for element in elements(part)]
    raise _NeedsWhole


def _invalid_params(error: msgspec.ValidationError) -> InvalidParams:
    match = _PATH.match(str(error))
    problem, path = (match[1], match[2] or "$") if match else (str(error), "$")
    missing = _MISSING.match(problem)
    if missing:
        return InvalidParams("required member is missing", f"{path}.{missing[1]}")
    misfit = _MISFIT.match(problem)
    if misfit:
        expected, got, more = misfit.groups()
        names = [_TYPES.get(name, name) for name in expected.split(" | ")]
        problem = f"expected {' or '.join(names)}{more}"
        if got:
            problem += f", got {_GOT.get(got, got)}"
    return InvalidParams(problem, path)


def _restored(value: Any, raw: bytes) -> Any:
    """Restore the lone surrogates in `value`, which was decoded from `raw` without them."""
    if isinstance(value, str):
        return loads(raw)
    if isinstance(value, Raw):
        return Raw(raw)
    if isinstance(value, list):
        pairs = zip(value, elements(raw), strict=True)
        return [_restored(*pair) for pair in pairs]
    if isinstance(value, dict):
        return {
            name: _restored(value[_SURROGATE.sub("\ufffd", name)], member)
            for name, member in object_members(raw).items()
        }
    if attrs.has(type(value)):
        for name, member in object_members(raw).items():
            if hasattr(value, name):
                object.__setattr__(value, name, _restored(getattr(value, name), member))
    return value
