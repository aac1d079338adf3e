"""Entries of a store as JSON text: a change keeps the bytes of every member that it does not name.

New text is spelled and indented as `JSON.stringify(store, null, 2)` does it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import msgspec
import orjson
from msgspec import Raw

from sessiond.gateway.config import finite
from sessiond.text.javascript import number_text
from sessiond.text.nesting import depth_exceeds
from sessiond.text.parts import object_members
from sessiond.text.respell import Style, respell
from sessiond.text.spans import js_string, loads, minify

_INDENT = b"  "
_STYLE = Style(number=lambda token: token, order=lambda names: names, indent=_INDENT)
_DEEPEST = 1000
"""Values nested deeper than this are not indented: that takes the square of the depth in bytes."""


_OLD_NAMES: Final = {"provider": "channel", "lastProvider": "lastChannel", "room": "groupChannel"}
"""Names of members that gateways had, and those that replace them when a gateway loads a store."""


class _Absent:
    """Marks a member to be removed."""


ABSENT: Final = _Absent()


class NonEntry(msgspec.Struct, eq=False, gc=False):
    """A value in a store that is not an object: it is kept, skipped and reported."""

    text: bytes


class StoreEntry(msgspec.Struct, eq=False, gc=False):
    """The entry of one session. Never changed, so that identity is equality.

    Readers of members never raise: a value of another type, or one nested too deep to decode,
    counts as absent.
    """

    text: bytes
    """Its JSON as it stands in the store."""
    _members: dict[str, bytes] | None = None

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

        Lone surrogates are kept, and integers beyond 64 bits may become floats.
        """
        text = self.members.get(name)
        try:
            return None if text is None else loads(text)
        except ValueError:
            return None

    def string(self, name: str) -> str | None:
        """A member that is a string, else None."""
        value = self.get(name)
        return value if isinstance(value, str) else None

    def number(self, name: str) -> float | None:
        """A member that is a finite number, else None."""
        return finite(self.get(name))

    def object(self, name: str) -> dict[str, Any] | None:
        """A member that is an object, else None."""
        value = self.get(name)
        return value if isinstance(value, dict) else None

    def with_present_names(self) -> StoreEntry:
        """Return the entry without old names of members, as a gateway loads it.

        The value of an old name counts where the present one has no string.
        """
        if self.members.keys().isdisjoint(_OLD_NAMES):
            return self
        changes: dict[str, Any] = dict.fromkeys(_OLD_NAMES, ABSENT)
        for old, name in _OLD_NAMES.items():
            if self.string(name) is None and self.string(old) is not None:
                changes[name] = self.members[old]
        return self.changed(changes)

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
                continue
            new = encoded(value)
            old = members.get(name)
            if old is None or (old != new and minify(old) != minify(new)):
                members[name] = _indented(new)
        if members == self.members:
            return self
        return StoreEntry(_joined(members, 1))


Items: TypeAlias = Mapping[str, StoreEntry | NonEntry]
"""All values of a store by key, in order."""


def entry_in(items: Items, key: str) -> StoreEntry | None:
    """The entry under a key; None if there is none or the value is not an entry."""
    item = items.get(key)
    return item if isinstance(item, StoreEntry) else None


def store_text(items: Items) -> bytes:
    """The text of the whole store."""
    return _joined({key: item.text for key, item in items.items()}, 0)


def _joined(members: Mapping[str, bytes], depth: int) -> bytes:
    """The text of an object of values that are spelled already."""
    if not members:
        return b"{}"
    line = b"\n" + _INDENT * (depth + 1)
    parts = [b"{"]
    for name, text in members.items():
        parts += (line, js_string(name), b": ", text, b",")
    parts[-1] = b"\n" + _INDENT * depth + b"}"
    return b"".join(parts)


def encoded(value: Any) -> bytes:
    """The JSON of a plain value, compact."""
    match value:
        case bytes():
            text = value
        case str():
            text = js_string(value)
        case Mapping():
            text = b"{%s}" % b",".join(js_string(k) + b":" + encoded(v) for k, v in value.items())
        case list():
            text = b"[%s]" % b",".join(map(encoded, value))
        case float():
            text = number_text(repr(value).encode()).encode() if math.isfinite(value) else b"null"
        case int() if not isinstance(value, bool):
            text = str(value).encode()
        case _:
            text = orjson.dumps(value)
    return text


def _indented(raw: bytes) -> bytes:
    """A value as it is indented in an entry."""
    is_scalar = not raw.startswith((b"[", b"{"))
    return raw if is_scalar or depth_exceeds(raw, _DEEPEST) else respell(raw, _STYLE, 2)
