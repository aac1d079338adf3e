"""Decode objects that other programs wrote: what is not of the expected type keeps its default."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from types import UnionType
from typing import Any, TypeVar, cast, get_args, get_origin

import msgspec

from sessiond.text.parts import elements, members_of_line, object_members, string_of
from sessiond.text.utf8 import readable

_T = TypeVar("_T")
_MISFIT = object()
_fields = functools.cache(msgspec.structs.fields)


@functools.cache
def lenient(kind: type[_T]) -> Callable[[msgspec.Raw | bytes], _T | None]:
    """Return a decoder of JSON as this kind of struct or list; None for any other value.

    What is decoded as a struct may be any text, and as a list must be JSON. A member of another
    type keeps its default; elements of lists, and members of dicts, that do not fit are left out.
    Strings keep lone surrogates, and bytes in them that are not UTF-8 become U+FFFD.
    """
    quickly = msgspec.json.Decoder(kind).decode
    is_struct = issubclass(kind, msgspec.Struct) if isinstance(kind, type) else False

    def decode(raw: msgspec.Raw | bytes) -> _T | None:
        try:
            return quickly(raw)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            text = readable(bytes(raw))
        if is_struct:
            members = members_of_line(text)
            return None if members is None else cast("_T", _of_members(kind, members))
        value = _value(kind, text)
        return None if value is _MISFIT else cast("_T", value)

    return decode


def _of_members(kind: Any, members: Mapping[str, bytes]) -> Any:
    given = [each for each in _fields(kind) if each.encode_name in members]
    values = {each.name: _value(each.type, members[each.encode_name]) for each in given}
    return kind(**{name: value for name, value in values.items() if value is not _MISFIT})


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
    return next((_within(each, raw) for each in kinds if _begins(each) == first), _MISFIT)


def _begins(kind: Any) -> bytes:
    """The first byte of arrays or objects of a kind; nothing for other kinds."""
    if get_origin(kind) is list:
        return b"["
    is_struct = isinstance(kind, type) and issubclass(kind, msgspec.Struct)
    return b"{" if is_struct or get_origin(kind) is dict else b""


def _within(kind: Any, raw: bytes) -> Any:
    """Decode an array or object of a kind, without what does not fit in it."""
    if get_origin(kind) is list:
        (item,) = get_args(kind)
        values = [_value(item, element) for element in elements(raw)]
        return [value for value in values if value is not _MISFIT]
    if get_origin(kind) is dict:
        _, item = get_args(kind)
        pairs = [(name, _value(item, part)) for name, part in object_members(raw).items()]
        return {name: value for name, value in pairs if value is not _MISFIT}
    return _of_members(kind, object_members(raw))
