"""Generate Go's structs, with tags that say how they are read and written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import attrs

from targets import model
from targets.go.names import comment, enum_name, exported, sentence
from targets.go.plain import is_plain
from targets.go.types import Types, is_text, pointer
from targets.unwritable import Unwritable

_ONE_LINE = 30
"""The longest name with which gofmt keeps the functions for JSON in one line each."""


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
    hidden: Iterable[str],
    sent: frozenset[str],
) -> Iterator[str]:
    """Declare a class; `hidden` are the members that are no fields, `sent` as in `is_plain`."""
    name = exported(cls.name)
    members = [each for each in cls.members if each.name not in hidden]
    fields = [_field(each, cls.name, types, sent) for each in members]
    yield from comment(sentence(name, cls.doc))
    yield f"type {name} struct {{"
    if embedded:
        yield f"\t{embedded}"
    if embedded and fields and not fields[0].doc:
        yield ""
    yield from _aligned(fields)
    yield "}\n"
    yield from _json(name)


def _json(name: str) -> Iterator[str]:
    """Define the methods that encoding/json calls."""
    marshal = f"func (v {name}) MarshalJSON() ([]byte, error)"
    unmarshal = f"func (v *{name}) UnmarshalJSON(data []byte) error"
    if len(name) <= _ONE_LINE:
        yield f"{marshal:<{len(unmarshal)}} {{ return marshal(v) }}"
        yield f"{unmarshal} {{ return unmarshal(data, v) }}\n"
    else:
        yield f"{marshal} {{ return marshal(v) }}"
        yield f"{unmarshal} {{"
        yield "\treturn unmarshal(data, v)"
        yield "}\n"


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
    null_is_absent = member.null_means != "value" and (member.nullable or bool(member.null_means))
    nullable = False
    if member.required:
        nullable = member.nullable and not any_json
        go = pointer(go) if nullable else go
    else:
        tag = f'json:"{member.name},omitempty"'
        if any_json:
            doc = f"{doc} nil: absent.".strip()
        elif member.nullable and not null_is_absent:
            go = attrs.evolve(go, name=f"Optional[{go.name}]")
        elif is_plain(member, cls, sent):
            nullable = True
        else:
            go, nullable = pointer(go), null_is_absent
    return _Field(name, doc, go.name, tag + ' sessiond:"nullable"' * nullable)
