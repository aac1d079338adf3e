"""Build the OpenRPC document from the classes; not used at run time, see `openrpc`."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import attrs
import msgspec

from sessiond_protocol import PROTOCOL_VERSION
from sessiond_protocol.connection.progress import PartialSessions, WorkDoneProgress
from sessiond_protocol.content import BLOCKS, UnknownBlock, Usage
from sessiond_protocol.described import describe
from sessiond_protocol.entries import ENTRIES, Replacement, SessionHeader, UnknownEntry
from sessiond_protocol.errors import DATA_SCHEMAS, ERROR_KINDS, JSON_RPC_ERRORS, ErrorKind
from sessiond_protocol.messages import MESSAGES, UnknownMessage
from sessiond_protocol.method import Method
from sessiond_protocol.registry import METHODS, NOTIFICATIONS
from sessiond_protocol.session.read import OutlineNode, TreeNode
from sessiond_protocol.wire import SCHEMAS

Schema = dict[str, Any]

_FAMILIES = ("session", "catalog", "context", "gateway")


@attrs.frozen
class Union:
    """A component that is one of several classes, selected by a tag."""

    name: str
    description: str
    tag: str
    classes: dict[str, type[Any]]
    unknown: type[Any]


UNIONS = (
    Union("Header", "A session's header.", "type", {"session": SessionHeader}, UnknownEntry),
    Union("Entry", "An entry of a session, by its `type`.", "type", ENTRIES, UnknownEntry),
    Union("Message", "A message, by its `role`.", "role", MESSAGES, UnknownMessage),
    Union("Block", "A content block, by its `type`.", "type", BLOCKS, UnknownBlock),
)


EXPERIMENTAL = frozenset(
    {
        "gateway/resolveKey",
        "gateway/evaluateFreshness",
        "gateway/isSilentReply",
    }
)
"""Rules of gateways that need no store; they follow OpenClaw and may change with it."""


def build(examples: Mapping[str, Schema] | None = None) -> dict[str, Any]:
    """Return the OpenRPC document of everything in the registry; the result is deterministic.

    `examples` has the example pairing of methods by name.
    """
    schemas = _components()
    examples = examples or {}
    return {
        "openrpc": "1.3.2",
        "info": {
            "title": "sessiond",
            # Generators take it for the version of a package.
            "version": f"{PROTOCOL_VERSION}.0.0",
            "description": (
                "Serves coding-agent session files live over JSON-RPC on stdio. A member with"
                ' `x-nullMeans: "value"` has three states: absent, null and a value; with'
                ' `"absent"`, null means the same as leaving it out. A union lists its classes by'
                " tag in `x-tagged`; a value with another tag, or one that does not fit its class,"
                " belongs to the `unknown` class, unchanged. Later versions may add members to the"
                " objects of answers and notifications, and values to the `x-knownValues` of a"
                " string; clients ignore those members and keep those values. A member with"
                " `x-requiredIf` is there whenever the other member named has one of these values."
                " Of params, a member with `x-requiredUnless` is required unless the other member"
                " named is there; one with `x-clientDefault` is sent with this value by the typed"
                " clients if their user leaves it out."
                " A client may send a request with `x-repeatable` again if the daemon ended before"
                " it answered; a request that takes a `newEntryId` only with that id."
            ),
            "license": {"name": "MIT"},
        },
        "methods": [
            *(_method(each, schemas, examples.get(each.name)) for each in METHODS.values()),
            *(
                {**_method(each, schemas, None), "x-sender": "daemon"}
                for each in NOTIFICATIONS.values()
            ),
        ],
        "components": {
            "schemas": schemas,
            "errors": {
                **{
                    name: _error(code, name, retryable=False)
                    for name, (code, _) in JSON_RPC_ERRORS.items()
                },
                **{
                    kind.kind: _error(kind.code, kind.kind, retryable=kind.retryable)
                    for kind in ERROR_KINDS.values()
                },
            },
        },
        "x-errors": {
            **{name: {"description": about} for name, (_, about) in JSON_RPC_ERRORS.items()},
            **{
                kind.kind: {"description": kind.description, "data": _error_data(kind)}
                for kind in ERROR_KINDS.values()
            },
        },
    }


def _method(method: Method, schemas: dict[str, Schema], example: Schema | None) -> dict[str, Any]:
    family = method.name.partition("/")[0]
    tags = [family if family in _FAMILIES else "connection"]
    if method.kind == "notification" or method.name in NOTIFICATIONS:
        tags.append("notification")
    described: dict[str, Any] = {
        "name": method.name,
        "summary": method.summary,
        "description": _description(method, schemas),
        "tags": [{"name": tag} for tag in tags],
        "paramStructure": "by-name",
        "params": [],
    }
    if method.name in EXPERIMENTAL:
        described["x-stability"] = "experimental"
    if example is not None:
        described["examples"] = [example]
    if method.params is not None:
        name = method.params.__name__
        described["params"] = list(_descriptors(name, schemas[name]))
        described["x-params"] = _ref(method.params)
    if method.kind == "request":
        described["result"] = {"name": "result", "schema": _result(method)}
        described["x-repeatable"] = method.repeatable
        described["errors"] = [{"$ref": f"#/components/errors/{kind}"} for kind in method.errors]
    return described


def _description(method: Method, schemas: Mapping[str, Schema]) -> str:
    """Describe a method by its summary, its params and its result, as their classes say."""
    parts = [method.summary]
    for title, kind in (("Params", method.params), ("Result", method.result)):
        about = schemas.get(getattr(kind, "__name__", ""), {}).get("description")
        parts += [f"{title}: {about}"] if about else []
    return "\n\n".join(parts)


def _result(method: Method) -> Schema:
    if method.result is None:
        return {"type": "null"}
    return _ref(method.result) if attrs.has(method.result) else {"type": "object"}


def _descriptors(class_name: str, params: Schema) -> Iterator[dict[str, Any]]:
    required = params.get("required", ())
    for name, schema in sorted(
        params["properties"].items(), key=lambda item: item[0] not in required
    ):
        plain = {key: value for key, value in schema.items() if key != "description"}
        if "$ref" not in plain:
            # Generators name the type of a param so.
            plain = {"title": f"{class_name}{name[0].upper()}{name[1:]}", **plain}
        descriptor = {"name": name, "required": name in required, "schema": plain}
        if "description" in schema:
            descriptor["description"] = schema["description"]
        yield descriptor


def _error(code: int, kind: str, *, retryable: bool) -> dict[str, Any]:
    return {"code": code, "message": kind, "data": {"kind": kind, "retryable": retryable}}


def _error_data(kind: ErrorKind) -> Schema:
    """Return the schema of `error.data`, which the error objects of OpenRPC have no place for."""
    own = {
        name: {"description": description, **DATA_SCHEMAS[name]}
        for name, description in kind.data.items()
    }
    return {
        "type": "object",
        "properties": {
            "kind": {"const": kind.kind},
            "retryable": {"const": kind.retryable},
            **own,
        },
        "required": ["kind", "retryable", *own],
    }


def _components() -> dict[str, Schema]:
    methods = (*METHODS.values(), *NOTIFICATIONS.values())
    params = [method.params for method in methods if method.params is not None]
    results = [
        method.result
        for method in methods
        if method.result is not None and attrs.has(method.result)
    ]
    tagged = [cls for union in UNIONS for cls in union.classes.values()]
    others = [TreeNode, OutlineNode, WorkDoneProgress, PartialSessions, Usage, Replacement]
    types = dict.fromkeys([*params, *results, *tagged, *others])
    _, schemas = msgspec.json.schema_components(types, ref_template=f"{SCHEMAS}{{name}}")
    for name, schema in schemas.items():
        _plain_arrays(schema)
        schema["description"] = inspect.cleandoc(schema.get("description", ""))
        _require_tags(schema)
        describe(name, schema)
        if not schema["required"]:
            del schema["required"]
    _mark_null(schemas, {cls.__name__ for cls in params})
    sent = [method.params for method in METHODS.values() if method.params is not None]
    _open_values(schemas, {cls.__name__ for cls in (*sent, *tagged)})
    schemas |= {union.name: _tagged(union) for union in UNIONS}
    schemas |= {
        union.unknown.__name__: {
            "title": union.unknown.__name__,
            "description": union.unknown.__doc__,
        }
        for union in UNIONS
    }
    schemas["Content"] = {
        "description": "Text, or a list of content blocks.",
        "anyOf": [{"type": "string"}, {"type": "array", "items": {"$ref": f"{SCHEMAS}Block"}}],
    }
    schemas["Node"] = _either("A node of the tree, by `detail`.", TreeNode, OutlineNode)
    schemas["ProgressValue"] = _either(
        "The value of `$/progress`, by its token.", WorkDoneProgress, PartialSessions
    )
    return dict(sorted(schemas.items()))


def _ref(cls: type[Any]) -> Schema:
    return {"$ref": f"{SCHEMAS}{cls.__name__}"}


def _refs(classes: Iterable[type[Any]]) -> list[Schema]:
    return [_ref(cls) for cls in classes]


def _either(description: str, *classes: type[Any]) -> Schema:
    return {"description": description, "anyOf": _refs(classes)}


def _tagged(union: Union) -> Schema:
    return {
        "description": union.description,
        "anyOf": _refs([*union.classes.values(), union.unknown]),
        "x-tagged": {
            "member": union.tag,
            "classes": {tag: f"{SCHEMAS}{cls.__name__}" for tag, cls in union.classes.items()},
            "unknown": f"{SCHEMAS}{union.unknown.__name__}",
        },
    }


def _plain_arrays(schema: Any) -> None:
    """Give every array `items`, which generators need, and no `prefixItems`, which few know."""
    if isinstance(schema, list):
        for each in schema:
            _plain_arrays(each)
    elif isinstance(schema, dict):
        for each in schema.values():
            _plain_arrays(each)
        if "prefixItems" in schema:
            first, *rest = schema.pop("prefixItems")
            assert all(each == first for each in rest), "a tuple of several types"  # noqa: S101
            schema["items"] = first
        elif schema.get("type") == "array":
            schema.setdefault("items", {})


def _require_tags(schema: Schema) -> None:
    """Make members with one possible value required; their default is only for constructors."""
    for name, member in schema["properties"].items():
        if len(member.get("enum", ())) == 1:
            member["const"] = member.pop("enum")[0]
            member.pop("default", None)
            others = [one for one in schema.get("required", ()) if one != name]
            schema["required"] = [name, *others]


def _mark_null(schemas: dict[str, Schema], params: set[str]) -> None:
    """Mark every nullable optional param, also nested ones: null means absent."""
    pending, seen = list(params), {cls.__name__ for cls in (Usage, Replacement)}
    while pending:
        name = pending.pop()
        if name in seen or name not in schemas:
            continue
        seen.add(name)
        for member_name, member in schemas[name]["properties"].items():
            _admit_null(member)
            arms = member.get("anyOf", ())
            if {"type": "null"} in arms and member_name not in schemas[name].get("required", ()):
                member.setdefault("x-nullMeans", "absent")
            pending += [
                arm["$ref"].removeprefix(SCHEMAS) for arm in (member, *arms) if "$ref" in arm
            ]


def _open_values(schemas: dict[str, Schema], closed: set[str]) -> None:
    """Make one of several strings an open set, except in these classes and what they contain."""
    pending, seen = list(closed), set[str]()
    while pending:
        name = pending.pop()
        if name in schemas and name not in seen:
            seen.add(name)
            pending += [ref.removeprefix(SCHEMAS) for ref in _referred(schemas[name])]
    for name, schema in schemas.items():
        if name not in seen:
            for member in schema["properties"].values():
                _open(member)


def _referred(schema: Any) -> Iterator[str]:
    if isinstance(schema, list):
        for each in schema:
            yield from _referred(each)
    elif isinstance(schema, dict):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"]
        for each in schema.values():
            yield from _referred(each)


def _open(schema: Any) -> None:
    if isinstance(schema, list):
        for each in schema:
            _open(each)
    elif isinstance(schema, dict):
        for each in schema.values():
            _open(each)
        if "enum" in schema or "const" in schema:
            values = schema.pop("enum", None) or [schema.pop("const")]
            schema |= {"type": "string", "x-knownValues": values}


def _admit_null(member: Schema) -> None:
    """Allow null for a raw member in which null is a value; its component does not allow it."""
    if member.get("x-nullMeans") == "value" and "$ref" in member:
        member["anyOf"] = [{"$ref": member.pop("$ref")}, {"type": "null"}]
