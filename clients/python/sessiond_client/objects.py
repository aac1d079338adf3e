"""The base classes of the classes of the contract, and how parsed JSON becomes their instances.

Members are in snake case, and in camel case in the JSON. Values are never coerced: if a string is
expected, 3 is an error and does not become "3".
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any, TypeVar, cast, get_args

import msgspec
from msgspec import UNSET, Struct, field

from sessiond_client.failures import InvalidAnswer

T = TypeVar("T")

EXTRA = "(extra)"
"""The JSON name that `extra` has for msgspec; it is never read from JSON, nor written."""


class WireObject(
    Struct, kw_only=True, rename="camel", weakref=True, repr_omit_defaults=True
):  # weakref: `exact` remembers the text of a value as long as the value exists
    """An object of the contract. Members that are `UNSET` are not sent."""


class StoredObject(WireObject, kw_only=True):
    """An object of a session file. It may have members that its class does not name."""

    extra: dict[str, Any] = field(default_factory=dict, name=EXTRA)
    """The members that the class does not name, as parsed JSON, by their names in the file. They
    are sent as well."""


class Unknown(Struct, frozen=True, weakref=True):
    """JSON of an unknown type, or JSON that does not fit its type."""

    raw: Any
    """The parsed JSON."""

    def _text(self, name: str) -> str | None:
        value = self.raw.get(name) if isinstance(self.raw, dict) else None
        return value if isinstance(value, str) else None


class UnknownEntry(Unknown, frozen=True):
    """An entry of an unknown type, or one that does not fit its type."""

    @property
    def type(self) -> None:
        """None, by which a type checker tells it from the entries that have a class."""

    @property
    def id(self) -> str | None:
        """The id, if the entry has one."""
        return self._text("id")

    @property
    def parent_id(self) -> str | None:
        """The id of the parent, if the entry has one."""
        return self._text("parentId")

    @property
    def timestamp(self) -> str | None:
        """The time as stored, if the entry has one."""
        return self._text("timestamp")


class UnknownMessage(Unknown, frozen=True):
    """A message of an unknown role, or one that does not fit its role."""

    @property
    def role(self) -> None:
        """None, by which a type checker tells it from the messages that have a class."""


class UnknownBlock(Unknown, frozen=True):
    """A content block of an unknown type, or one that does not fit its type."""

    @property
    def type(self) -> None:
        """None, by which a type checker tells it from the blocks that have a class."""


class Choice(type):
    """A union of classes at run time: `isinstance` accepts their instances."""

    arms: tuple[type[Any], ...]
    build: Callable[[Any], Any]
    """Build an instance of one of the classes from parsed JSON."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, cls.arms)


def tagged(name: str, tag: str, classes: dict[str, type[Any]], unknown: type[Any]) -> Choice:
    """Return a union whose class is chosen by the member `tag`.

    A value with another tag, and one that does not fit its class, is `unknown` as a whole.
    """

    def build(parsed: Any) -> Any:
        value = parsed.get(tag) if isinstance(parsed, dict) else None
        cls = classes.get(value) if isinstance(value, str) else None
        if cls is None:
            return unknown(parsed)
        try:
            return _stored(parsed, cls)
        except (msgspec.ValidationError, UnicodeEncodeError):
            # msgspec compares names as UTF-8, which cannot express lone surrogates.
            return unknown(parsed)

    arms = (*classes.values(), unknown)
    return Choice(name, (), {"arms": arms, "build": staticmethod(build)})


def untagged(name: str, *arms: type[Any]) -> Choice:
    """Return a union whose class is the first one that the value fits."""

    def build(parsed: Any) -> Any:
        for cls in arms:
            try:
                return _convert(parsed, cls)
            except msgspec.ValidationError:
                continue
        raise ValueError(f"Expected {' or '.join(cls.__name__ for cls in arms)}")

    return Choice(name, (), {"arms": arms, "build": staticmethod(build)})


def build(parsed: Any, cls: type[T]) -> T:
    """Build a class of the contract (or a list or dict of such) from parsed JSON.

    Members that the class does not name are in `extra`, if it is a `StoredObject`, and are left out
    otherwise. Raises `InvalidAnswer`.
    """
    try:
        if isinstance(cls, type) and issubclass(cls, StoredObject) and isinstance(parsed, dict):
            return cast("T", _stored(parsed, cls))
        return cast("T", _convert(parsed, cls))
    except (msgspec.ValidationError, UnicodeEncodeError) as error:
        raise InvalidAnswer(str(error)) from error


def wire_members(value: WireObject) -> Iterator[tuple[str, Any]]:
    """Yield the members that are set, by their names in the JSON; those in `extra` come last."""
    for attribute, name in zip(
        value.__struct_fields__, value.__struct_encode_fields__, strict=True
    ):
        member = getattr(value, attribute)
        if member is not UNSET and name != EXTRA:
            yield name, member
    if isinstance(value, StoredObject):
        yield from value.extra.items()


def _convert(parsed: Any, cls: Any) -> Any:
    return msgspec.convert(parsed, cls, dec_hook=_choose)


def _choose(cls: Any, parsed: Any) -> Any:
    if isinstance(cls, Choice):
        return cls.build(parsed)
    raise NotImplementedError(f"no JSON is a {cls}")


def _stored(parsed: dict[str, Any], cls: type[StoredObject]) -> StoredObject:
    names = _names(cls)
    known = {name: member for name, member in parsed.items() if name in names}
    value: StoredObject = _convert(known, cls)
    _keep_extra(value, parsed)
    return value


def _keep_extra(value: StoredObject, parsed: dict[str, Any]) -> None:
    names = _names(type(value))
    value.extra = {name: member for name, member in parsed.items() if name not in names}
    for attribute, name in _nested(type(value)):
        member = getattr(value, attribute)
        if isinstance(member, StoredObject):
            _keep_extra(member, parsed[name])


@functools.cache
def _names(cls: type[StoredObject]) -> frozenset[str]:
    return frozenset(cls.__struct_encode_fields__) - {EXTRA}


@functools.cache
def _nested(cls: type[StoredObject]) -> tuple[tuple[str, str], ...]:
    """Return the members whose class is a `StoredObject`; those of a `Choice` have theirs."""
    return tuple(
        (each.name, each.encode_name)
        for each in msgspec.structs.fields(cls)
        if any(
            isinstance(kind, type) and issubclass(kind, StoredObject)
            for kind in (get_args(each.type) or (each.type,))
        )
    )
