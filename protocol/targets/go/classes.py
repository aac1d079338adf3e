"""Generate Go's structs, and the functions that read and write them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import attrs

from targets import model
from targets.go.names import comment, enum_name, exported, sentence
from targets.go.types import Types, is_text, nullable, pointer
from targets.unwritable import Unwritable

_TAG_BIT = 63


def classes(contract: model.Contract) -> Iterator[model.Class]:
    """Yield all classes, including those of the errors' data."""
    yield from (each for each in contract.definitions.values() if isinstance(each, model.Class))
    for kind in contract.errors.values():
        if kind.data:
            doc = f"The data of an error of Kind{exported(kind.name)}, for json.Unmarshal."
            yield model.Class(f"{kind.name}Data", doc, kind.data)


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


def struct(cls: model.Class, types: Types, told_by: dict[str, str]) -> Iterator[str]:
    """Declare a class with its reader and writer."""
    name = exported(cls.name)
    fields = [_field(each, cls.name, types) for each in cls.members if each.name not in told_by]
    yield from comment(sentence(name, cls.doc))
    yield f"type {name} struct {{"
    if told_by:
        yield "\ttext json.RawMessage"
    for i, field in enumerate(fields):
        if i or told_by:
            yield ""
        yield from comment(field.doc, "\t")
        yield f"\t{field.name} {field.type}"
    yield "}\n"
    yield from _reader(name, fields, told_by)
    yield from _writer(name, fields, told_by)
    yield "// MarshalJSON returns the JSON that is sent."
    yield f"func (v {name}) MarshalJSON() ([]byte, error) {{"
    yield f"\treturn marshal(write{name}, v)"
    yield "}\n"
    yield "// UnmarshalJSON reads JSON; it fails if a member does not fit."
    yield f"func (v *{name}) UnmarshalJSON(data []byte) error {{"
    yield f"\treturn unmarshal(data, read{name}, v)"
    yield "}\n"


def _reader(name: str, fields: list[_Field], told_by: dict[str, str]) -> Iterator[str]:
    required = {field.wire: bit for bit, field in enumerate(fields) if field.required}
    required |= dict.fromkeys(told_by, _TAG_BIT)
    yield f"func read{name}(r *reader) (v {name}) {{"
    if required:
        yield "\tvar seen uint64"
    yield "\tfor r.open('{'); r.next('}'); {"
    yield "\t\tswitch r.name() {"
    for member, value in told_by.items():
        yield f'\t\tcase "{member}":'
        yield f'\t\t\tr.tag("{value}")'
        yield f"\t\t\tseen |= 1 << {_TAG_BIT}"
    for field in fields:
        yield f'\t\tcase "{field.wire}":'
        yield f"\t\t\tv.{field.name} = {field.read}(r)"
        if field.required:
            yield f"\t\t\tseen |= 1 << {required[field.wire]}"
    yield "\t\tdefault:"
    yield "\t\t\tr.skip()"
    yield "\t\t}"
    yield "\t}"
    yield from (f'\tr.need(seen, {bit}, "{member}")' for member, bit in required.items())
    yield "\treturn v"
    yield "}\n"


def _writer(name: str, fields: list[_Field], told_by: dict[str, str]) -> Iterator[str]:
    unused = "" if fields else "_"
    yield f"func write{name}(w *writer, {unused or 'v'} {name}) {{"
    yield "\tw.open('{')"
    for member, value in told_by.items():
        yield f'\tw.key("{member}")'
        yield f'\tw.str("{value}")'
    for field in fields:
        tab = "\t\t" if field.present else "\t"
        if field.present:
            yield f"\tif {field.present} {{"
        yield f'{tab}w.key("{field.wire}")'
        yield f"{tab}{field.write}(w, v.{field.name})"
        if field.present:
            yield "\t}"
    yield "\tw.close('}')"
    yield "}\n"


@attrs.frozen
class _Field:
    """A member of a struct; `present` is the condition under which it is written."""

    wire: str
    name: str
    required: bool
    doc: str
    type: str
    read: str
    write: str
    present: str


def _field(member: model.Member, cls: str, types: Types) -> _Field:
    name = exported(member.name)
    go = types.of(member.type, enum_name(cls, member.name))
    doc, present = member.doc, f"v.{name} != nil"
    any_json = isinstance(member.type, model.AnyJson)
    null_is_absent = member.null_means != "value" and (member.nullable or bool(member.null_means))
    if member.required:
        present = ""
        if member.nullable and not any_json:
            go = nullable(go)
    elif any_json:
        doc = f"{doc} nil: absent.".strip()
    elif member.nullable and not null_is_absent:
        read, write = f"optionalReader({go.read})", f"optionalWriter({go.write})"
        go = attrs.evolve(go, name=f"Optional[{go.name}]", read=read, write=write)
        present = f"!v.{name}.IsAbsent()"
    elif go.name == "bool" and member.default is False:
        go, present = attrs.evolve(go, read=f"orNull({go.read})"), f"v.{name}"
    elif not go.nil:
        go = nullable(go) if null_is_absent else pointer(go)
    elif null_is_absent:
        go = attrs.evolve(go, read=f"orNull({go.read})")
    return _Field(member.name, name, member.required, doc, go.name, go.read, go.write, present)
