"""Map types of the contract to types of Go."""

from __future__ import annotations

import attrs

from targets import model
from targets.go.names import exported
from targets.unwritable import Unwritable

_PRIMITIVES = {"string": "string", "integer": "int64", "number": "float64", "boolean": "bool"}


@attrs.frozen
class GoType:
    """A type of Go."""

    name: str
    nil: bool = False
    """Whether the type has a nil, which can mean absent."""


@attrs.frozen
class Arm:
    """One of several types of a value; `own` is its declaration, unless it is a class."""

    name: str
    own: GoType | None


class Types:
    """The types of one document; collects the inline unions that occur in them."""

    def __init__(self, contract: model.Contract) -> None:
        self._contract = contract
        definitions = contract.definitions.values()
        tagged = (each for each in definitions if isinstance(each, model.Tagged))
        self._tagged = {exported(each.name) for each in tagged}
        self.unions: dict[str, tuple[str, tuple[Arm, ...]]] = {}
        """Name → its doc and arms."""
        self.arms: dict[str, GoType] = {}
        """Types that are only used as arms of unions, by name."""
        for each in definitions:
            if isinstance(each, model.Alias) and isinstance(each.type, model.OneOf):
                self.unions[exported(each.name)] = (each.doc, self._arms(each.type))

    def of(self, kind: model.Type, enum: str) -> GoType:
        """Return the Go type; a string of a known set becomes the type `enum`."""
        if isinstance(kind, model.Ref):
            return self._ref(kind.name)
        if isinstance(kind, model.Scalar):
            return _scalar(kind, enum)
        return self._composite(kind, enum)

    def is_union(self, name: str) -> bool:
        """Whether a Go type is an interface whose value is one of several types."""
        return name in self.unions or name in self._tagged

    def arms_that_are_classes(self) -> set[str]:
        """Return the structs that are told apart by their members."""
        return {arm.name for _, arms in self.unions.values() for arm in arms if not arm.own}

    def _composite(self, kind: model.Composite, enum: str) -> GoType:
        match kind:
            case model.Array(item):
                return _list_of(self.of(item, enum))
            case model.Map(value):
                return GoType(f"map[string]{self.of(value, enum).name}", nil=True)
            case model.Tuple(items) if len(set(items)) == 1:
                return _list_of(self.of(items[0], enum))
            case model.Nullable(inner_kind):
                return pointer(self.of(inner_kind, enum))
            case model.OneOf():
                return self._inline(kind)
        raise _without_type(kind)

    def _ref(self, name: str) -> GoType:
        go = exported(name)
        definition = self._contract.definition(name)
        if isinstance(definition, model.Alias) and not isinstance(definition.type, model.OneOf):
            return self.of(definition.type, go)
        pointer = "*" if isinstance(definition, model.Unknown) else ""
        return GoType(pointer + go, nil=not isinstance(definition, model.Class))

    def _inline(self, kind: model.OneOf) -> GoType:
        arms = self._arms(kind)
        name = "Or".join(arm.name for arm in arms)
        self.unions.setdefault(name, ("A value of one of several types.", arms))
        return GoType(name, nil=True)

    def _arms(self, kind: model.OneOf) -> tuple[Arm, ...]:
        return tuple(self._arm(arm) for arm in kind.arms)

    def _arm(self, kind: model.Type) -> Arm:
        match kind:
            case model.Primitive(name):
                return self._own(exported(name), self.of(kind, ""))
            case model.Array(model.Ref(name)):
                return self._own(f"{exported(name)}List", self.of(kind, ""))
            case model.Array(model.Primitive(name)):
                return self._own(f"{exported(name)}List", self.of(kind, ""))
            case model.Ref(name) if isinstance(self._contract.definition(name), model.Class):
                return Arm(exported(name), None)
        raise Unwritable(f"clients/go: {kind} is no arm of a union; extend targets/go/types.py")

    def _own(self, name: str, kind: GoType) -> Arm:
        self.arms[name] = kind
        return Arm(name, kind)


def _scalar(kind: model.Scalar, enum: str) -> GoType:
    match kind:
        case model.Primitive(name) if name in _PRIMITIVES:
            return GoType(_PRIMITIVES[name])
        case model.AnyJson():
            return GoType("json.RawMessage", nil=True)
        case model.Literal(values) | model.KnownStrings(values) if is_text(values):
            return GoType(enum)
    raise _without_type(kind)


def _list_of(item: GoType) -> GoType:
    return GoType(f"[]{item.name}", nil=True)


def _without_type(kind: model.Type) -> Unwritable:
    return Unwritable(f"clients/go: {kind} has no Go type; extend targets/go/types.py")


def pointer(inner: GoType) -> GoType:
    """Return the type with a nil, which means absent or null."""
    return inner if inner.nil else GoType(f"*{inner.name}", nil=True)


def is_text(values: tuple[str | int | bool, ...]) -> bool:
    return all(isinstance(value, str) for value in values)
