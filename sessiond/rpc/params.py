"""Decode the params of a message into the class that its method declares."""

from __future__ import annotations

import re
from typing import Any

import attrs
import msgspec
from msgspec import Raw
from sessiond_protocol.wire import is_closed

from sessiond.rpc.codec import ABSENT
from sessiond.runtime.errors import InvalidParams
from sessiond.text.parts import elements, object_members
from sessiond.text.spans import loads
from sessiond.text.surrogates import without_lone_surrogates

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

_NAMES = msgspec.json.Decoder(dict[str, Raw])
_PATH = re.compile(r"^(.*?)(?: - at `(.*)`)?$", re.DOTALL)
_MISSING = re.compile(r"^Object missing required field `(.*)`$")
_MISFIT = re.compile(r"^Expected `(.*?)`(?:, got `(.*)`)?(.*)$")
_NOT_ONE_OF = "Invalid enum value "
_STEP = re.compile(r"\.([^.\[\]]+)|\[([0-9]+|\.\.\.)\]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def decode_params(
    decoder: msgspec.json.Decoder[Any] | None, raw: Raw, members: frozenset[str] | None = None
) -> Any:
    """Decode params into the class of `decoder`; returns None if the method has no params.

    Absent params, `null` and `[]` count as `{}`. With `members`, all others are refused. Raises
    InvalidParams.
    """
    if raw is ABSENT or memoryview(raw)[0] != 0x7B:
        raw = _as_object(raw)
    params = None if decoder is None else _decode_object(decoder, raw)
    if members is not None:
        _refuse_unknown(raw, members, "$")
        _refuse_unknown_inside(raw, params, members)
    return params


def members_of(params_type: type | None) -> frozenset[str]:
    """Return the names of the params that a class of the contract has; of None there are none."""
    return frozenset(attrs.fields_dict(params_type)) if params_type else frozenset()


def _refuse_unknown(raw: Raw | bytes, members: frozenset[str], path: str) -> None:
    """Raise InvalidParams if the object at `path` has a member that is not one of `members`.

    Without this, a condition or a filter that only a later daemon knows would be ignored silently.
    """
    try:
        names = set(_NAMES.decode(raw))
    except msgspec.DecodeError:
        names = set(object_members(bytes(raw)))
    unknown = sorted(names - members)
    if unknown:
        noun = "param" if path == "$" else "member"
        members_text = f"known are {', '.join(sorted(members))}" if members else "there are none"
        more = f" (also unknown: {', '.join(unknown[1:4])})" if unknown[1:] else ""
        raise InvalidParams(f"unknown {noun}; {members_text}{more}", f"{path}.{unknown[0]}")


def _refuse_unknown_inside(raw: Raw, params: Any, members: frozenset[str]) -> None:
    """Raise InvalidParams for unknown members of the params' own closed objects."""
    closed = {name: type(value) for name in members if is_closed(value := getattr(params, name))}
    if closed:
        sent = object_members(bytes(raw))
        for name, kind in closed.items():
            if name in sent:
                _refuse_unknown(sent[name], members_of(kind), f"$.{name}")


def _as_object(raw: Raw) -> Raw:
    """Return the params that stand for none as an object. Raises InvalidParams for others."""
    given = bytes(raw)
    is_empty = given.startswith(b"[") and not given[1:-1].strip(b" \t\r\n")
    if given and not given.startswith(b"n") and not is_empty:
        raise InvalidParams.misfit("an object", given[:1], "$")
    return Raw(b"{}")


def _decode_object(decoder: msgspec.json.Decoder[Any], raw: Raw) -> Any:
    try:
        return decoder.decode(raw)
    except msgspec.ValidationError as error:
        raise _invalid_params(error, decoder.type) from None
    except msgspec.DecodeError:
        sent = bytes(raw)
    try:
        return _restored(decoder.decode(without_lone_surrogates(sent)), sent)
    except msgspec.ValidationError as error:
        raise _invalid_params(error, decoder.type) from None


def _invalid_params(error: msgspec.ValidationError, kind: Any) -> InvalidParams:
    match = _PATH.match(str(error))
    problem, path = (match[1], match[2] or "$") if match else (str(error), "$")
    missing = _MISSING.match(problem)
    if missing:
        return InvalidParams("required member is missing", f"{path}.{missing[1]}")
    if problem.startswith(_NOT_ONE_OF):
        allowed = ", ".join(_allowed(kind, path))
        sent = problem.removeprefix(_NOT_ONE_OF)
        return InvalidParams(f"expected one of {allowed}, got {sent}", path)
    misfit = _MISFIT.match(problem)
    if misfit:
        expected, got, more = misfit.groups()
        names = [_TYPES.get(name, name) for name in expected.split(" | ")]
        problem = f"expected {' or '.join(names)}{more}"
        if got:
            problem += f", got {_GOT.get(got, got)}"
    return InvalidParams(problem, path)


def _allowed(kind: Any, path: str) -> list[str]:
    """Return the values that a type allows at a JSON path, quoted, in their order."""
    schema = msgspec.json.schema(kind)
    parts = [schema]
    for name, _ in _STEP.findall(path):
        parts = [
            part["properties"][name] if name else part["items"]
            for part in _alternatives(parts, schema)
            if (name in part.get("properties", ()) if name else "items" in part)
        ]
    values = [each for part in _alternatives(parts, schema) for each in part.get("enum", ())]
    return [repr(each) for each in values if each is not None]


def _alternatives(parts: list[Any], schema: Any) -> list[Any]:
    """Return the parts of a JSON schema with references and unions resolved."""
    resolved = []
    todo = list(parts)
    while todo:
        part = todo.pop(0)
        if "$ref" in part:
            part = schema["$defs"][part["$ref"].rpartition("/")[2]]
        todo += part.get("anyOf", ())
        resolved.append(part)
    return resolved


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
