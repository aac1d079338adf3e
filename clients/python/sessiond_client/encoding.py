"""Values to JSON. `Raw` goes out byte for byte, strings with lone surrogates as escapes."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from json.encoder import encode_basestring
from typing import Any, TypeAlias, TypeVar

import attrs
from msgspec import UNSET, Raw, UnsetType
from sessiond_protocol.content import UnknownBlock
from sessiond_protocol.entries import UnknownEntry
from sessiond_protocol.messages import UnknownMessage

T = TypeVar("T")

JsonObject: TypeAlias = Mapping[str, Any] | Raw
"""An object as parsed JSON, or any value as the exact JSON text."""

_SURROGATE = re.compile("[\ud800-\udfff]")


class Handle:
    """What the daemon knows by a handle that may be another one after a restart."""

    @property
    def handle(self) -> str:
        """The handle that is good now."""
        raise NotImplementedError


def or_absent(value: T | None) -> T | UnsetType:
    """Return an optional argument as it goes out: `None` leaves the member out."""
    return UNSET if value is None else value


def encode(value: Any) -> bytes:
    """Return the JSON of a value.

    Takes what `json` takes, classes of the contract, `Raw`, and handles. Unset members are left
    out. Raises `TypeError` for anything else and `ValueError` for numbers that JSON cannot hold.
    """
    parts: list[bytes] = []
    _write(value, parts.append)
    return b"".join(parts)


def _write(value: Any, put: Callable[[bytes], object]) -> None:
    if isinstance(value, str):
        put(_string(value))
    elif value is None:
        put(b"null")
    elif isinstance(value, bool):
        put(b"true" if value else b"false")
    elif isinstance(value, int):
        put(int.__repr__(value).encode())
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"JSON has no {value!r}; send the number as Raw")
        put(float.__repr__(value).encode())
    elif isinstance(value, Raw):
        put(bytes(value))
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
    elif isinstance(value, UnknownEntry | UnknownMessage | UnknownBlock):
        _write(value.raw, put)
    elif attrs.has(type(value)):
        _write_members(vars(value), put)
    else:
        raise TypeError(f"{type(value).__name__} is nothing that JSON can hold")


def _write_members(members: Mapping[str, Any], put: Callable[[bytes], object]) -> None:
    before = b"{"
    for name, member in members.items():
        if member is UNSET:
            continue
        if not isinstance(name, str):
            raise TypeError(f"the name of a JSON member is a string, not {name!r}")
        put(before + _string(name) + b":")
        _write(member, put)
        before = b","
    put(b"{}" if before == b"{" else b"}")


def _string(text: str) -> bytes:
    quoted = encode_basestring(text)
    try:
        return quoted.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted).encode()
