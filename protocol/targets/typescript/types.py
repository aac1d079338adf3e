"""Generate the types of the TypeScript client, and the data of its errors."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Iterator

from targets import model
from targets.model import Class, Contract, Tagged, Unknown
from targets.typescript.spelling import HEADER, doc_of, key_of, member_of, type_of, unknown_key


def types(contract: Contract) -> str:
    parts = [HEADER, 'import { Unknown } from "../unknown.js";']
    for name, definition in contract.definitions.items():
        match definition:
            case Class():
                forms = definition.forms
                parts += [_interface(each) for each in forms]
                if len(forms) > 1:
                    union = " | ".join(each.name for each in forms)
                    parts.append(f"{doc_of(definition.doc)}export type {name} = {union};")
            case Unknown():
                parts.append(_unknown(contract, definition))
            case Tagged():
                arms = [*dict.fromkeys(definition.classes.values()), definition.unknown]
                union = "".join(f"\n  | {arm}" for arm in arms)
                parts.append(f"{doc_of(definition.doc)}export type {name} ={union};")
            case model.Alias():
                parts.append(
                    f"{doc_of(definition.doc)}export type {name} = {type_of(definition.type)};"
                )
    return "\n\n".join(parts) + "\n"


def _interface(definition: Class) -> str:
    lines = [f"{doc_of(definition.doc)}export interface {definition.name} {{"]
    for member in definition.members:
        if member.type == model.KnownStrings(()):
            about = f"The `{member.name}`: this version does not know it, or a member is missing."
            lines += [f"  /** {about} */", f"  {unknown_key(member.name)}: string;"]
            lines.append(f"  {key_of(member.name)}?: undefined;")
            continue
        lines += [textwrap.indent(doc_of(member.doc), "  ").rstrip("\n")] if member.doc else []
        lines.append(f"  {member_of(member)};")
    return "\n".join([*lines, "}"])


def _unknown(contract: Contract, definition: Unknown) -> str:
    """Return a class with the JSON value, and a getter for each member that all arms have."""
    unions = [
        each
        for each in contract.definitions.values()
        if isinstance(each, Tagged) and each.unknown == definition.name
    ]
    tags = dict.fromkeys(union.member for union in unions)
    lines = [f"{doc_of(definition.doc)}export class {definition.name} extends Unknown {{"]
    lines += [f"  declare readonly {key_of(tag)}?: undefined;" for tag in tags]
    for member in _common(contract, unions):
        types = [type_of(member.type), *(["null"] if member.nullable else [])]
        listed = ", ".join(json.dumps(each) for each in types)
        kind = " | ".join([*types, "undefined"])
        lines += [
            "",
            f"  get {member.name}(): {kind} {{",
            f"    return this.member({json.dumps(member.name)}, {listed}) as {kind};",
            "  }",
        ]
    return "\n".join([*lines, "}"])


def _common(contract: Contract, unions: Iterable[Tagged]) -> Iterator[model.Member]:
    for union in unions:
        arms = [contract.definitions[name] for name in union.classes.values()]
        classes = [arm for arm in arms if isinstance(arm, Class)]
        if len(classes) > 1:
            yield from (
                member
                for member in classes[0].members
                if member.name != union.member
                and isinstance(member.type, model.Primitive)
                and all(member == other.member(member.name) for other in classes)
            )


def errors(contract: Contract) -> str:
    lines = [
        HEADER,
        "/** The members of an error's `data` other than `kind` and `retryable`, by kind. */",
        "export interface ErrorData {",
    ]
    for error in contract.errors.values():
        lines.append(textwrap.indent(doc_of(error.doc), "  ").rstrip("\n"))
        if error.data:
            lines.append(f"  {error.name}: {{")
            for member in error.data:
                lines += [textwrap.indent(doc_of(member.doc), "    ").rstrip("\n")]
                lines.append(f"    readonly {member_of(member)};")
            lines.append("  };")
        elif error.retryable is None:
            lines.append(f"  {error.name}: {{ readonly [member: string]: unknown }};")
        else:
            lines.append(f"  {error.name}: {{}};")
    lines += ["}", "", "/** Names of errors without `kind` in `data`, by code. */"]
    lines.append("export const jsonRpcErrors: Readonly<Record<number, keyof ErrorData>> = {")
    lines += [
        f'  [{error.code}]: "{error.name}",'
        for error in contract.errors.values()
        if error.retryable is None
    ]
    return "\n".join([*lines, "};"]) + "\n"
