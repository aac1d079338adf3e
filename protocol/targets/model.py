"""The contract as values for the generators of all languages; `reading` builds them.

Types are small trees: a `Scalar`, a `Ref`, or a `Composite` of other types. Definitions have names:
`Class`, `Tagged`, `Unknown` and `Alias`. A part of the document that these cannot express raises
`Unreadable`, so that nothing is skipped.
"""

from __future__ import annotations

import re
from typing import Any, TypeAlias
from typing import Literal as OneOfThese

import attrs


class Unreadable(Exception):
    """The document has a part that the model cannot express; the message shows it."""


@attrs.frozen
class Primitive:
    """A JSON type; `null` only if no other value is possible."""

    name: OneOfThese["string", "integer", "number", "boolean", "null"]


@attrs.frozen
class AnyJson:
    """Any JSON value, null included."""


@attrs.frozen
class Literal:
    """One of these strings (or numbers); only params and tags are so narrow."""

    values: tuple[str | int | bool, ...]


@attrs.frozen
class KnownStrings:
    """A string with known values; later versions may add values."""

    values: tuple[str, ...]


@attrs.frozen
class Array:
    item: Type


@attrs.frozen
class Tuple:
    """An array of fixed length."""

    items: tuple[Type, ...]


@attrs.frozen
class Map:
    """An object with any member names."""

    value: Type


@attrs.frozen
class Ref:
    """A definition, by its name."""

    name: str


@attrs.frozen
class Nullable:
    """The inner type, or null."""

    inner: Type


@attrs.frozen
class OneOf:
    """One of several types with different JSON; none of them is null."""

    arms: tuple[Type, ...]


Scalar: TypeAlias = Primitive | AnyJson | Literal | KnownStrings
Composite: TypeAlias = Array | Tuple | Map | Nullable | OneOf
"""Types made of other types."""
Type: TypeAlias = Scalar | Ref | Composite


@attrs.frozen
class Member:
    """A member of a class.

    `type` does not include null; `nullable` says whether null is a value. An optional and nullable
    member has three states. `null_means` is `x-nullMeans` of the document; with `absent`, null need
    never be sent and the member is not `nullable`.
    """

    name: str
    type: Type
    required: bool
    nullable: bool
    null_means: OneOfThese["value", "absent"] | None
    doc: str
    default: Any = None
    minimum: int | None = None
    required_if: dict[str, list[str]] | None = None
    """Another member, and the values with which this one is there."""
    required_unless: str | None = None
    """Another member; this one is required unless that is there."""
    client_default: Any = None
    """The value that clients send if their user gives none; None: they leave it out."""

    @property
    def leads(self) -> bool:
        """Whether the member is usually given, and so may be the only one."""
        return self.required or self.required_unless is not None

    @property
    def constant(self) -> str | None:
        """The only possible value of the member, such as a tag; None: it has several."""
        if isinstance(self.type, Literal) and len(self.type.values) == 1:
            return str(self.type.values[0])
        return None


@attrs.frozen
class Class:
    name: str
    doc: str
    members: tuple[Member, ...]

    def member(self, name: str) -> Member | None:
        return next((each for each in self.members if each.name == name), None)

    @property
    def forms(self) -> tuple[Class, ...]:
        """The class, or those that it is by a tag: with a member, without it, and of unknown tag.

        The tag of the last one is a `KnownStrings` without values.
        """
        depending = next((each for each in self.members if each.required_if), None)
        if depending is None or depending.required_if is None:
            return (self,)
        ((name, values),) = depending.required_if.items()
        tag = self.member(name)
        if tag is None or not isinstance(tag.type, KnownStrings):
            raise Unreadable(f"{self.name}.{depending.name} depends on no tag")
        with_it = tuple(each for each in tag.type.values if each in values)
        others = tuple(each for each in tag.type.values if each not in values)
        suffix = depending.name[0].upper() + depending.name[1:]
        return (
            self._form(
                f"{self.name}With{suffix}",
                attrs.evolve(tag, type=Literal(with_it)),
                attrs.evolve(depending, required=True),
            ),
            self._form(f"{self.name}Other", attrs.evolve(tag, type=Literal(others))),
            self._form(f"{self.name}Unknown", attrs.evolve(tag, type=KnownStrings(()))),
        )

    def _form(self, name: str, *changed: Member) -> Class:
        by_name = {each.name: each for each in changed}
        members = tuple(by_name.get(each.name, each) for each in self.members)
        return Class(name, self.doc, members)


