"""Map types of the contract to types of Go, with the functions that read and write them."""

from __future__ import annotations

import attrs

from targets import model
from targets.go.names import exported
from targets.unwritable import Unwritable

_PRIMITIVES = {
    "string": ("string", "(*reader).str", "(*writer).str"),
    "integer": ("int64", "(*reader).int", "(*writer).int"),
    "number": ("float64", "(*reader).float", "(*writer).float"),
    "boolean": ("bool", "(*reader).bool", "(*writer).bool"),
}
_STARTS = {"string": "'\"'", "integer": "'0'", "number": "'0'", "boolean": "'t'"}


@attrs.frozen
class GoType:
    """A type's name, and the functions `func(*reader) T` and `func(*writer, T)`."""

    name: str
    read: str
    write: str
    nil: bool = False
    """Whether the type has a nil, which can mean absent."""


@attrs.frozen
class Arm:
    """One of several types of a value; `own` is its declaration, unless it is a class."""

    name: str
    start: str
    """The first character of its JSON, as a Go literal; '0' for all numbers."""
    own: GoType | None


class Types:
    """The types of one document; collects the inline unions that occur in them."""

    def __init__(self, contract: model.Contract) -> None:
        self._contract = contract
        self.unions: dict[str, tuple[str, tuple[Arm, ...]]] = {}
        """Name → its doc and arms."""
        self.arms: dict[str, GoType] = {}
        """Types that are only used as arms of unions, by name."""
        for each in contract.definitions.values():
            if isinstance(each, model.Alias) and isinstance(each.type, model.OneOf):
                self.unions[exported(each.name)] = (each.doc, self._arms(each.type))

    def of(self, kind: model.Type, enum: str) -> GoType:
        """Return the Go type; a string of a known set becomes the type `enum`."""
        if isinstance(kind, model.Ref):
            return self._ref(kind.name)
        if isinstance(kind, model.Scalar):
            return _scalar(kind, enum)
        return self._composite(kind, enum)

    def _composite(self, kind: model.Composite, enum: str) -> GoType:
        match kind:
            case model.Array(item):
                return _list_of(self.of(item, enum))
            case model.Map(value):
                inner = self.of(value, enum)
                read, write = f"mapReader({inner.read})", f"mapWriter({inner.write})"
                return GoType(f"map[string]{inner.name}", read, write, nil=True)
            case model.Tuple(items) if len(set(items)) == 1:
                return _list_of(self.of(items[0], enum))
            case model.Nullable(inner_kind):
                return nullable(self.of(inner_kind, enum))
            case model.OneOf():
                return self._inline(kind)
        raise _without_type(kind)

    def _ref(self, name: str) -> GoType:
        go = exported(name)
        definition = self._contract.definition(name)
        if isinstance(definition, model.Alias) and not isinstance(definition.type, model.OneOf):
            return self.of(definition.type, go)
        pointer = "*" if isinstance(definition, model.Unknown) else ""
        return GoType(
            pointer + go,
            f"read{go}",
            f"write{go}",
            nil=not isinstance(definition, model.Class),
        )

    def _inline(self, kind: model.OneOf) -> GoType:
        arms = self._arms(kind)
        name = "Or".join(arm.name for arm in arms)
        self.unions.setdefault(name, ("A value of one of several types.", arms))
        return GoType(name, f"read{name}", f"write{name}", nil=True)

    def _arms(self, kind: model.OneOf) -> tuple[Arm, ...]:
        return tuple(self._arm(arm) for arm in kind.arms)

    def _arm(self, kind: model.Type) -> Arm:
        match kind:
            case model.Primitive(name):
                return self._own(exported(name), _STARTS[name], self.of(kind, ""))
            case model.Array(model.Ref(name)):
                return self._own(f"{exported(name)}List", "'['", self.of(kind, ""))
            case model.Array(model.Primitive(name)):
                return self._own(f"{exported(name)}List", "'['", self.of(kind, ""))
            case model.Ref(name) if isinstance(self._contract.definition(name), model.Class):
                return Arm(exported(name), "'{'", None)
        raise Unwritable(f"clients/go: {kind} is no arm of a union; extend targets/go/types.py")

    def _own(self, name: str, start: str, kind: GoType) -> Arm:
        self.arms[name] = kind
        return Arm(name, start, kind)


def _scalar(kind: model.Scalar, enum: str) -> GoType:
    match kind:
        case model.Primitive(name) if name in _PRIMITIVES:
            return GoType(*_PRIMITIVES[name])
        case model.AnyJson():
            return GoType("json.RawMessage", "(*reader).raw", "(*writer).raw", nil=True)
        case model.Literal(values) | model.KnownStrings(values) if is_text(values):
            return GoType(enum, f"readString[{enum}]", f"writeString[{enum}]")
    raise _without_type(kind)


def _list_of(item: GoType) -> GoType:
    read, write = f"listReader({item.read})", f"listWriter({item.write})"
    return GoType(f"[]{item.name}", read, write, nil=True)


def _without_type(kind: model.Type) -> Unwritable:
    return Unwritable(f"clients/go: {kind} has no Go type; extend targets/go/types.py")


def nullable(inner: GoType) -> GoType:
    """Return the type with a nil that means null."""
    if inner.nil:
        return attrs.evolve(inner, read=f"orNull({inner.read})", write=f"orNil({inner.write})")
    read, write = f"pointerReader({inner.read})", f"pointerWriter({inner.write})"
    return GoType(f"*{inner.name}", read, write, nil=True)


def pointer(inner: GoType) -> GoType:
    """Return the type with a nil that means absent; null does not fit."""
    read, write = f"someReader({inner.read})", f"pointerWriter({inner.write})"
    return GoType(f"*{inner.name}", read, write, nil=True)


def is_text(values: tuple[str | int | bool, ...]) -> bool:
    return all(isinstance(value, str) for value in values)
