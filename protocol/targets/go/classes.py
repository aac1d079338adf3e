"""Generate Go's structs, with tags that say how they are read and written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import attrs

from targets import model
from targets.go.names import comment, enum_name, exported, sentence
from targets.go.plain import is_plain
from targets.go.types import Types, is_text, pointer
from targets.unwritable import Unwritable


def classes(contract: model.Contract) -> Iterator[model.Class]:
    """Yield all classes, including those of the errors with data."""
    yield from (each for each in contract.definitions.values() if isinstance(each, model.Class))
    yield from errors(contract)


def errors(contract: model.Contract) -> Iterator[model.Class]:
    """Yield a class for each kind of error that has data."""
    for kind in contract.errors.values():
        if kind.data:
            doc = f"An error of the kind Kind{exported(kind.name)}, with its data, for errors.As."
            yield model.Class(f"{kind.name}Error", doc, kind.data)


def tags(cls: model.Class, contract: model.Contract) -> dict[str, str]:
    """Return the tag members of the class, with their values."""
    return {
        each.member: tag
        for each in contract.definitions.values()
        if isinstance(each, model.Tagged)
        for tag, name in each.classes.items()
        if name == cls.name
    }


def enums(all_classes: Iterable[model.Class], contract: model.Contract) -> Iterator[str]:
    """Declare types for strings with known values; tags are not members in Go."""
    seen: dict[str, tuple[object, ...]] = {}
    for cls in all_classes:
        told_by = tags(cls, contract)
        for member in cls.members:
            kind = model.AnyJson() if member.name in told_by else member.type
            while isinstance(kind, model.Array):
                kind = kind.item
            if not isinstance(kind, model.Literal | model.KnownStrings) or not is_text(kind.values):
                continue
            name = enum_name(cls.name, member.name)
            if name not in seen:
                yield from _enum(name, kind)
            if seen.setdefault(name, kind.values) != kind.values:
                raise Unwritable(f"clients/go: {name} would be two types; rename a class")


def _enum(name: str, kind: model.Literal | model.KnownStrings) -> Iterator[str]:
    more = " Later versions may add to them." if isinstance(kind, model.KnownStrings) else ""
    constants = {f"{name}{exported(str(value))}": value for value in kind.values}
    width = max(map(len, constants))
    yield from comment(f"{name} is one of the constants below.{more}")
    yield f"type {name} string\n"
    yield f"// Values of {name}."
    yield "const ("
    yield from (f'\t{each:<{width}} {name} = "{constants[each]}"' for each in sorted(constants))
    yield ")\n"


def struct(
    cls: model.Class,
    types: Types,
    embedded: str,
    hidden: dict[str, str],
    sent: frozenset[str],
) -> Iterator[str]:
    """Declare a class; `hidden` are the members that are no fields, `sent` as in `is_plain`."""
    name = exported(cls.name)
    fields = _fields(cls, types, hidden, sent)
    yield from comment(sentence(name, cls.doc))
    yield f"type {name} struct {{"
    if embedded:
        tag = "".join(f' `sessiond:"{member}={value}"`' for member, value in hidden.items())
        yield f"\t{embedded}{tag}"
    if embedded and fields and not fields[0].doc:
        yield ""
    yield from _aligned(fields)
    yield "}\n"


def needs_own_json(
    cls: model.Class, types: Types, hidden: dict[str, str], sent: frozenset[str]
) -> bool:
    """Whether encoding/json alone would read or write the class in another way."""
    kinds = {each.type.removeprefix("[]") for each in _fields(cls, types, hidden, sent)}
    return (
        bool(hidden)
        or exported(cls.name) in types.arms_that_are_classes()
        or any(each.startswith("Optional[") or types.is_union(each) for each in kinds)
    )


def own_json(cls: model.Class) -> Iterator[str]:
    """Define the methods that encoding/json calls."""
    name = exported(cls.name)
    yield "// MarshalJSON writes the members as the contract describes them."
    yield f"func (v {name}) MarshalJSON() ([]byte, error) {{"
    yield "\treturn encode(v)"
    yield "}\n"
    yield "// UnmarshalJSON reads the members as the contract describes them."
    yield f"func (v *{name}) UnmarshalJSON(text []byte) error {{"
    yield "\treturn readMembers(text, v)"
    yield "}\n"


def _fields(
    cls: model.Class, types: Types, hidden: dict[str, str], sent: frozenset[str]
) -> list[_Field]:
    members = (each for each in cls.members if each.name not in hidden)
    return [_field(each, cls.name, types, sent) for each in members]


@attrs.frozen
class _Field:
    """A member of a struct."""

    name: str
    doc: str
    type: str
    tag: str


def _aligned(fields: list[_Field]) -> Iterator[str]:
    """Write fields as gofmt does: it aligns those that no comment separates."""
    blocks: list[list[_Field]] = []
    for each in fields:
        if each.doc or not blocks:
            blocks.append([])
        blocks[-1].append(each)
    for block in blocks:
        yield from comment(block[0].doc, "\t")
        name = max(len(each.name) for each in block)
        kind = max(len(each.type) for each in block)
        for each in block:
            yield f"\t{each.name:<{name}} {each.type:<{kind}} `{each.tag}`"


def _field(member: model.Member, cls: str, types: Types, sent: frozenset[str]) -> _Field:
    name = exported(member.name)
    go = types.of(member.type, enum_name(cls, member.name))
    doc, tag = member.doc, f'json:"{member.name}"'
    any_json = isinstance(member.type, model.AnyJson)
    if member.required:
        if member.nullable and not any_json:
            tag += ' sessiond:"nullable"' * go.nil
            go = pointer(go)
        return _Field(name, doc, go.name, tag)
    tag = f'json:"{member.name},omitempty"'
    null_is_absent = member.null_means != "value" and (member.nullable or bool(member.null_means))
    if any_json:
        doc = f"{doc} nil: absent.".strip()
    elif member.nullable and not null_is_absent:
        go = attrs.evolve(go, name=f"Optional[{go.name}]")
    elif not is_plain(member, cls, sent):
        go = pointer(go)
    return _Field(name, doc, go.name, tag)
