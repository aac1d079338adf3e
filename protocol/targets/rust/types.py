"""Map types of the contract to types of Rust."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import attrs

from targets.model import (
    Alias,
    AnyJson,
    Array,
    Class,
    Composite,
    Contract,
    KnownStrings,
    Literal,
    Map,
    Nullable,
    OneOf,
    Primitive,
    Ref,
    Scalar,
    Tagged,
    Tuple,
    Type,
    Unknown,
    words,
)
from targets.reach import names_in, reached
from targets.rust.names import pascal
from targets.unwritable import Unwritable

_PRIMITIVES = {
    "string": "String",
    "integer": "i64",
    "number": "f64",
    "boolean": "bool",
    "null": "()",
}
ID = OneOf((Primitive("integer"), Primitive("string")))
TOKEN = OneOf((Primitive("string"), Primitive("integer")))


@attrs.define
class Types:
    """The types of one contract, with the direction in which each is sent.

    `stored` are the classes of entries and messages, `params` those that only clients send,
    `returned` those that both sides send. Only the daemon sends all others.
    """

    contract: Contract
    stored: set[str] = attrs.field(init=False)
    params: set[str] = attrs.field(init=False)
    returned: set[str] = attrs.field(init=False)
    _enums: dict[str, tuple[tuple[str, ...], str]] = attrs.field(init=False, factory=dict)

    def __attrs_post_init__(self) -> None:
        every = self.contract.definitions.values()
        tagged = [each.name for each in every if isinstance(each, Tagged)]
        self.stored = reached(self.contract, tagged)
        requests = [each.params for each in self.contract.methods if each.params is not None]
        sent = reached(self.contract, requests) - self.stored
        results = (each.result for each in self.contract.methods if each.result is not None)
        answered = [name for each in results for name in names_in(each)]
        self.returned = sent & reached(self.contract, answered)
        self.params = sent - self.returned

    def rust(self, found: Type, owner: str) -> str:
        """Return the Rust type; `owner` is the class that contains it."""
        if isinstance(found, Ref):
            return self._ref(found.name, owner)
        if isinstance(found, Scalar):
            return self._scalar(found, owner)
        return self._composite(found, owner)

    def _scalar(self, found: Scalar, owner: str) -> str:
        match found:
            case Primitive():
                return _PRIMITIVES[found.name]
            case AnyJson():
                return "Raw"
            case KnownStrings(values):
                return self._enum(values, owner)
            case Literal(values):
                return "String" if len(values) == 1 else self._enum(values, owner)

    def _composite(self, found: Composite, owner: str) -> str:
        match found:
            case Array():
                return f"Vec<{self.rust(found.item, owner)}>"
            case Tuple():
                return f"({', '.join(self.rust(each, owner) for each in found.items)})"
            case Map():
                return f"BTreeMap<String, {self.rust(found.value, owner)}>"
            case Nullable():
                return f"Option<{self.rust(found.inner, owner)}>"
            case OneOf():
                return "Id" if found in (ID, TOKEN) else "Raw"

    def _ref(self, name: str, owner: str) -> str:
        definition = self.contract.definition(name)
        match definition:
            case Unknown():
                return "Raw"
            case Tagged() | Alias(type=OneOf()):
                return f"Json<{name}>"
            case Class() if owner.partition(".")[0] in self.params and name in self.stored:
                # A stored value may have members that the class does not have.
                return f"Json<{name}>"
        return name

    def _enum(self, values: tuple[str | int | bool, ...], owner: str) -> str:
        if not all(isinstance(value, str) for value in values):
            return "Raw"
        strings = tuple(str(value) for value in values)
        class_, _, member = owner.partition(".")
        same = [
            each.name
            for each in self.contract.definitions.values()
            if isinstance(each, Class)
            and (found := each.member(member)) is not None
            and found.type in (Literal(values), KnownStrings(strings))
        ]
        name = _common_ending(same or [class_]) + pascal(member)
        about = strings, ", ".join(f"[`{each}`]" for each in same)
        if self._enums.setdefault(name, about) != about:
            raise Unwritable(f"clients/rust: {name} would be two types; rename a class")
        return name

    def enumerations(self) -> Iterator[str]:
        for name, (values, owners) in sorted(self._enums.items()):
            yield ""
            yield "values! {"
            yield f"    /// Member of {owners}. Later versions may add values."
            yield f"    {name} {{"
            for value in values:
                yield f'        {pascal(value)} = "{value}",'
            yield "    }"
            yield "}"


def _common_ending(classes: list[str]) -> str:
    """Return the last words that all names share, without `Params` and `Result`; else the first."""
    bare = [name.removesuffix("Params").removesuffix("Result") for name in classes]
    columns = zip(*(reversed(words(name)) for name in bare), strict=False)
    same = [column[0] for column in itertools.takewhile(lambda each: len({*each}) == 1, columns)]
    return "".join(word.capitalize() for word in reversed(same)) or bare[0]
