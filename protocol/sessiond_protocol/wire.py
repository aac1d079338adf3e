"""The decorator and the annotations for the classes of the contract.

Field names are the names on the wire. Optional members default to `UNSET`, which leaves them out of
the JSON.
"""

from __future__ import annotations

import typing
from typing import Annotated, Any, TypeAlias, TypeVar

import attrs
from msgspec import UNSET, Meta, Raw, UnsetType

SCHEMAS = "#/components/schemas/"

T = TypeVar("T")


@typing.dataclass_transform(kw_only_default=True, field_specifiers=(attrs.field,))
def wire(cls: type[T]) -> type[T]:
    """Make a class of the contract: keyword-only, with JSON members in the order of its fields."""
    # No slots, because CPython sorts them, which would sort the JSON. All classes share two methods
    # because compiling a pair for each class takes most of the import time.
    made = attrs.define(cls, kw_only=True, slots=False, eq=False, repr=False)
    made.__eq__ = _same  # type: ignore[method-assign]
    made.__repr__ = _shown  # type: ignore[method-assign]
    made.__hash__ = None  # type: ignore[assignment]
    return made


def closed(cls: type[T]) -> type[T]:
    """Refuse unknown members of this object in params, as unknown params are refused.

    For objects that the daemon interprets. Objects that it stores or passes on stay open.
    """
    cls.__closed__ = True  # type: ignore[attr-defined]
    return cls


def is_closed(value: object) -> bool:
    """Return whether a value is an object whose unknown members are refused."""
    return getattr(type(value), "__closed__", False)


def _same(self: object, other: object) -> bool:
    return vars(self) == vars(other) if type(self) is type(other) else NotImplemented


def _shown(self: object) -> str:
    given = (f"{name}={value!r}" for name, value in vars(self).items() if value is not UNSET)
    return f"{type(self).__name__}({', '.join(given)})"


def raw(component: str) -> Any:
    """Return the annotation of a raw member whose schema is the named component."""
    return Annotated[Raw, Meta(extra_json_schema={"$ref": f"{SCHEMAS}{component}"})]


def raw_or_null(component: str) -> Any:
    """Return the annotation of a raw param whose schema is the named component, or null.

    msgspec decodes no union of `Raw` and None.
    """
    either = [{"$ref": f"{SCHEMAS}{component}"}, {"type": "null"}]
    return Annotated[Raw, Meta(extra_json_schema={"anyOf": either})]


def given(value: T | UnsetType | None) -> T | None:
    """Return an optional param, `None` if it is absent or null."""
    return None if isinstance(value, UnsetType) else value


NULL_IS_A_VALUE = Meta(extra_json_schema={"x-nullMeans": "value"})
"""Marks a member with three states: absent, null and a value."""


def required_if(member: str, *values: str) -> Meta:
    """Mark an optional member that is there whenever another member has one of these values."""
    return Meta(extra_json_schema={"x-requiredIf": {member: list(values)}})


def required_unless(member: str) -> Meta:
    """Mark an optional member of params that is required unless another member is there."""
    return Meta(extra_json_schema={"x-requiredUnless": member})


def sent_by_clients(value: Any) -> Meta:
    """Mark an optional param that the typed clients send with this value if it is absent."""
    return Meta(extra_json_schema={"x-clientDefault": value})


Opaque: TypeAlias = Annotated[Raw, NULL_IS_A_VALUE]
"""Any JSON value, including null, kept byte for byte."""

Path: TypeAlias = Annotated[str, Meta(min_length=1)]
Count: TypeAlias = Annotated[int, Meta(ge=0)]
Token: TypeAlias = int | str
ChosenHandle: TypeAlias = Annotated[
    Annotated[str, Meta(min_length=1)] | UnsetType | None,
    Meta(
        description=(
            "The handle to give; one that is in use on this connection is `InvalidParams`. Absent:"
            " the daemon chooses."
        )
    ),
]
WorkDoneToken: TypeAlias = Annotated[
    Token | UnsetType | None,
    Meta(description="Token under which progress is reported; absent: no reports."),
]
