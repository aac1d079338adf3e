"""Generate for the Neovim client: a table of methods, and LuaCATS types."""

from __future__ import annotations

import json
import re
from typing import Any

from targets import model, reading
from targets.model import Class, Contract, Member, Method, Tagged, Type, Unknown

FOLDER = "clients/neovim/lua/sessiond"
HEADER = (
    "-- Generated from protocol/sessiond_protocol/openrpc.json by protocol/generate.py.\n"
    "-- Do not edit; run `make generate`.\n"
)


def outputs(document: dict[str, Any]) -> dict[str, str]:
    contract = reading.read(document)
    return {
        f"{FOLDER}/contract.lua": _contract(contract),
        f"{FOLDER}/types.lua": _types(contract),
    }


def _contract(contract: Contract) -> str:
    lines = [
        HEADER,
        "local M = {}",
        "",
        "--- Facts about a method.",
        "---@class sessiond.Method",
        "---@field session boolean whether it takes a session handle",
        "---@field appends boolean whether `newEntryId` makes a retry safe",
        "---@field repeatable boolean whether it may be sent again after the daemon has crashed",
        "",
        "--- The requests by name.",
        "---@type table<string, sessiond.Method>",
        "M.methods = {",
        *(f"  [{_string(each.name)}] = {_facts(each)}," for each in contract.requests),
        "}",
        "",
        "--- Names of errors by code, for errors without `data.kind`.",
        "---@type table<integer, string>",
        "M.errors = {",
        *(
            f"  [{error.code}] = {_string(error.name)},"
            for error in contract.errors.values()
            if error.retryable is None
        ),
        "}",
    ]
    return "\n".join([*lines, "", "return M"]) + "\n"


def _facts(method: Method) -> str:
    facts = {
        "session": method.of_session,
        "appends": method.appends,
        "repeatable": method.repeatable,
    }
    flags = ", ".join(f"{name} = {str(value).lower()}" for name, value in facts.items())
    return f"{{ {flags} }}"


def _types(contract: Contract) -> str:
    parts = [f"---@meta\n{HEADER}"]
    for name, definition in contract.definitions.items():
        head = _comment(definition.doc)
        match definition:
            case Class():
                fields = [_field(member) for member in definition.members]
                parts.append("\n".join([*head, f"---@class sessiond.{name}", *fields]) + "\n")
            case Unknown():
                parts.append("\n".join([*head, f"---@alias sessiond.{name} any"]) + "\n")
            case Tagged():
                arms = [*dict.fromkeys(definition.classes.values()), definition.unknown]
                union = "|".join(f"sessiond.{arm}" for arm in arms)
                parts.append("\n".join([*head, f"---@alias sessiond.{name} {union}"]) + "\n")
            case model.Alias():
                shown = _type(definition.type)
                parts.append("\n".join([*head, f"---@alias sessiond.{name} {shown}"]) + "\n")
    return "\n".join(parts)


def _field(member: Member) -> str:
    name = member.name if re.fullmatch(r"[A-Za-z_]\w*", member.name) else f'["{member.name}"]'
    shown = _type(member.type)
    if member.nullable and shown != "any":
        shown += "|vim.NIL"
    doc = " ".join(member.doc.split())
    return f"---@field {name}{'' if member.required else '?'} {shown} {doc}".rstrip()


def _type(kind: Type) -> str:
    if isinstance(kind, model.Ref):
        return f"sessiond.{kind.name}"
    return _scalar(kind) if isinstance(kind, model.Scalar) else _composite(kind)


def _scalar(kind: model.Scalar) -> str:
    match kind:
        case model.Primitive(name):
            return "nil" if name == "null" else name
        case model.AnyJson():
            return "any"
        case model.Literal(values):
            return "|".join(_string(v) if isinstance(v, str) else str(v).lower() for v in values)
        case model.KnownStrings(values):
            return "|".join([*(_string(value) for value in values), "string"])


def _composite(kind: model.Composite) -> str:
    match kind:
        case model.Array(item):
            shown = _type(item)
            return f"({shown})[]" if "|" in shown else f"{shown}[]"
        case model.Tuple(items):
            return "[" + ", ".join(_type(item) for item in items) + "]"
        case model.Map(value):
            return f"table<string, {_type(value)}>"
        case model.Nullable(inner):
            return f"{_type(inner)}|vim.NIL"
        case model.OneOf(arms):
            return "|".join(_type(arm) for arm in arms)


def _comment(text: str) -> list[str]:
    return [f"--- {line}".rstrip() for line in text.splitlines()]


def _string(text: str) -> str:
    """Return a Lua string; Lua and JSON escape the characters of names and tags the same way."""
    return json.dumps(text, ensure_ascii=False)
