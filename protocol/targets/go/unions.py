"""Generate Go's interfaces for values of one of several types, and the table that reads them."""

from __future__ import annotations

from collections.abc import Iterator

from targets import model
from targets.go.names import comment, exported, sentence
from targets.go.types import Arm, GoType, Types


def declarations(contract: model.Contract, types: Types) -> Iterator[str]:
    """Declare all unions, their unknown arms, and the arms that are not classes."""
    tagged = [each for each in contract.definitions.values() if isinstance(each, model.Tagged)]
    for each in tagged:
        yield from _tagged(each, _shared(each, contract, types))
    unknown = [each for each in contract.definitions.values() if isinstance(each, model.Unknown)]
    for arm in unknown:
        yield from _unknown(arm, [each for each in tagged if each.unknown == arm.name])
    names = {name for each in tagged for name in each.classes.values()}
    for name in sorted(names):
        yield from _arm_of(name, [one for one in tagged if name in one.classes.values()])
    done: set[str] = set()
    for each in tagged:
        for accessor in _shared(each, contract, types):
            if accessor.name not in done:
                done.add(accessor.name)
                yield from accessor.methods(each)
    for name, (doc, arms) in sorted(types.unions.items()):
        yield from _union(name, doc, arms)
    for name, kind in sorted(types.arms.items()):
        yield from comment(f"{name} is one of the types of a union.")
        yield f"type {name} {kind.name}\n"
    yield from _table(tagged, types)


class _Accessor:
    """A member that all classes of a union have."""

    def __init__(self, union: str, member: model.Member, kind: GoType) -> None:
        self.wire, self.field = member.name, exported(member.name)
        self.name = exported(union) + self.field
        self.doc = member.doc
        self.returned = f"v.{self.field}"
        if member.required:
            # The unknown arm may lack the member, so that the result can be absent.
            self.returned = f"optionalOf(v.{self.field})" if member.nullable else f"&v.{self.field}"
        if member.null_means == "value" or (member.required and member.nullable):
            self.type = f"Optional[{kind.name}]"
        else:
            self.type = f"*{kind.name}"

    def methods(self, union: model.Tagged) -> Iterator[str]:
        for cls in union.classes.values():
            yield f"// {self.name} returns {self.field}."
            yield f"func (v *{exported(cls)}) {self.name}() {self.type} {{"
            yield f"\treturn {self.returned}"
            yield "}\n"
        unknown = exported(union.unknown)
        yield f"// {self.name} returns the member {self.wire}, if it fits."
        yield f"func (v *{unknown}) {self.name}() {self.type} {{"
        yield f'\treturn memberOf[{self.type}](v.Raw, "{self.wire}")'
        yield "}\n"


def _shared(union: model.Tagged, contract: model.Contract, types: Types) -> list[_Accessor]:
    classes = [contract.definition(name) for name in union.classes.values()]
    first = classes[0]
    if len(classes) < 2 or not isinstance(first, model.Class):
        return []
    return [
        _Accessor(union.name, member, types.of(member.type, ""))
        for member in first.members
        if isinstance(member.type, model.Primitive)
        and all(isinstance(each, model.Class) and member in each.members for each in classes)
    ]


def _tagged(union: model.Tagged, shared: list[_Accessor]) -> Iterator[str]:
    name, unknown = exported(union.name), exported(union.unknown)
    arms = ", ".join(f"*{exported(each)}" for each in union.classes.values())
    yield from comment(sentence(name, f"{union.doc} One of {arms}, *{unknown}."))
    yield f"type {name} interface {{"
    yield f"\t// Tag returns its {union.member}; empty if it has none."
    yield "\tTag() string"
    yield "\t// JSON returns the text it was read from, unchanged; nil if the program created it."
    yield "\tJSON() json.RawMessage"
    for accessor in shared:
        yield from comment(f"{accessor.name}: {accessor.doc}", "\t")
        yield f"\t{accessor.name}() {accessor.type}"
    yield f"\tis{name}()"
    yield "}\n"
    yield f"// Parse{name} reads a {name}; it fails only if the text is not JSON."
    yield f"func Parse{name}(text json.RawMessage) ({name}, error) {{"
    yield f"\treturn decode[{name}](text)"
    yield "}\n"


def _unknown(unknown: model.Unknown, unions: list[model.Tagged]) -> Iterator[str]:
    name = exported(unknown.name)
    yield from comment(sentence(name, unknown.doc))
    yield f"type {name} struct {{"
    yield "\t// Raw is the JSON that was received, or will be sent, byte for byte."
    yield "\tRaw json.RawMessage"
    yield "}\n"
    member = unions[0].member
    yield f"// Tag returns the {member} in the text, if it is there."
    yield f'func (v *{name}) Tag() string {{ return memberOf[string](v.Raw, "{member}") }}\n'
    yield "// JSON returns Raw."
    yield f"func (v *{name}) JSON() json.RawMessage {{ return v.Raw }}\n"
    yield "// MarshalJSON returns Raw."
    yield f"func (v *{name}) MarshalJSON() ([]byte, error) {{"
    yield "\treturn encode(v.Raw)"
    yield "}\n"
    yield from (f"func (*{name}) is{exported(each.name)}() {{}}\n" for each in unions)


def _arm_of(cls: str, unions: list[model.Tagged]) -> Iterator[str]:
    name = exported(cls)
    tag = next(tag for tag, each in unions[0].classes.items() if each == cls)
    yield f'// Tag returns "{tag}".'
    yield f'func (*{name}) Tag() string {{ return "{tag}" }}\n'
    yield from (f"func (*{name}) is{exported(each.name)}() {{}}\n" for each in unions)


def _union(name: str, doc: str, arms: tuple[Arm, ...]) -> Iterator[str]:
    listed = ", ".join(arm.name if arm.own else f"*{arm.name}" for arm in arms)
    yield from comment(f"{sentence(name, doc)} One of {listed}.")
    yield f"type {name} interface{{ is{name}() }}\n"
    for arm in arms:
        yield f"func ({'' if arm.own else '*'}{arm.name}) is{name}() {{}}\n"


def _table(tagged: list[model.Tagged], types: Types) -> Iterator[str]:
    """Declare how the arms of every union are distinguished."""
    yield "var unions = map[reflect.Type]union{"
    for each in tagged:
        yield f"\t{_type_of(exported(each.name))}: {{"
        yield f'\t\ttag: "{each.member}",'
        yield "\t\ttags: []string{"
        yield from (f'\t\t\t"{tag}",' for tag in each.classes)
        yield "\t\t},"
        yield "\t\tarms: []reflect.Type{"
        yield from (f"\t\t\t{_type_of(exported(name))}," for name in each.classes.values())
        yield "\t\t},"
        yield f"\t\tunknown: {_type_of(exported(each.unknown))},"
        yield "\t},"
    width = max(len(_type_of(name)) for name in types.unions) + 1
    for name, (_, arms) in sorted(types.unions.items()):
        listed = ", ".join(_type_of(arm.name) for arm in arms)
        yield f"\t{_type_of(name) + ':':<{width}} {{arms: []reflect.Type{{{listed}}}}},"
    yield "}\n"


def _type_of(name: str) -> str:
    return f"reflect.TypeFor[{name}]()"
