"""What every class of the contract is made of.

Wire names are field names. Optional members default to `UNSET` and are then left out of JSON. A
member that travels as the exact JSON it was stored or sent as is `msgspec.Raw` to the daemon; the
aliases below also name the component it has in the OpenRPC document, by which `convert` builds the
typed value for a client. Decoders see only the raw side, so the typed classes are not imported.
"""

from __future__ import annotations

import typing
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypeVar

import attrs
from msgspec import UNSET, Meta, Raw, UnsetType

if TYPE_CHECKING:
    from sessiond_protocol.content import Content, Usage
    from sessiond_protocol.entries import Entry, Header, Replacement
    from sessiond_protocol.messages import Message

SCHEMAS = "#/components/schemas/"

T = TypeVar("T")


@typing.dataclass_transform(kw_only_default=True, field_specifiers=(attrs.field,))
def wire(cls: type[T]) -> type[T]:
    """Make a class of the contract: keyword-only, JSON members in the order of its fields."""
    # With slots CPython would sort the names, and so would the JSON be. The two methods are shared
    # because compiling a pair for each class takes longer than everything else in importing them.
    made = attrs.define(cls, kw_only=True, slots=False, eq=False, repr=False)
    made.__eq__ = _same  # type: ignore[method-assign]
    made.__repr__ = _shown  # type: ignore[method-assign]
    made.__hash__ = None  # type: ignore[assignment]
    return made


def _same(self: object, other: object) -> bool:
    return vars(self) == vars(other) if type(self) is type(other) else NotImplemented


def _shown(self: object) -> str:
    given = (f"{name}={value!r}" for name, value in vars(self).items() if value is not UNSET)
    return f"{type(self).__name__}({', '.join(given)})"


def raw(component: str) -> Any:
    """Return the annotation of a raw member whose schema is the named component."""
    return Annotated[Raw, Meta(extra_json_schema={"$ref": f"{SCHEMAS}{component}"})]


def given(value: T | UnsetType | None) -> T | None:
    """Return an optional param, `None` where it is absent; null means absent, too."""
    return None if isinstance(value, UnsetType) else value


NULL_IS_A_VALUE = Meta(extra_json_schema={"x-nullMeans": "value"})
"""Marks a member with three states: absent, null and a value."""

Opaque: TypeAlias = Annotated[Raw, NULL_IS_A_VALUE]
"""Any JSON value, kept byte for byte; null is one."""

Path: TypeAlias = Annotated[str, Meta(min_length=1)]
Count: TypeAlias = Annotated[int, Meta(ge=0)]
Token: TypeAlias = int | str

if TYPE_CHECKING:
    HeaderJson: TypeAlias = Header | Raw
    EntryJson: TypeAlias = Entry | Raw
    MessageJson: TypeAlias = Message | Raw
    ContentJson: TypeAlias = Content | Raw
    UsageJson: TypeAlias = Usage | Raw
    ReplacementJson: TypeAlias = Replacement | Raw
    EntriesJson: TypeAlias = list[Entry] | list[Raw] | Raw
    MessagesJson: TypeAlias = list[Message] | list[Raw] | Raw
else:
    HeaderJson = raw("Header")
    EntryJson = raw("Entry")
    MessageJson = raw("Message")
    ContentJson = raw("Content")
    UsageJson = raw("Usage")
    ReplacementJson = raw("Replacement")
    EntriesJson = list[EntryJson]
    MessagesJson = list[MessageJson]
