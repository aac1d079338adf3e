"""What every tool has: its description, its schemas, and its result."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

import attrs
import msgspec

from sessiond.mcp.past import Past
from sessiond.mcp.server import McpRequest


@attrs.frozen
class ToolOutput:
    """What a tool answers: a text for the model, and the same as values of the output schema."""

    text: str
    values: msgspec.Struct


@attrs.frozen
class Tool:
    """A tool. `run` raises ToolFailure with what the model can do instead."""

    name: str
    title: str
    description: str
    arguments: type[msgspec.Struct]
    output: type[msgspec.Struct]
    run: Callable[[Past, McpRequest, Any], Coroutine[Any, Any, ToolOutput]]
    writes: bool = False

    def described(self) -> dict[str, Any]:
        """The tool as `tools/list` shows it."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": schema_of(self.arguments),
            "outputSchema": schema_of(self.output),
            "annotations": {
                "title": self.title,
                "readOnlyHint": not self.writes,
                "destructiveHint": False,
                "idempotentHint": True,
                "openWorldHint": False,
            },
        }


def schema_of(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """The JSON Schema of a class, without references and without `null` for what is optional.

    Several agents pass schemas on to models that support neither.
    """
    schema = msgspec.json.schema(kind)
    return dict(_plain(schema, schema.get("$defs", {})))


def _plain(schema: Any, named: dict[str, Any]) -> Any:
    if isinstance(schema, list):
        return [_plain(each, named) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        found = named[schema["$ref"].rpartition("/")[2]]
        return _plain({**found, **{k: v for k, v in schema.items() if k != "$ref"}}, named)
    if "anyOf" in schema:
        rest = [each for each in schema["anyOf"] if each != {"type": "null"}]
        if len(rest) == 1:
            others = {name: value for name, value in schema.items() if name != "anyOf"}
            schema = {**rest[0], **others}
    return {
        name: _members(value, named) if name == "properties" else _plain(value, named)
        for name, value in schema.items()
        if name not in ("$defs", "title") and not (name == "default" and value is None)
    }


def _members(schemas: dict[str, Any], named: dict[str, Any]) -> dict[str, Any]:
    return {name: _plain(schema, named) for name, schema in schemas.items()}
