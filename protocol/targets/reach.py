"""Find the definitions that a type or a definition refers to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from targets.model import (
    Alias,
    Array,
    Class,
    Contract,
    Definition,
    Map,
    Nullable,
    OneOf,
    Ref,
    Tagged,
    Tuple,
    Type,
)


def reached(contract: Contract, names: Iterable[str]) -> set[str]:
    """Return these definitions and all that they contain."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _names_in_definition(contract.definition(name))
    return found


def names_in(kind: Type) -> Iterator[str]:
    """Yield the names of the definitions in a type, without what those contain."""
    match kind:
        case Ref(name):
            yield name
        case Array(inner) | Map(inner) | Nullable(inner):
            yield from names_in(inner)
        case OneOf(inners) | Tuple(inners):
            for inner in inners:
                yield from names_in(inner)


def _names_in_definition(definition: Definition) -> Iterator[str]:
    match definition:
        case Class(members=members):
            for member in members:
                yield from names_in(member.type)
        case Tagged(classes=classes, unknown=unknown):
            yield from [*classes.values(), unknown]
        case Alias(type=kind):
            yield from names_in(kind)
