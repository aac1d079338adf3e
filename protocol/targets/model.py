"""The OpenRPC document, read once for all languages.

Types are small trees: `Primitive`, `AnyJson`, `Literal`, `KnownStrings`, `Array`, `Tuple`, `Map`,
`Ref`, `Nullable` and `OneOf`. Definitions are named: `Class`, `Tagged`, `Unknown` and `Alias`. What
the document says in a way not known here raises `Unreadable`, so that nothing is passed over.
"""

from __future__ import annotations

import re
from typing import Any, TypeAlias
from typing import Literal as OneOfThese

import attrs

SCHEMAS = "#/components/schemas/"
ERRORS = "#/components/errors/"

Schema = dict[str, Any]


class Unreadable(Exception):
    """The document holds something that this reading does not know; the message shows it."""


@attrs.frozen
class Primitive:
    """A JSON type; `null` only where nothing else is possible."""

    name: OneOfThese["string", "integer", "number", "boolean", "null"]


@attrs.frozen
class AnyJson:
    """Any JSON value, null included."""


@attrs.frozen
class Literal:
    """One of these strings (or numbers); there will be no others within this version."""

    values: tuple[str | int | bool, ...]


@attrs.frozen
class KnownStrings:
    """A string; these are known, later versions may add to them."""

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
    """One of several types, told apart by their JSON; none of them is null."""

    arms: tuple[Type, ...]


Type: TypeAlias = (
    Primitive | AnyJson | Literal | KnownStrings | Array | Tuple | Map | Ref | Nullable | OneOf
)


@attrs.frozen
class Member:
    """A member of a class.

    `type` is without null: whether null is a value of its own says `nullable`. Optional and
    nullable together make three states. `null_means` is what the document says of it, as
    `x-nullMeans`; with `absent` null need never be sent and is not `nullable`.
    """

    name: str
    type: Type
    required: bool
    nullable: bool
    null_means: OneOfThese["value", "absent"] | None
    doc: str
    default: Any = None

    @property
    def three_states(self) -> bool:
        return self.nullable and not self.required

    @property
    def constant(self) -> str | None:
        """The one value the member can have, such as a tag."""
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


@attrs.frozen
class Tagged:
    """One of several classes, told apart by a member; anything else belongs into `unknown`."""

    name: str
    doc: str
    member: str
    classes: dict[str, str]
    """Tag → name of the class, in the order of the document."""
    unknown: str


@attrs.frozen
class Unknown:
    """The arm of a tagged union for what is not known or does not fit: the JSON as it came."""

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
    """`data` are the members of `error.data` beside `kind` and `retryable`.

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
    """Whether it may be sent again, unchanged, when the daemon ended before it answered."""

    @property
    def is_notification(self) -> bool:
        return self.result is None

    def takes(self, member: str) -> bool:
        return any(each.name == member for each in self.members)

    @property
    def appends(self) -> bool:
        """Whether an id chosen by the client makes sending it again safe."""
        return self.takes("newEntryId")

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the name in lower case: `session`, `get`, `leaf`, `id`."""
        return words(self.name)


@attrs.frozen
class Contract:
    """All of the document. Definitions are in the order of their names."""

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
        found = self.definitions[method.params]
        if not isinstance(found, Class):
            raise Unreadable(f"the params of {method.name} are no class")
        return found


def read(document: Schema) -> Contract:
    """Read the document. Raises `Unreadable`."""
    components = document["components"]
    unknown = {
        _name(schema["x-tagged"]["unknown"], SCHEMAS)
        for schema in components["schemas"].values()
        if "x-tagged" in schema
    }
    definitions = {
        name: Unknown(name, _doc(schema)) if name in unknown else _definition(name, schema)
        for name, schema in components["schemas"].items()
    }
    return Contract(
        version=document["info"]["version"],
        doc=document["info"]["description"],
        definitions=definitions,
        methods=tuple(_method(each) for each in document["methods"]),
        notifications=tuple(_method(each) for each in document["x-notifications"]),
        errors={name: _error(name, each) for name, each in components["errors"].items()},
    )


def words(name: str) -> tuple[str, ...]:
    """Split a wire name into lower-case words, at capitals and at what is no letter or digit."""
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", name)
    return tuple(part.lower() for part in parts)


