"""Decode JSON into typed values, and remember the exact text of each."""

from __future__ import annotations

import json
import re
import weakref
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, NoReturn, TypeVar

import msgspec
from msgspec import Raw

from sessiond_client.generated.contract import EXACT, SessionMessageEntry
from sessiond_client.objects import Unknown, WireObject, build

T = TypeVar("T")
Json = bytes | Raw

_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[][{},:]|[^][{},:"\s]+')

_texts: dict[int, tuple[weakref.ref[Any], Json, str | None]] = {}
"""`id` of a value → a weak reference to it, and its text; or the text of an object and the name of
the member that is its text. The entry goes with the value."""


def raw_json(value: object) -> bytes:
    """Return the exact JSON from which a result, entry, header, message or notification was read.

    Raises `LookupError` for parts of these, copies, and values that are not from the daemon.
    """
    try:
        _, text, name = _texts[id(value)]
    except KeyError:
        raise LookupError(
            f"the exact JSON of this {type(value).__name__} is not known: it is a copy, a part of a"
            " larger value, or did not come from the daemon"
        ) from None
    return bytes(text if name is None else members(text)[name])


def parse(text: Json) -> Any:
    """Return parsed JSON. Lone surrogates stay in strings, integers have any size.

    If several members have one name, the last one counts. Raises `ValueError`.
    """
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError):
        # msgspec refuses lone surrogates, and numbers too large for a float.
        return json.loads(bytes(text), parse_int=_integer, parse_constant=_refuse)


def read(text: Json, cls: type[T]) -> T:
    """Decode a value of the contract, for which `raw_json` works. Raises `InvalidAnswer`."""
    parsed = parse(text)
    value: T = parsed if cls is type(None) else build(parsed, cls)
    _remember(value, text)
    return value


def members(text: Json) -> dict[str, Json]:
    """Return the members of a JSON object as exact JSON. If a name repeats, the last one counts."""
    try:
        return dict(msgspec.json.decode(text, type=dict[str, Raw]))
    except (msgspec.MsgspecError, RecursionError):
        # msgspec refuses lone surrogates even in values that it does not decode.
        elements = list(_elements(bytes(text)))
        return {parse(name): value for name, value in zip(*[iter(elements)] * 2, strict=True)}


def items(text: Json) -> list[Json]:
    """Return the items of a JSON array as exact JSON."""
    try:
        return list(msgspec.json.decode(text, type=list[Raw]))
    except (msgspec.MsgspecError, RecursionError):
        return list(_elements(bytes(text)))


def _remember(value: Any, text: Json, member: str | None = None) -> None:
    if not isinstance(value, WireObject | Unknown):
        return
    key = id(value)
    _texts[key] = (weakref.ref(value, lambda _: _texts.pop(key, None)), text, member)
    if isinstance(value, SessionMessageEntry):
        # Parsing an entry once more for its message waits until `raw_json` needs it.
        _remember(value.message, text, "message")
    names = EXACT.get(type(value).__name__)
    if not names:
        return
    texts = members(text)
    for attribute, name in names:
        member = getattr(value, attribute)
        if isinstance(member, list):
            for item, item_text in zip(member, items(texts[name]), strict=True):
                _remember(item, item_text)
        elif name in texts:
            _remember(member, texts[name])


def _elements(text: bytes) -> Iterator[bytes]:
    """Yield the items of an array, or the names and values of an object in turn.

    The text must be valid JSON. Any depth of nesting is accepted.
    """
    depth = start = end = 0
    for match in _TOKEN.finditer(text):
        token = match[0]
        if depth == 1 and token in (b",", b":"):
            yield text[start:end]
            start = 0
            continue
        if token in (b"]", b"}"):
            depth -= 1
            if depth == 0:
                break
        if depth and not start:
            start = match.start()
        if token in (b"[", b"{"):
            depth += 1
        end = match.end()
    if start:
        yield text[start:end]


def _integer(text: str) -> int | Decimal:
    try:
        return int(text)
    except ValueError:
        # Python limits the digits of an int that it converts; a Decimal keeps them all.
        return Decimal(text)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")
