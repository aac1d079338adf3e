"""Read the OpenRPC document into the classes of `model`, once for all languages."""

from __future__ import annotations

from typing import Any

from targets.model import (
    Alias,
    AnyJson,
    Array,
    Class,
    Contract,
    Definition,
    ErrorKind,
    KnownStrings,
    Literal,
    Map,
    Member,
    Method,
    Nullable,
    OneOf,
    Primitive,
    Ref,
    Tagged,
    Tuple,
    Type,
    Unknown,
    Unreadable,
)

SCHEMAS = "#/components/schemas/"
ERRORS = "#/components/errors/"

Schema = dict[str, Any]


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
        version=document["info"]["version"].partition(".")[0],
        doc=document["info"]["description"],
        definitions=definitions,
        methods=tuple(_method(each) for each in document["methods"] if "x-sender" not in each),
        notifications=tuple(_method(each) for each in document["methods"] if "x-sender" in each),
        errors={
            name: _error(name, each, document["x-errors"][name])
            for name, each in components["errors"].items()
        },
    )


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
        minimum=next((each["minimum"] for each in _arms(schema) if "minimum" in each), None),
        required_if=schema.get("x-requiredIf"),
        required_unless=schema.get("x-requiredUnless"),
        client_default=schema.get("x-clientDefault"),
    )


def _arms(schema: Schema) -> list[Schema]:
    arms: list[Schema] = schema.get("anyOf", [schema])
    return arms


_ABOUT = {
    "title",
    "description",
    "default",
    "deprecated",
    "x-nullMeans",
    "x-requiredIf",
    "x-requiredUnless",
    "x-clientDefault",
    "minLength",
    "maxLength",
    "pattern",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
}
"""Keywords that describe a value without changing its type."""


def _type(schema: Schema) -> Type:
    rest = {key: value for key, value in schema.items() if key not in _ABOUT}
    if not rest:
        return AnyJson()
    size = schema.get("maxItems")
    if size is not None and size == schema.get("minItems"):
        return Tuple((_type(schema["items"]),) * size)
    found = _typed(rest) if "type" in rest and "enum" not in rest else _untyped(rest)
    if found is None:
        raise Unreadable(f"the model has no type for {schema}")
    return found


def _untyped(rest: Schema) -> Type | None:
    """Return the type of a schema that is a reference, values or alternatives."""
    match rest:
        case {"$ref": ref, **more} if not more:
            return Ref(_name(ref, SCHEMAS))
        case {"const": value, **more} if not more:
            return Literal((value,))
        case {"enum": values, **more} if not more.keys() - {"type"}:
            return _nullable(Literal(tuple(v for v in values if v is not None)), None in values)
        case {"anyOf": arms, **more} if not more:
            return _one_of([_type(arm) for arm in arms])
    return None


def _typed(rest: Schema) -> Type | None:
    """Return the type of a schema with the keyword `type`."""
    match rest:
        case {"x-knownValues": values, "type": "string", **more} if not more:
            return KnownStrings(tuple(values))
        case {"type": [*names], **more}:
            return _one_of([_type({"type": name, **more}) for name in names])
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
    return None


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


def _error(name: str, described: Schema, about: Schema) -> ErrorKind:
    data = about.get("data")
    members = _members(data) if data else ()
    return ErrorKind(
        name=name,
        code=described["code"],
        doc=about["description"],
        retryable=described["data"]["retryable"] if data else None,
        data=tuple(each for each in members if each.name not in ("kind", "retryable")),
    )


def _doc(schema: Schema) -> str:
    return str(schema.get("description", ""))


def _name(ref: str, prefix: str) -> str:
    if not ref.startswith(prefix):
        raise Unreadable(f"{ref} does not begin with {prefix}")
    return ref.removeprefix(prefix)
