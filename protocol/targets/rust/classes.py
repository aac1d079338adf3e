"""Generate the Rust client's structs: params with builders, results, entries and messages."""

from __future__ import annotations

import json
from collections.abc import Iterator

import attrs

from targets.model import AnyJson, Class, Member, Tagged
from targets.rust.names import doc, snake
from targets.rust.types import Types


@attrs.frozen
class Field:
    """A member as a field of a struct."""

    member: Member
    name: str
    type: str
    doc: str

    @property
    def optional(self) -> bool:
        return not self.member.required


def fields(types: Types, class_: Class) -> list[Field]:
    """Return the public fields: no tags, and in params no handles."""
    tag = _tag(types, class_)
    handle = "session" if class_.name in types.params else None
    return [
        _field(types, class_, each)
        for each in class_.members
        if each is not tag and not (each.name == handle and each.required)
    ]


def _field(types: Types, class_: Class, member: Member) -> Field:
    rust = types.rust(member.type, f"{class_.name}.{member.name}")
    match member:
        case Member(type=AnyJson()):
            rust = rust if member.required else f"Option<{rust}>"
        case Member(required=False, nullable=True):
            rust = f"Nullable<{rust}>"
        case Member(required=False) | Member(nullable=True):
            rust = f"Option<{rust}>"
    text = member.doc or f"`{member.name}`."
    return Field(member, snake(member.name), rust, text)


def _tag(types: Types, class_: Class) -> Member | None:
    for each in types.contract.definitions.values():
        if isinstance(each, Tagged) and class_.name in each.classes.values():
            return class_.member(each.member)
    return None


def struct(types: Types, class_: Class) -> Iterator[str]:
    members = fields(types, class_)
    if class_.name in types.params and not members:
        return
    tag = _tag(types, class_)
    sent = class_.name in types.params
    default = all(each.optional for each in members) and (sent or class_.name in types.stored)
    derived = ["Clone", "Debug", *(["Default"] if default else []), "PartialEq", "Serialize"]
    derived += [] if sent else ["Deserialize"]
    yield ""
    yield from doc(class_.doc or f"`{class_.name}`.")
    yield f"#[derive({', '.join(derived)})]"
    if tag is not None:
        yield f'#[serde(tag = "{tag.name}", rename = "{tag.constant}")]'
    if class_.name not in types.stored:
        yield "#[non_exhaustive]"
    yield f"pub struct {class_.name} {{"
    for each in members:
        yield from doc(each.doc, "    ")
        yield from _serde(types, class_, each)
        yield f"    pub {each.name}: {each.type},"
    yield "}"
    constructed = sent or class_.name in types.returned
    if constructed or (class_.name in types.stored and not default):
        yield from _builder(types, class_, members)


def _serde(types: Types, class_: Class, field: Field) -> Iterator[str]:
    attributes = []
    if field.name != field.member.name:
        attributes.append(f'rename = "{field.member.name}"')
    if field.optional:
        attributes.append("default") if class_.name not in types.params else None
        absent = "Nullable" if field.type.startswith("Nullable") else "Option"
        test = "is_absent" if absent == "Nullable" else "is_none"
        attributes.append(f'skip_serializing_if = "{absent}::{test}"')
    if field.type in {"f64", "Option<f64>", "Nullable<f64>"}:
        attributes.append('serialize_with = "finite::finite"')
    if class_.name not in types.params:
        if field.type == "Option<Raw>":
            attributes.append('deserialize_with = "nullable::present"')
        elif not field.optional and field.type.startswith("Option<"):
            # serde reads an absent member as None unless it is read by a function.
            attributes.append('deserialize_with = "Option::deserialize"')
    if attributes:
        yield f"    #[serde({', '.join(attributes)})]"


def _builder(types: Types, class_: Class, fields: list[Field]) -> Iterator[str]:
    required = [each for each in fields if each.member.leads]
    yield ""
    yield f"impl {class_.name} {{"
    taken = ", ".join(f"{each.name}: {_taken(_inner(each))}" for each in required)
    what = "params with the required members" if required else "empty params"
    yield f"    /// Creates {what}."
    if not required:
        yield "    #[must_use]"
    yield f"    pub fn new({taken}) -> Self {{"
    if not required:
        yield "        Self::default()"
    else:
        yield "        Self {"
        for each in fields:
            given = _initial(each)
            yield f"            {each.name}{'' if given == each.name else f': {given}'},"
        yield "        }"
    yield "    }"
    optional = [each for each in fields if each.optional]
    if optional:
        yield ""
        yield "    setters! {"
        for each in optional:
            yield from _setter(each)
        yield "    }"
    yield "}"
    if len(required) == 1:
        yield from _from(types, class_, required[0])


def _initial(field: Field) -> str:
    """Return the value of a field in new params."""
    if field.member.leads:
        given = _given(field.name, _inner(field))
        return f"Some({given})" if field.optional else given
    default = field.member.client_default
    return "Default::default()" if default is None else f"Some({json.dumps(default)})"


def _inner(field: Field) -> str:
    """Return the type of a field, or what is in it if it is optional."""
    return field.type.removeprefix("Option<").removesuffix(">") if field.optional else field.type


def _setter(field: Field) -> Iterator[str]:
    inner = _inner(field)
    whole = field.type.startswith("Nullable")
    taken = f"impl Into<{field.type}>" if whole else _taken(inner)
    given = f"{field.name}.into()" if whole else f"Some({_given(field.name, inner)})"
    yield from doc(field.doc, "        ")
    yield f"        {field.name}: {taken} = {given};"


def _from(types: Types, class_: Class, field: Field) -> Iterator[str]:
    """Implement conversions from the only required param to the params."""
    if _inner(field) == "String":
        sources = ["&str", "&String", "String"]
    elif field.type.startswith("Json<"):
        inner = field.type.removeprefix("Json<").removesuffix(">")
        definition = types.contract.definition(inner)
        arms = definition.classes.values() if isinstance(definition, Tagged) else ()
        sources = [field.type, inner, *arms]
    else:
        sources = [field.type]
    for source in sources:
        yield ""
        yield f"impl From<{source}> for {class_.name} {{"
        yield f"    fn from({field.name}: {source}) -> Self {{"
        yield f"        Self::new({field.name})"
        yield "    }"
        yield "}"


def _taken(rust: str) -> str:
    """Return the type of an argument for a field."""
    plain = rust in {"i64", "f64", "bool"} or rust.startswith("Vec<")
    return rust if plain else f"impl Into<{rust}>"


def _given(name: str, rust: str) -> str:
    return name if _taken(rust) == rust else f"{name}.into()"
