"""Spell types, members, comments and values in TypeScript."""

from __future__ import annotations

import json
import textwrap
from typing import Any

from targets import model
from targets.model import Method, Type

HEADER = (
    "// Generated from protocol/sessiond_protocol/openrpc.json by protocol/generate.py.\n"
    "// Do not edit; run `make generate`.\n"
)


def type_of(kind: Type) -> str:
    """Return the TypeScript type."""
    if isinstance(kind, model.Ref):
        return kind.name
    return _scalar(kind) if isinstance(kind, model.Scalar) else _composite(kind)


def _scalar(kind: model.Scalar) -> str:
    match kind:
        case model.Primitive(name):
            return "number" if name == "integer" else name
        case model.AnyJson():
            return "unknown"
        case model.Literal(values):
            return " | ".join(json.dumps(value) for value in values)
        case model.KnownStrings(values):
            known = " | ".join(json.dumps(value) for value in values)
            return f"{known} | (string & {{}})"


def _composite(kind: model.Composite) -> str:
    match kind:
        case model.Array(item):
            inner = type_of(item)
            return f"({inner})[]" if "|" in inner else f"{inner}[]"
        case model.Tuple(items):
            return f"[{', '.join(type_of(item) for item in items)}]"
        case model.Map(value):
            return f"{{ [name: string]: {type_of(value)} }}"
        case model.Nullable(inner_type):
            return f"{type_of(inner_type)} | null"
        case model.OneOf(arms):
            return " | ".join(type_of(arm) for arm in arms)


def member_of(member: model.Member) -> str:
    shown = type_of(member.type)
    if member.nullable and shown != "unknown":
        shown += " | null"
    if member.required:
        return f"{key_of(member.name)}: {shown}"
    return f"{key_of(member.name)}?: {shown if shown == 'unknown' else f'{shown} | undefined'}"


def doc_of(text: str) -> str:
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


def object_of(value: Any) -> str:
    """Return a JSON value as a literal of the language."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key_of(k)}: {object_of(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(object_of(each) for each in value) + "]"
    return json.dumps(value)


def key_of(name: str) -> str:
    return name if name.isidentifier() else json.dumps(name)


def camel(method: Method) -> str:
    return method.words[0] + "".join(word.capitalize() for word in method.words[1:])


def pascal(method: Method) -> str:
    return "".join(word.capitalize() for word in method.words)
