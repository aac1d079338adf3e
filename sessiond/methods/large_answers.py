"""Encode answers that contain whole messages; large ones in a worker thread."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import attrs
from msgspec import UNSET

from sessiond.catalog.summaries import Summary
from sessiond.files import workers
from sessiond.jsontext.spans import Buffer, Json, js_string
from sessiond.limits import INLINE_READ_BYTES
from sessiond.rpc.codec import encode
from sessiond.session.reading import runs

_PIECE = 512 * 1024
"""Characters encoded in one call: a longer call would block the other threads."""

_Result = TypeVar("_Result")


async def encoded(result: _Result, summaries: Iterable[Summary]) -> _Result | Json:
    """Return the result, or its JSON if the messages in these summaries make it large."""
    size = _size(summaries)
    return result if size <= INLINE_READ_BYTES else await workers.reading(size, _as_json, result)


def with_arrays(result: Any, **arrays: Iterable[bytes]) -> Json:
    """The JSON of a result whose members in `arrays` are given as encoded elements.

    If there are none, the member is left out where the result has UNSET.

    For tens of thousands of elements: as objects they would be work for the garbage collector,
    which stops all threads. To be called in a worker.
    """
    parts: list[Buffer] = []
    for field in attrs.fields(type(result)):
        value = getattr(result, field.name)
        elements = runs(arrays.get(field.name, ()))
        if value is UNSET and not elements:
            continue
        parts.append((b"," if parts else b"{") + js_string(field.name) + b":")
        parts += [b"[", *elements, b"]"] if elements else [encode(value)]
    return Json([*parts, b"}"])


def _size(summaries: Iterable[Summary]) -> int:
    return sum(len(item.first_message) + sum(map(len, item.texts or ())) for item in summaries)


def _as_json(result: Any) -> Json:
    return Json(list(_parts(result)))


def _parts(value: Any) -> Iterator[bytes]:
    if isinstance(value, str) and len(value) > _PIECE:
        yield b'"'
        for start in range(0, len(value), _PIECE):
            yield js_string(value[start : start + _PIECE])[1:-1]
        yield b'"'
    elif isinstance(value, list | tuple):
        yield from _joined(b"[", (_parts(item) for item in value), b"]")
    elif attrs.has(type(value)):
        named = ((field.name, getattr(value, field.name)) for field in attrs.fields(type(value)))
        members = (_member(name, member) for name, member in named if member is not UNSET)
        yield from _joined(b"{", members, b"}")
    else:
        yield encode(value)


def _member(name: str, value: Any) -> Iterator[bytes]:
    yield js_string(name) + b":"
    yield from _parts(value)


def _joined(begin: bytes, items: Iterable[Iterator[bytes]], end: bytes) -> Iterator[bytes]:
    yield begin
    for number, item in enumerate(items):
        if number:
            yield b","
        yield from item
    yield end
