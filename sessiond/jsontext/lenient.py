"""Decode objects that other programs wrote: what is not of the expected type keeps its default."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin

import msgspec

from sessiond.jsontext.parts import elements, members_of_line, string_of
from sessiond.jsontext.utf8 import readable

_T = TypeVar("_T", bound=msgspec.Struct)
_MISFIT = object()


@functools.cache
def lenient(kind: type[_T]) -> Callable[[bytes], _T | None]:
    """Return a decoder of objects as this kind of struct; what is no JSON object gives None.

    A member of another type keeps its default; elements of lists that do not fit are left out.
    Strings keep lone surrogates, and bytes in them that are not UTF-8 become U+FFFD.
    """
    quickly, fields = msgspec.json.Decoder(kind).decode, msgspec.structs.fields(kind)

    def decode(raw: bytes) -> _T | None:
        try:
            return quickly(raw)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            members = members_of_line(readable(raw))
        if members is None:
            return None
        given = [field for field in fields if field.encode_name in members]
        values = {field.name: _value(field.type, members[field.encode_name]) for field in given}
        return kind(**{name: value for name, value in values.items() if value is not _MISFIT})

    return decode


def _value(kind: Any, raw: bytes) -> Any:
    if kind is msgspec.Raw:
        return msgspec.Raw(raw)
    try:
        return msgspec.json.decode(raw, type=kind)
    except (msgspec.MsgspecError, RecursionError):
        kinds = get_args(kind) if isinstance(kind, UnionType) else (kind,)
    first = raw[:1]
    if first == b'"' and str in kinds:
        return string_of(raw)
    for each in kinds:
        if first == b"{" and isinstance(each, type) and issubclass(each, msgspec.Struct):
            return lenient(each)(raw)
        if first == b"[" and get_origin(each) is list:
            (kind,) = get_args(each)
            found = [_value(kind, element) for element in elements(raw)]
            return [value for value in found if value is not _MISFIT]
    return _MISFIT
