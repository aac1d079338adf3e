"""JSON to typed values that still know the exact text they came as."""

from __future__ import annotations

import json
import re
import weakref
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, NoReturn, TypeVar

import attrs
import msgspec
from msgspec import Raw
from sessiond_protocol import convert

from sessiond_client.generated.contract import EXACT

T = TypeVar("T")
Json = bytes | Raw

_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[][{},:]|[^][{},:"\s]+')

_texts: dict[int, tuple[weakref.ref[Any], Json]] = {}
"""`id` of a value → a reference that ends the entry with the value, and the value's text.

Kept beside the values, because they are the contract's own classes, equal by their members.
"""


def raw_json(value: object) -> bytes:
    """Return the exact JSON a result, entry, header, message or notification came as.

    A copy does not have it. Raises `LookupError` for a value that is not from the daemon.
    """
    try:
        return bytes(_texts[id(value)][1])
    except KeyError:
        raise LookupError(f"this {type(value).__name__} did not come from the daemon") from None


def parse(text: Json) -> Any:
    """Return parsed JSON. Lone surrogates stay in strings, integers have any size.

    The last of several members with one name counts. Raises `ValueError`.
    """
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError):
        # Refused: lone surrogates, and numbers that are infinite as a float.
        return json.loads(bytes(text), parse_int=_integer, parse_constant=_refuse)


def read(text: Json, cls: type[T]) -> T:
    """Build a value of the contract that `raw_json` knows. Raises `convert.Misfit`."""
    parsed = parse(text)
    value: T = parsed if cls is type(None) else convert.structure(parsed, cls)
    _remember(value, text)
    return value


def members(text: Json) -> dict[str, Json]:
    """Return the members of a JSON object as exact JSON; the last of a name counts."""
    try:
        return dict(msgspec.json.decode(text, type=dict[str, Raw]))
    except (msgspec.MsgspecError, RecursionError):
        # It refuses lone surrogates even in what it only passes over.
        elements = list(_elements(bytes(text)))
        return {parse(name): value for name, value in zip(*[iter(elements)] * 2, strict=True)}


def items(text: Json) -> list[Json]:
    """Return the items of a JSON array as exact JSON."""
    try:
        return list(msgspec.json.decode(text, type=list[Raw]))
    except (msgspec.MsgspecError, RecursionError):
        return list(_elements(bytes(text)))


def _remember(value: Any, text: Json) -> None:
    if not attrs.has(type(value)):
        return
    key = id(value)
    _texts[key] = (weakref.ref(value, lambda _: _texts.pop(key, None)), text)
    names = EXACT.get(type(value).__name__)
    if not names:
        return
    texts = members(text)
    for name in names:
        member = getattr(value, name)
        if isinstance(member, list):
            for item, item_text in zip(member, items(texts[name]), strict=True):
                _remember(item, item_text)
        elif name in texts:
            _remember(member, texts[name])


def _elements(text: bytes) -> Iterator[bytes]:
    """Yield the items of an array, or names and values of an object in turn.

    The text is JSON already; nothing is checked and nothing nests too deep.
    """
    depth = start = end = 0
    for found in _TOKEN.finditer(text):
        token = found[0]
        if depth == 1 and token in (b",", b":"):
            yield text[start:end]
            start = 0
            continue
        if token in (b"]", b"}"):
            depth -= 1
            if depth == 0:
                break
        if depth and not start:
            start = found.start()
        if token in (b"[", b"{"):
            depth += 1
        end = found.end()
    if start:
        yield text[start:end]


def _integer(text: str) -> int | Decimal:
    try:
        return int(text)
    except ValueError:
        # Longer than Python converts; the digits are kept all the same.
        return Decimal(text)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"JSON has no {constant}")
