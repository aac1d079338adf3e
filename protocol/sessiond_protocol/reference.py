"""The OpenRPC document as text that people read: one section for each method and object."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sessiond_protocol.wire import SCHEMAS

Document = Mapping[str, Any]
"""The OpenRPC document, decoded."""
Schema = Mapping[str, Any]

_MOST_EXAMPLE = 1500
"""Characters of an example; longer ones explain nothing."""
_MOST_VALUES = 12


def method_section(document: Document, name: str) -> str | None:
    """Return the section of a method or notification in Markdown; None if there is none."""
    method = next((each for each in document["methods"] if each["name"] == name), None)
    return None if method is None else "\n".join(_method(document, method)) + "\n"


def object_section(document: Document, name: str) -> str | None:
    """Return the section of an object of the contract; None if there is none."""
    schema = document["components"]["schemas"].get(name)
    return None if schema is None else "\n".join(_object(name, schema)) + "\n"


def objects_of(document: Document, name: str) -> list[str]:
    """Return the names of the objects that the params and the result of a method are made of."""
    method = next(each for each in document["methods"] if each["name"] == name)
    schemas = document["components"]["schemas"]
    direct = [each["schema"] for each in method["params"]]
    result = method.get("result", {}).get("schema", {})
    direct += _properties(schemas.get(_name_of(result), result)).values()
    return list(dict.fromkeys(each for schema in direct for each in _names_in(schema)))


def _method(document: Document, method: Mapping[str, Any]) -> Iterator[str]:
    yield f"### {method['name']}"
    yield ""
    yield method["summary"]
    if method["params"]:
        yield ""
        yield from _table(
            "param", ((each["name"], each["required"], each) for each in method["params"])
        )
    schema = method.get("result", {}).get("schema")
    if schema:
        yield ""
        yield from _result(document, schema)
    errors = [each["$ref"].rpartition("/")[2] for each in method.get("errors", ())]
    if errors:
        yield ""
        yield f"Errors: {', '.join(f'`{each}`' for each in errors)}."
    yield from _example(method)


def _result(document: Document, schema: Schema) -> Iterator[str]:
    target = document["components"]["schemas"].get(_name_of(schema), schema)
    properties = _properties(target)
    if not properties:
        yield f"Result: {_type_of(schema)}."
        return
    about = target.get("description")
    yield f"Result: {about}" if about else "Result:"
    yield ""
    required = target.get("required", ())
    yield from _table(
        "member", ((each, each in required, {"schema": properties[each]}) for each in properties)
    )


def _object(name: str, schema: Schema) -> Iterator[str]:
    yield f"### {name}"
    yield ""
    yield schema.get("description", f"{_type_of(schema)}.")
    properties = _properties(schema)
    if properties:
        required = schema.get("required", ())
        yield ""
        yield from _table(
            "member",
            ((each, each in required, {"schema": properties[each]}) for each in properties),
        )
    elif "anyOf" in schema:
        yield ""
        yield f"One of {_type_of(schema)}."


def _table(title: str, rows: Iterator[tuple[str, bool, Schema]]) -> Iterator[str]:
    yield f"| {title} | type | |"
    yield "|---|---|---|"
    for name, is_required, described in rows:
        schema = described["schema"]
        about = described.get("description") or schema.get("description", "")
        mark = "" if is_required else "?"
        yield f"| `{name}{mark}` | {_cell(_type_of(schema))} | {_cell(about)} |"


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def _example(method: Mapping[str, Any]) -> Iterator[str]:
    """Yield the shortest example that fits: a request and its result."""
    texts = []
    for example in method.get("examples", ()):
        params = {each["name"]: each["value"] for each in example["params"]}
        result = example.get("result", {}).get("value")
        if result is None and method["result"]["schema"].get("type") != "null":
            # The test that it comes from compares no result.
            continue
        request = json.dumps(params, ensure_ascii=False)
        texts.append(f"→ {method['name']} {request}\n← {json.dumps(result, ensure_ascii=False)}")
    best = min(texts, key=len, default="")
    if 0 < len(best) <= _MOST_EXAMPLE:
        yield from ("", "```text", best, "```")


def _type_of(schema: Schema) -> str:
    """Return the type of a value in words; `A | B` for one of several."""
    name = _name_of(schema)
    if name:
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        may_be_null = schema.get("x-nullMeans") != "absent"
        parts = [each for each in schema["anyOf"] if may_be_null or each.get("type") != "null"]
        return " | ".join(dict.fromkeys(map(_type_of, parts)))
    values = schema.get("enum") or schema.get("x-knownValues")
    if values:
        shown = " | ".join(f"`{json.dumps(each)}`" for each in values[:_MOST_VALUES])
        return f"{shown} | …" if len(values) > _MOST_VALUES else shown
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if schema.get("type") == "array":
        items = _type_of(schema.get("items", {}))
        return f"({items})[]" if " | " in items else f"{items}[]"
    kind = schema.get("type", "any")
    return " | ".join(kind) if isinstance(kind, list) else str(kind)


def _name_of(schema: Schema) -> str:
    return str(schema.get("$ref", "")).removeprefix(SCHEMAS)


def _properties(schema: Schema) -> Mapping[str, Schema]:
    properties: Mapping[str, Schema] = schema.get("properties", {})
    return properties


def _names_in(schema: Schema) -> Iterator[str]:
    name = _name_of(schema)
    if name:
        yield name
    parts: Sequence[Schema] = [*schema.get("anyOf", ()), schema.get("items", {})]
    for part in parts:
        if part:
            yield from _names_in(part)