@attrs.frozen
class Tagged:
    """One of several classes, selected by the value of a member; other values are `unknown`."""

    name: str
    doc: str
    member: str
    classes: dict[str, str]
    """Tag → name of the class, in the order of the document."""
    unknown: str


@attrs.frozen
class Unknown:
    """The arm of a tagged union for unknown tags and misfits: the JSON value, unchanged."""

    name: str
    doc: str


@attrs.frozen
class Alias:
    """A name for a type."""

    name: str
    doc: str
    type: Type


Definition: TypeAlias = Class | Tagged | Unknown | Alias


@attrs.frozen
class ErrorKind:
    """`data` are the members of `error.data` other than `kind` and `retryable`.

    Errors of JSON-RPC itself have `retryable` None and no data.
    """

    name: str
    code: int
    doc: str
    retryable: bool | None
    data: tuple[Member, ...]


@attrs.frozen
class Method:
    """A method (client → daemon) or a notification, of either side.

    `result` is None for notifications, and `Primitive("null")` where the answer is null.
    """

    name: str
    doc: str
    params: str | None
    result: Type | None
    errors: tuple[str, ...]
    members: tuple[Member, ...]
    """The members of the params class; those that are required come first."""
    repeatable: bool
    """Whether it may be sent again, unchanged, if the daemon ended before it answered."""

    @property
    def is_notification(self) -> bool:
        return self.result is None

    def takes(self, member: str) -> bool:
        return any(each.name == member for each in self.members)

    def needs(self, member: str) -> bool:
        return any(each.name == member and each.required for each in self.members)

    @property
    def opens(self) -> bool:
        """Whether the method opens a session, and takes the handle that the session gets."""
        return self.result == Ref("SessionState") and not self.needs("session")

    @property
    def subscribes(self) -> bool:
        """Whether the method begins a subscription, and takes the name that it gets."""
        return self.takes("subscription") and not self.needs("subscription")

    @property
    def handle(self) -> str | None:
        """The member with the handle that what it opens gets, if it opens anything."""
        return "session" if self.opens else "subscription" if self.subscribes else None

    @property
    def of_session(self) -> bool:
        """Whether the method takes the handle of an open session."""
        return self.takes("session") and not self.opens

    @property
    def appends(self) -> bool:
        """Whether an id chosen by the client makes a retry safe."""
        return self.takes("newEntryId")

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the name in lower case: `session`, `get`, `leaf`, `id`."""
        return words(self.name)


@attrs.frozen
class Contract:
    """The whole document. Definitions are in the order of their names."""

    version: str
    doc: str
    definitions: dict[str, Definition]
    methods: tuple[Method, ...]
    """Client → daemon, notifications (`initialized`, `exit`, `$/cancelRequest`) included."""
    notifications: tuple[Method, ...]
    """Daemon → client."""
    errors: dict[str, ErrorKind]

    @property
    def requests(self) -> tuple[Method, ...]:
        return tuple(each for each in self.methods if not each.is_notification)

    def definition(self, name: str) -> Definition:
        return self.definitions[name]

    def params(self, method: Method) -> Class | None:
        if method.params is None:
            return None
        definition = self.definitions[method.params]
        if not isinstance(definition, Class):
            raise Unreadable(f"the params of {method.name} are not a class")
        return definition


def words(name: str) -> tuple[str, ...]:
    """Split a wire name into lower-case words, at capitals and at other separators."""
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", name)
    return tuple(part.lower() for part in parts)
