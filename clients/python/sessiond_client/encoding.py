"""Encode values as JSON: `Raw` byte for byte, lone surrogates in strings as escapes."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from json.encoder import encode_basestring
from typing import Any, TypeAlias, TypeVar

from msgspec import UNSET, Raw, UnsetType

from sessiond_client.objects import Unknown, WireObject, wire_members

T = TypeVar("T")

JsonObject: TypeAlias = Mapping[str, Any] | Raw
"""An object as parsed JSON, or as exact JSON text."""

_SURROGATE = re.compile("[\ud800-\udfff]")


class Handle:
    """A session or subscription."""

    @property
    def handle(self) -> str:
        """Its name on the wire, which it keeps when the daemon is started again."""
        raise NotImplementedError


_SCALARS = (str, type(None), bool, int, float, Raw)


def or_absent(value: T | None) -> T | UnsetType:
    """Return `UNSET`, which leaves the member out, in place of `None`."""
    return UNSET if value is None else value


def encode(value: Any) -> bytes:
    """Return the JSON of a value.

    A value is parsed JSON, an instance of a class of the contract, `Raw`, or a `Handle`. Members
    that are `UNSET` are left out. Raises `TypeError` for other values, and `ValueError` for numbers
    that JSON cannot hold.
    """
    parts: list[bytes] = []
    _write(value, parts.append)
    return b"".join(parts)


def _write(value: Any, put: Callable[[bytes], object]) -> None:
    if isinstance(value, _SCALARS):
        put(_scalar(value))
    elif isinstance(value, Mapping):
        _write_members(value, put)
    elif isinstance(value, list | tuple):
        put(b"[")
        for index, item in enumerate(value):
            if index:
                put(b",")
            _write(item, put)
        put(b"]")
    elif isinstance(value, Handle):
        put(_string(value.handle))
    elif isinstance(value, Unknown):
        _write(value.raw, put)
    elif isinstance(value, WireObject):
        _write_members(dict(wire_members(value)), put)
    else:
        raise TypeError(f"a {type(value).__name__} cannot be encoded as JSON")


def _scalar(value: str | float | Raw | None) -> bytes:
    match value:
        case str():
            return _string(value)
        case None:
            return b"null"
        case bool():
            return b"true" if value else b"false"
        case int():
            return int.__repr__(value).encode()
        case float():
            if not math.isfinite(value):
                raise ValueError(f"JSON cannot hold {value!r}; send the number as Raw")
            return float.__repr__(value).encode()
        case Raw():
            return bytes(value)


def _write_members(members: Mapping[str, Any], put: Callable[[bytes], object]) -> None:
    before = b"{"
    for name, member in members.items():
        if member is UNSET:
            continue
        if not isinstance(name, str):
            raise TypeError(f"the name of a JSON member must be a string, not {name!r}")
        put(before + _string(name) + b":")
        _write(member, put)
        before = b","
    put(b"{}" if before == b"{" else b"}")


def _string(text: str) -> bytes:
    quoted = encode_basestring(text)
    try:
        return quoted.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted).encode()
