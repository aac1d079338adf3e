"""Generate the TypeScript client's types, methods and shapes."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Iterator
from typing import Any

from targets import model, reading
from targets.model import Class, Contract, Method, Tagged, Type, Unknown

FOLDER = "clients/typescript/src/generated"
HEADER = (
    "// Generated from protocol/sessiond_protocol/openrpc.json by protocol/generate.py.\n"
    "// Do not edit; run `make generate`.\n"
)
CONNECTION = {"initialize", "initialized", "shutdown", "exit", "$/cancelRequest"}
"""Methods that only the connection itself sends; they get no function."""


def outputs(document: dict[str, Any]) -> dict[str, str]:
    contract = reading.read(document)
    return {
        f"{FOLDER}/types.ts": _types(contract),
        f"{FOLDER}/errors.ts": _errors(contract),
        f"{FOLDER}/methods.ts": _methods(contract),
        f"{FOLDER}/shapes.ts": _shapes(contract),
    }


def _types(contract: Contract) -> str:
    parts = [HEADER, 'import { Unknown } from "../unknown.js";']
    for name, definition in contract.definitions.items():
        match definition:
            case Class():
                parts.append(_interface(definition))
            case Unknown():
                parts.append(_unknown(contract, definition))
            case Tagged():
                arms = [*dict.fromkeys(definition.classes.values()), definition.unknown]
                union = "".join(f"\n  | {arm}" for arm in arms)
                parts.append(f"{_doc(definition.doc)}export type {name} ={union};")
            case model.Alias():
                parts.append(
                    f"{_doc(definition.doc)}export type {name} = {_type(definition.type)};"
                )
    return "\n\n".join(parts) + "\n"


def _interface(definition: Class) -> str:
    lines = [f"{_doc(definition.doc)}export interface {definition.name} {{"]
    for member in definition.members:
        lines += [textwrap.indent(_doc(member.doc), "  ").rstrip("\n")] if member.doc else []
        lines.append(f"  {_member(member)};")
    return "\n".join([*lines, "}"])


def _member(member: model.Member) -> str:
    shown = _type(member.type)
    if member.nullable and shown != "unknown":
        shown += " | null"
    if member.required:
        return f"{_key(member.name)}: {shown}"
    return f"{_key(member.name)}?: {shown if shown == 'unknown' else f'{shown} | undefined'}"


def _unknown(contract: Contract, definition: Unknown) -> str:
    """Return a class with the JSON value, and a getter for each member that all arms have."""
    unions = [
        each
        for each in contract.definitions.values()
        if isinstance(each, Tagged) and each.unknown == definition.name
    ]
    tags = dict.fromkeys(union.member for union in unions)
    lines = [f"{_doc(definition.doc)}export class {definition.name} extends Unknown {{"]
    lines += [f"  declare readonly {_key(tag)}?: undefined;" for tag in tags]
    for member in _common(contract, unions):
        types = [_type(member.type), *(["null"] if member.nullable else [])]
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


def _errors(contract: Contract) -> str:
    lines = [
        HEADER,
        "/** The members of an error's `data` other than `kind` and `retryable`, by kind. */",
        "export interface ErrorData {",
    ]
    for error in contract.errors.values():
        lines.append(textwrap.indent(_doc(error.doc), "  ").rstrip("\n"))
        if error.data:
            lines.append(f"  {error.name}: {{")
            for member in error.data:
                lines += [textwrap.indent(_doc(member.doc), "    ").rstrip("\n")]
                lines.append(f"    readonly {_member(member)};")
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


def _methods(contract: Contract) -> str:
    requests = [each for each in contract.requests if each.name not in CONNECTION]
    events = contract.notifications
    used = {each.params for each in (*requests, *events) if each.params is not None}
    used |= {name for each in requests if each.result for name in _names(each.result)}
    lines = [
        HEADER,
        'import type { CallOptions } from "../call-options.js";',
        'import type { Disposable } from "../events.js";',
        'import type { Shape } from "../shape.js";',
        "import type {",
        *(f"  {name}," for name in sorted(used)),
        '} from "./types.js";',
        "",
        "/** One function per method, with the name of the method. */",
        "export abstract class Methods {",
        "  protected abstract call(",
        "    method: string,",
        "    params: object | undefined,",
        "    options: CallOptions | undefined,",
        "  ): Promise<unknown>;",
        "",
        "  protected abstract listen(",
        "    notification: string,",
        "    listener: (params: never) => void,",
        "  ): Disposable;",
    ]
    for method in requests:
        lines += ["", *_function(method)]
    for event in events:
        params = event.params or "undefined"
        lines += ["", textwrap.indent(_doc(f"{event.doc}\n\n`{event.name}`"), "  ").rstrip("\n")]
        lines += [
            f"  on{_pascal(event)}(listener: (params: {params}) => void): Disposable {{",
            f"    return this.listen({json.dumps(event.name)}, listener);",
            "  }",
        ]
    lines += ["}", "", "/** Params and result of every method, by name. */"]
    lines.append("export interface MethodTypes {")
    for method in requests:
        params = method.params or "undefined"
        result = _type(method.result) if method.result else "null"
        lines.append(f"  {json.dumps(method.name)}: {{ params: {params}; result: {result} }};")
    lines += ["}", "", *_facts(contract, requests), "", *_event_facts(events)]
    return "\n".join(lines) + "\n"


def _function(method: Method) -> Iterator[str]:
    throws = "".join(f"\n@throws {error}" for error in method.errors)
    yield textwrap.indent(_doc(f"{method.doc}\n\n`{method.name}`{throws}"), "  ").rstrip("\n")
    result = _type(method.result) if method.result else "null"
    returned = "void" if result == "null" else result
    name = _camel(method)
    if method.params is None:
        yield f"  {name}(options?: CallOptions): Promise<{returned}> {{"
        arguments = "undefined"
    else:
        default = "" if any(each.required for each in method.members) else " = {}"
        yield f"  {name}("
        yield f"    params: {method.params}{default},"
        yield "    options?: CallOptions,"
        yield f"  ): Promise<{returned}> {{"
        arguments = "params"
    call = f"this.call({json.dumps(method.name)}, {arguments}, options)"
    yield f"    return {call} as Promise<{returned}>;"
    yield "  }"


def _facts(contract: Contract, requests: Iterable[Method]) -> Iterator[str]:
    yield "/** Facts that the client needs to repeat a call and to reopen handles. */"
    yield "export interface MethodFacts {"
    yield "  /** The types in the answer. */"
    yield "  readonly result: Shape;"
    yield "  /** Whether it may be sent again if the daemon ended before it answered. */"
    yield "  readonly repeatable: boolean;"
    yield "  /** Whether it takes `newEntryId`. */"
    yield "  readonly appends: boolean;"
    yield "  /** What the answer contains about a handle: its state, its new entry, or its leaf. */"
    yield '  readonly tells?: "state" | "entry" | "leaf" | "subscription";'
    yield "}"
    yield ""
    yield "export const methodFacts: Readonly<Record<string, MethodFacts>> = {"
    for method in requests:
        facts: dict[str, Any] = {
            "result": _shape(method.result) if method.result else "null",
            "repeatable": method.repeatable,
            "appends": method.appends,
        }
        tells = _tells(contract, method)
        if tells:
            facts["tells"] = tells
        yield f"  {json.dumps(method.name)}: {_object(facts)},"
    yield "};"


def _tells(contract: Contract, method: Method) -> str | None:
    if not isinstance(method.result, model.Ref):
        return None
    result = contract.definitions[method.result.name]
    if not isinstance(result, Class):
        return None
    names = {member.name for member in result.members}
    for word, members in {
        "state": {"session", "leafId"},
        "subscription": {"subscription"},
        "entry": {"id", "parentId", "written"},
        "leaf": {"leafId"},
    }.items():
        if members <= names:
            return word
    return None


def _event_facts(events: Iterable[Method]) -> Iterator[str]:
    yield "/** Params of every notification, by name. */"
    yield "export const notificationShapes: Readonly<Record<string, Shape>> = {"
    for event in events:
        shape = _shape(model.Ref(event.params)) if event.params else "null"
        yield f"  {json.dumps(event.name)}: {_object(shape)},"
    yield "};"


def _shapes(contract: Contract) -> str:
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
                    lines.append(f"    {_key(key)}: {_object(_member_shape(member))},")
                lines.append("  } },")
            case Tagged() as union:
                lines.append(
                    f"  {name}: {{ tag: {json.dumps(union.member)}, classes:"
                    f" {_object(union.classes)}, unknown: types.{union.unknown} }},"
                )
            case model.Alias() as alias:
                lines.append(f"  {name}: {{ shape: {_object(_shape(alias.type))} }},")
            case Unknown():
                pass
    return "\n".join([*lines, "};"]) + "\n"


def _reachable(contract: Contract) -> set[str]:
    pending = [each.params for each in contract.notifications if each.params]
    pending += [name for each in contract.requests if each.result for name in _names(each.result)]
    found: set[str] = set()
    while pending:
        name = pending.pop()
        if name in found:
            continue
        found.add(name)
        match contract.definitions[name]:
            case Class(members=members):
                pending += [each for member in members for each in _names(member.type)]
            case Tagged(classes=classes):
                pending += classes.values()
            case model.Alias(type=aliased):
                pending += _names(aliased)
            case Unknown():
                pass
    return found


def _names(found: Type) -> Iterator[str]:
    """Yield the names of all definitions that a type refers to."""
    match found:
        case model.Ref(name):
            yield name
        case model.Array(inner) | model.Map(inner) | model.Nullable(inner):
            yield from _names(inner)
        case model.Tuple(items) | model.OneOf(items):
            for item in items:
                yield from _names(item)
        case model.Primitive() | model.AnyJson() | model.Literal() | model.KnownStrings():
            pass


def _type(found: Type) -> str:
    match found:
        case model.Primitive(name):
            return "number" if name == "integer" else name
        case model.AnyJson():
            return "unknown"
        case model.Literal(values):
            return " | ".join(json.dumps(value) for value in values)
        case model.KnownStrings(values):
            known = " | ".join(json.dumps(value) for value in values)
            return f"{known} | (string & {{}})"
        case model.Array(item):
            inner = _type(item)
            return f"({inner})[]" if "|" in inner else f"{inner}[]"
        case model.Tuple(items):
            return f"[{', '.join(_type(item) for item in items)}]"
        case model.Map(value):
            return f"{{ [name: string]: {_type(value)} }}"
        case model.Ref(name):
            return name
        case model.Nullable(inner_type):
            return f"{_type(inner_type)} | null"
        case model.OneOf(arms):
            return " | ".join(_type(arm) for arm in arms)


def _member_shape(member: model.Member) -> Any:
    shape = _shape(member.type)
    return {"nullable": shape} if member.nullable and shape != "any" else shape


def _shape(found: Type) -> Any:
    match found:
        case model.Primitive(name):
            return name
        case model.AnyJson():
            return "any"
        case model.Literal(values):
            return {"literal": list(values)}
        case model.KnownStrings():
            return "string"
        case model.Array(item):
            return {"array": _shape(item)}
        case model.Tuple(items):
            return {"tuple": [_shape(item) for item in items]}
        case model.Map(value):
            return {"map": _shape(value)}
        case model.Ref(name):
            return {"ref": name}
        case model.Nullable(inner):
            return {"nullable": _shape(inner)}
        case model.OneOf(arms):
            return {"oneOf": [_shape(arm) for arm in arms]}


def _doc(text: str) -> str:
    if not text:
        return ""
    lines = [
        part
        for line in text.replace("*/", "*\\/").split("\n")
        for part in (textwrap.wrap(line, 92, break_long_words=False) or [""])
    ]
    if len(lines) == 1:
        return f"/** {lines[0]} */\n"
    return "/**\n" + "".join(f" * {line}".rstrip() + "\n" for line in lines) + " */\n"


def _object(value: Any) -> str:
    """Return a JSON value as a literal of the language."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(k)}: {_object(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(_object(each) for each in value) + "]"
    return json.dumps(value)


def _key(name: str) -> str:
    return name if name.isidentifier() else json.dumps(name)


def _camel(method: Method) -> str:
    return method.words[0] + "".join(word.capitalize() for word in method.words[1:])


def _pascal(method: Method) -> str:
    return "".join(word.capitalize() for word in method.words)
