"""Generate the types of the TypeScript client, and the data of its errors."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from targets import model
from targets.model import Class, Contract, Tagged, Unknown
from targets.typescript.spelling import HEADER, doc_of, key_of, member_of, type_of

UNLISTED = """\
declare const unlisted: unique symbol;

/**
 * A string that this version does not know, such as the `type` of a later entry. It has a type of
 * its own, so that a `switch` over the known ones narrows; `String(value)` returns it.
 */
export interface Unlisted {
  readonly [unlisted]: true;
  toString(): string;
}"""


def types(contract: Contract) -> str:
    parts = [HEADER, UNLISTED]
    for name, definition in contract.definitions.items():
        match definition:
            case Class() if len(definition.forms) > 1:
                parts += _variants(definition)
            case Class():
                parts.append(_interface(definition))
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
    return f"{doc_of(definition.doc)}export interface {definition.name} {_body(definition.members)}"


def _body(members: Iterable[model.Member]) -> str:
    lines = ["{"]
    for member in members:
        lines += [textwrap.indent(doc_of(member.doc), "  ").rstrip("\n")] if member.doc else []
        lines.append(f"  {member_of(member)};")
    return "\n".join([*lines, "}"])


def _variants(definition: Class) -> Iterator[str]:
    """Yield what all forms of a class have, and the class as one of its forms.

    Whoever tells them apart by a tag needs one that is no known string.
    """
    first, *others = definition.forms
    different = {
        each.name
        for form in others
        for each, own in zip(form.members, first.members, strict=True)
        if each != own
    }
    base = f"{definition.name}Base"
    common = [each for each in definition.members if each.name not in different]
    yield f"{doc_of(f'What every `{definition.name}` has.')}export interface {base} {_body(common)}"
    forms = [
        _body(each for each in form.members if each.name in different)
        .replace(":  | (string & {});", ": Unlisted;")
        .replace("\n", "\n    ")
        for form in definition.forms
    ]
    arms = "".join(f"\n    | {form}" for form in forms)
    yield f"{doc_of(definition.doc)}export type {definition.name} = {base} &\n  ({arms}\n  );"


def _unknown(contract: Contract, definition: Unknown) -> str:
    """Return the arm of a union for what this version does not know, with what all arms have."""
    unions = [
        each
        for each in contract.definitions.values()
        if isinstance(each, Tagged) and each.unknown == definition.name
    ]
    lines = [f"{doc_of(definition.doc)}export interface {definition.name} {{"]
    lines += [f"  {key_of(tag)}: Unlisted;" for tag in dict.fromkeys(e.member for e in unions)]
    for member in _common(contract, unions):
        null = " | null" * member.nullable
        lines.append(f"  {key_of(member.name)}?: {type_of(member.type)}{null} | undefined;")
    return "\n".join([*lines, "  [member: string]: unknown;", "}"])


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
