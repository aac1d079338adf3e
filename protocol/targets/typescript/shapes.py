"""Generate the shapes by which the TypeScript client reads what the daemon sends."""

from __future__ import annotations

import json
from typing import Any

from targets import model
from targets.model import Class, Contract, Tagged, Type, Unknown
from targets.reach import names_in, reached
from targets.typescript.spelling import HEADER, key_of, object_of, unknown_key


def shapes(contract: Contract) -> str:
    """Return the shapes of the values that the daemon may send."""
    lines = [
        HEADER,
        'import type { Definition } from "../shape.js";',
        'import * as types from "./types.js";',
        "",
        "export const definitions: Readonly<Record<string, Definition>> = {",
    ]
    for name in sorted(_reachable(contract)):
        match contract.definitions[name]:
            case Class() as found:
                lines.append(f"  {name}: {{ members: {{")
                for member in found.members:
                    key = member.name if member.required else f"{member.name}?"
                    lines.append(f"    {key_of(key)}: {object_of(_member_shape(member))},")
                lines.append(f"  }}{_forms(found)} }},")
            case Tagged() as union:
                lines.append(
                    f"  {name}: {{ tag: {json.dumps(union.member)}, classes:"
                    f" {object_of(union.classes)}, unknown: types.{union.unknown} }},"
                )
            case model.Alias() as alias:
                lines.append(f"  {name}: {{ shape: {object_of(shape_of(alias.type))} }},")
            case Unknown():
                pass
    return "\n".join([*lines, "};"]) + "\n"


def _forms(definition: Class) -> str:
    """Return by which member a class has forms, and the members that each of its values needs."""
    depending = next((each for each in definition.members if each.required_if), None)
    if depending is None or depending.required_if is None:
        return ""
    ((name, values),) = depending.required_if.items()
    tag = definition.member(name)
    known = tag.type.values if tag and isinstance(tag.type, model.KnownStrings) else ()
    needs = {value: [depending.name] if value in values else [] for value in known}
    return f", form: {object_of({'tag': name, 'unknown': unknown_key(name), 'needs': needs})}"


def _reachable(contract: Contract) -> set[str]:
    pending = [each.params for each in contract.notifications if each.params]
    pending += [name for each in contract.requests if each.result for name in names_in(each.result)]
    return reached(contract, pending)


def shape_of(kind: Type) -> Any:
    """Return the shape of a type: a name, or an object with one member."""
    if isinstance(kind, model.Ref):
        return {"ref": kind.name}
    return _scalar(kind) if isinstance(kind, model.Scalar) else _composite(kind)


def _scalar(kind: model.Scalar) -> Any:
    match kind:
        case model.Primitive(name):
            return name
        case model.AnyJson():
            return "any"
        case model.Literal(values):
            return {"literal": list(values)}
        case model.KnownStrings():
            return "string"


def _composite(kind: model.Composite) -> dict[str, Any]:
    match kind:
        case model.Array(item):
            return {"array": shape_of(item)}
        case model.Tuple(items):
            return {"tuple": [shape_of(item) for item in items]}
        case model.Map(value):
            return {"map": shape_of(value)}
        case model.Nullable(inner):
            return {"nullable": shape_of(inner)}
        case model.OneOf(arms):
            return {"oneOf": [shape_of(arm) for arm in arms]}


def _member_shape(member: model.Member) -> Any:
    shape = shape_of(member.type)
    return {"nullable": shape} if member.nullable and shape != "any" else shape
