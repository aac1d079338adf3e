"""Make answers of a later daemon, which adds members, values and types everywhere.

Every client reads them in its tests. They are made from the schemas, so that each member of each
class that the daemon may send occurs. What was added is named `addedLater`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import attrs

from targets import model, reading
from targets.model import Contract, Tagged, Type, Unknown

FILE = "protocol/future/answers.json"
ADDED = "addedLater"
_PRIMITIVES = {"string": "text", "integer": 3, "number": 1.5, "boolean": True, "null": None}


def outputs(document: dict[str, Any]) -> dict[str, str]:
    contract = reading.read(document)
    made = _Samples(contract)
    told = [(each, model.Ref(each.params)) for each in contract.notifications if each.params]
    answered: dict[Type, list[str]] = {}
    for each in contract.requests:
        if each.result:
            answered.setdefault(each.result, []).append(each.name)
    value = {
        "answers": [
            {"methods": names, "result": result}
            for kind, names in answered.items()
            for result in made.of(kind)
        ],
        "notifications": [
            *({"method": each.name, "params": params} for each, k in told for params in made.of(k)),
            {"method": f"session/{ADDED}", "params": {ADDED: _anything()}},
        ],
        "errors": [
            {"code": 1999, "message": "text", "data": {"kind": "AddedLater", **_retryable(True)}},
            {"code": 1999, "message": "text", "data": [_anything()]},
            {"code": 1999, "message": "text"},
            *(
                {"code": kind.code, "message": "text", "data": data}
                for kind in contract.errors.values()
                if kind.retryable is not None
                for members in made.members(kind.data)
                for data in [{"kind": kind.name, **_retryable(kind.retryable), **members}]
            ),
        ],
    }
    return {FILE: "{\n" + ",\n".join(_lists(value)) + "\n}\n"}


def _lists(value: dict[str, list[Any]]) -> Iterator[str]:
    """Yield the members of the file with one item in a line."""
    for name, items in value.items():
        lines = ",\n".join(f"    {json.dumps(each, separators=(',', ':'))}" for each in items)
        yield f"  {json.dumps(name)}: [\n{lines}\n  ]"


def _anything() -> dict[str, Any]:
    return {"values": [None, 1.5, {}]}


def _retryable(retryable: bool) -> dict[str, Any]:
    return {"retryable": retryable, ADDED: _anything()}


@attrs.define
class _Samples:
    """Makes several values of a type, which together have every form that it may have."""

    contract: Contract
    _open: list[str] = attrs.field(init=False, factory=list)
    """The classes that contain the value which is being made."""

    def of(self, kind: Type) -> list[Any]:
        if isinstance(kind, model.Ref):
            return self._defined(kind.name)
        return _scalar(kind) if isinstance(kind, model.Scalar) else self._composite(kind)

    def members(self, members: tuple[model.Member, ...]) -> list[dict[str, Any]]:
        """Return objects: with all members, in all their forms, and without the optional ones."""
        forms = {each.name: self._member(each) for each in members}
        # A class that contains itself ends where it may.
        forms = {name: values for name, values in forms.items() if values}
        count = max(map(len, forms.values()), default=1)
        # The last form, which is the smallest of a list, serves for all that follow.
        made = [
            {name: values[min(index, len(values) - 1)] for name, values in forms.items()}
            for index in range(count)
        ]
        needed = {each.name for each in members if each.required or each.default is not None}
        if needed != forms.keys():
            made.append({name: values[-1] for name, values in forms.items() if name in needed})
        return made

    def _member(self, member: model.Member) -> list[Any]:
        if member.name == ADDED:
            raise model.Unreadable(f"{ADDED} exists already: name what is new differently")
        if member.name == "protocolVersion":
            return [self.contract.version]
        # Strings of different members are different, so that a client cannot mix them up unseen.
        values = [member.name] if member.type == model.Primitive("string") else self.of(member.type)
        distinct = member.nullable and (member.required or member.null_means == "value")
        return [*values, None] if distinct and None not in values else values

    def _defined(self, name: str) -> list[Any]:
        definition = self.contract.definition(name)
        match definition:
            case Tagged(member=member, classes=classes):
                known = [value for each in classes.values() for value in self._defined(each)]
                return [*known, {member: ADDED, ADDED: _anything()}]
            case Unknown():
                return [_anything()]
            case model.Alias(type=kind):
                return self.of(kind)
        if name in self._open:
            return []
        self._open.append(name)
        made = [{**each, ADDED: _anything()} for each in self.members(definition.members)]
        self._open.pop()
        return made

    def _composite(self, kind: model.Composite) -> list[Any]:
        match kind:
            case model.Array(item):
                return [self.of(item), []]
            case model.Tuple(items):
                return [[self.of(item)[0] for item in items]]
            case model.Map(value):
                return [{f"name{index}": each for index, each in enumerate(self.of(value))}]
            case model.Nullable(inner):
                return [*self.of(inner), None]
            case model.OneOf(arms):
                return [value for arm in arms for value in self.of(arm)]


def _scalar(kind: model.Scalar) -> list[Any]:
    match kind:
        case model.Primitive(name):
            return [_PRIMITIVES[name]]
        case model.AnyJson():
            return [_anything()]
        case model.Literal(values):
            return list(values)
        case model.KnownStrings(values):
            return [values[0], ADDED]