def _definition(name: str, schema: Schema) -> Definition:
    doc = _doc(schema)
    if "x-tagged" in schema:
        tagged = schema["x-tagged"]
        classes = {tag: _name(ref, SCHEMAS) for tag, ref in tagged["classes"].items()}
        return Tagged(name, doc, tagged["member"], classes, _name(tagged["unknown"], SCHEMAS))
    if "properties" in schema:
        return Class(name, doc, _members(schema))
    return Alias(name, doc, _type(schema))


def _members(schema: Schema) -> tuple[Member, ...]:
    required = schema.get("required", ())
    return tuple(
        _member(name, each, required=name in required)
        for name, each in schema["properties"].items()
    )


def _member(name: str, schema: Schema, *, required: bool) -> Member:
    found = _type(schema)
    null_means = schema.get("x-nullMeans")
    nullable = isinstance(found, Nullable | AnyJson) and null_means != "absent"
    return Member(
        name=name,
        type=found.inner if isinstance(found, Nullable) else found,
        required=required,
        nullable=nullable,
        null_means=null_means,
        doc=_doc(schema),
        default=schema.get("default"),
    )


_ABOUT = {
    "title",
    "description",
    "default",
    "deprecated",
    "x-nullMeans",
    "minLength",
    "maxLength",
    "pattern",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
}
"""Keywords that say something about a value without changing its type."""


def _type(schema: Schema) -> Type:
    rest = {key: value for key, value in schema.items() if key not in _ABOUT}
    match rest:
        case {} if not rest:
            return AnyJson()
        case {"$ref": ref, **more} if not more:
            return Ref(_name(ref, SCHEMAS))
        case {"const": value, **more} if not more:
            return Literal((value,))
        case {"enum": values, **more} if not more.keys() - {"type"}:
            return _nullable(Literal(tuple(v for v in values if v is not None)), None in values)
        case {"x-knownValues": values, "type": "string", **more} if not more:
            return KnownStrings(tuple(values))
        case {"anyOf": arms, **more} if not more:
            return _one_of([_type(arm) for arm in arms])
        case {"type": [*names], **more}:
            return _one_of([_type({"type": name, **more}) for name in names])
        case {"type": "array", "prefixItems": items, **more} if not more.keys() - {"items"}:
            return Tuple(tuple(_type(item) for item in items))
        case {"type": "array", **more} if not more.keys() - {"items"}:
            return Array(_type(more.get("items", {})))
        case {"type": "object", **more} if not more.keys() - {"additionalProperties"}:
            value = more.get("additionalProperties", {})
            return Map(_type({} if value is True else value))
        case {
            "type": ("string" | "integer" | "number" | "boolean" | "null") as name,
            **more,
        } if not more:
            return Primitive(name)
    raise Unreadable(f"no type is known for {schema}")


def _one_of(arms: list[Type]) -> Type:
    null = Primitive("null")
    rest = tuple(arm for arm in arms if arm != null)
    if not rest:
        return null
    return _nullable(rest[0] if len(rest) == 1 else OneOf(rest), null in arms)


def _nullable(inner: Type, null: bool) -> Type:
    return Nullable(inner) if null else inner


def _method(described: Schema) -> Method:
    params = described.get("x-params")
    return Method(
        name=described["name"],
        doc=described["summary"],
        params=_name(params["$ref"], SCHEMAS) if params else None,
        result=_type(described["result"]["schema"]) if "result" in described else None,
        errors=tuple(_name(each["$ref"], ERRORS) for each in described.get("errors", ())),
        members=tuple(
            _member(
                each["name"],
                {"description": each.get("description", ""), **each["schema"]},
                required=each["required"],
            )
            for each in described["params"]
        ),
        repeatable=described.get("x-repeatable", False),
    )


def _error(name: str, described: Schema) -> ErrorKind:
    data = described.get("x-data")
    members = _members(data) if data else ()
    return ErrorKind(
        name=name,
        code=described["code"],
        doc=described["x-description"],
        retryable=described["data"]["retryable"] if data else None,
        data=tuple(each for each in members if each.name not in ("kind", "retryable")),
    )


def _doc(schema: Schema) -> str:
    return str(schema.get("description", ""))


def _name(ref: str, prefix: str) -> str:
    if not ref.startswith(prefix):
        raise Unreadable(f"{ref} does not begin with {prefix}")
    return ref.removeprefix(prefix)
