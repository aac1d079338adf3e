"""Entries of a store as JSON text, in CoderClaw's spelling.

`JSON.stringify(store, null, 2)` decides on white space, escapes and the spelling of numbers. What
it would lose is kept: numbers that no double holds exactly, and the order of members whose names
look like array indices.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

import msgspec
import orjson
from msgspec import Raw

from sessiond.gateway.config.reader import finite
from sessiond.jsontext.javascript import number_text
from sessiond.jsontext.nesting import depth_exceeds
from sessiond.jsontext.parts import object_members
from sessiond.jsontext.respell import STRINGS, Style, respell
from sessiond.jsontext.spans import js_string, loads, minify

# Outside strings: numbers that orjson spells differently from JavaScript, or cannot hold.
_ODD_NUMBER = re.compile(rb"[0-9][eE]|[0-9.]{16}|-0|\.[0-9]*0(?![0-9])|0\.000")
_INDENT = b"  "
_DEEPEST = 1000
"""Values nested deeper than this are not indented: indentation would take the square of the depth
in bytes.

`JSON.stringify` itself fails at some thousand levels.
"""


class _Absent:
    """Marks a member to be removed."""


ABSENT: Final = _Absent()


class NonEntry(msgspec.Struct, eq=False, gc=False):
    """A value in a store that is not an object: it is kept, skipped and reported."""

    text: bytes


class StoreEntry(msgspec.Struct, eq=False, gc=False):
    """The entry of one session. Never changed, so that identity is equality.

    The garbage collector does not track entries, and only scalars are cached: a store may have
    tens of thousands of them, and the collector stops all threads.
    """

    text: bytes
    """Its JSON, spelled and indented as in a store."""
    _members: dict[str, bytes] | None = None
    _scalars: dict[str, str | float | bool | None] | None = None

    @classmethod
    def read(cls, raw: bytes) -> StoreEntry:
        """An entry made from any spelling of a JSON object."""
        text = indented(raw, 1)
        return cls(raw if raw == text else text)

    @classmethod
    def of(cls, members: Mapping[str, Any]) -> StoreEntry:
        """A new entry. Values as in `changed`."""
        return cls(b"{}").changed(members)

    @property
    def members(self) -> dict[str, bytes]:
        """Members by name, in order, each value as its text in `text`."""
        if self._members is None:
            self._members = object_members(self.text)
        return self._members

    def __contains__(self, name: str) -> bool:
        return name in self.members

    def get(self, name: str) -> Any:
        """The decoded value of a member; None if absent or null. Not to be modified.

        Decoding is lenient: lone surrogates are kept, and integers beyond 64 bits may become
        floats. A value nested too deep to decode counts as absent, because no rule reads such
        values.
        """
        if self._scalars is None:
            self._scalars = {}
        scalars = self._scalars
        if name in scalars:
            return scalars[name]
        text = self.members.get(name)
        try:
            value = None if text is None else loads(text)
        except ValueError:
            value = None
        if not isinstance(value, list | dict):
            scalars[name] = value
        return value

    def string(self, name: str) -> str | None:
        """A member that is a string, else None."""
        value = self.get(name)
        return value if isinstance(value, str) else None

    def number(self, name: str) -> float | None:
        """A member that is a finite number, else None."""
        return finite(self.get(name))

    @property
    def last_update(self) -> float:
        """`updatedAt` (epoch ms); 0 if it has none: such an entry counts as the oldest."""
        return self.number("updatedAt") or 0

    def object(self, name: str) -> dict[str, Any] | None:
        """A member that is an object, else None."""
        value = self.get(name)
        return value if isinstance(value, dict) else None

    def compact(self) -> dict[str, Raw]:
        """Its members for an answer, without white space between tokens."""
        # Only arrays and objects have white space between tokens.
        return {
            name: Raw(minify(text) if text.startswith((b"[", b"{")) else text)
            for name, text in self.members.items()
        }

    def changed(self, changes: Mapping[str, Any]) -> StoreEntry:
        """The entry with these members: replaced in place, else appended; ABSENT removes one.

        A value is JSON text (bytes), or a plain value of strings, numbers, booleans, None, lists
        and dicts. Returns the same entry if nothing changes.
        """
        members = dict(self.members)
        for name, value in changes.items():
            if value is ABSENT:
                members.pop(name, None)
            else:
                members[name] = indented(value if isinstance(value, bytes) else encoded(value), 2)
        if members == self.members and list(members) == list(self.members):
            return self
        return StoreEntry(_object(members, 1))


def _object(members: Mapping[str, bytes], depth: int) -> bytes:
    """The text of an object whose values are already indented."""
    if not members:
        return b"{}"
    line = b"\n" + _INDENT * (depth + 1)
    inner = b",".join(line + js_string(name) + b": " + text for name, text in members.items())
    return b"{" + inner + b"\n" + _INDENT * depth + b"}"


def store_text(items: Mapping[str, StoreEntry | NonEntry]) -> bytes:
    """The text of the whole store."""
    if not items:
        return b"{}"
    parts = [b"{"]
    for key, item in items.items():
        parts += (_head(key), item.text, b",")
    parts[-1] = b"\n}"
    return b"".join(parts)


@functools.lru_cache(1 << 15)
def _head(key: str) -> bytes:
    return b"\n" + _INDENT + js_string(key) + b": "


def encoded(value: Any) -> bytes:
    """The JSON of a plain value, compact."""
    if isinstance(value, str):
        return js_string(value)
    if isinstance(value, bytes):
        return value
    if value is None or isinstance(value, bool | int | float):
        return _encoded_scalar(value)
    if isinstance(value, Mapping):
        return b"{%s}" % b",".join(js_string(k) + b":" + encoded(v) for k, v in value.items())
    return b"[%s]" % b",".join(map(encoded, value))


def _encoded_scalar(value: float | None) -> bytes:
    if value is None or isinstance(value, bool):
        return orjson.dumps(value)
    if isinstance(value, int):
        return str(value).encode()
    return number_text(repr(value).encode()).encode() if math.isfinite(value) else b"null"


def indented(raw: bytes, depth: int) -> bytes:
    """Valid JSON spelled as in a store, `depth` levels below the top.

    A value nested deeper than a thousand levels is returned unchanged.
    """
    if not _ODD_NUMBER.search(STRINGS.sub(b"", raw)):
        try:
            text = orjson.dumps(orjson.loads(raw), option=orjson.OPT_INDENT_2)
        except (ValueError, TypeError):
            # Lone surrogates, or too deep for orjson.
            pass
        else:
            return text.replace(b"\n", b"\n" + _INDENT * depth) if depth else text
    return raw if depth_exceeds(raw, _DEEPEST) else respell(raw, _STORE, depth)


def _number(token: bytes) -> bytes:
    """The number in JavaScript's spelling if the value is the same, else as it is."""
    text = number_text(token)
    if text == "null" or len(token) > 40 or Decimal(text) != Decimal(token.decode()):
        return token
    return text.encode()


_STORE = Style(number=_number, order=lambda names: names, indent=_INDENT)
