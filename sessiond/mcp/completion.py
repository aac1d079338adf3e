"""`completion/complete`: the ids in the addresses of resources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec
from sessiond_protocol.errors import INVALID_PARAMS

from sessiond.errors import ProtocolError
from sessiond.mcp import safe_text
from sessiond.mcp.past import Past, ToolFailure, session_id
from sessiond.mcp.resources import ENTRY_TEMPLATE, SESSION_TEMPLATE
from sessiond.mcp.server import McpRequest
from sessiond.session.moment import Moment

_MOST = 100
"""The specification's limit."""


class Reference(msgspec.Struct):
    """What is completed: the template of an address. There are no prompts."""

    type: Literal["ref/resource", "ref/prompt"]
    uri: str = ""


class NamedValue(msgspec.Struct):
    """The argument, and the beginning of its value."""

    name: str
    value: str


class CompletionContext(msgspec.Struct):
    """The values of other arguments."""

    arguments: dict[str, str] = msgspec.field(default_factory=dict)


class CompleteParams(msgspec.Struct):
    """`completion/complete`."""

    ref: Reference
    argument: NamedValue
    context: CompletionContext | None = None


class Completion:
    """Completes ids of sessions, and of entries of a session, the latest first."""

    def __init__(self, past: Past) -> None:
        self._past = past

    async def complete(self, request: McpRequest, params: CompleteParams) -> dict[str, Any]:
        name = params.argument.name
        if params.ref.uri in (SESSION_TEMPLATE, ENTRY_TEMPLATE) and name == "id":
            ids = [session_id(info) for info in await self._past.infos(request)]
        elif params.ref.uri == ENTRY_TEMPLATE and name == "entryId":
            ids = await self._entries(request, (params.context or CompletionContext()).arguments)
        else:
            raise ProtocolError(INVALID_PARAMS, "There is no such reference or argument")
        found = [each for each in dict.fromkeys(ids) if each.startswith(params.argument.value)]
        values = found[:_MOST]
        return {
            "completion": {
                "values": values,
                "total": len(found),
                "hasMore": len(values) < len(found),
            }
        }

    async def _entries(self, request: McpRequest, known: Mapping[str, str]) -> list[str]:
        if "id" not in known:
            return []
        try:
            info = await self._past.find(request, known["id"])
        except ToolFailure:
            return []
        return await self._past.read(info, _ids)


def _ids(at: Moment) -> list[str]:
    ids = (safe_text.entry_id(entry.id) for entry in reversed(at.tree.branch(at.leaf_id)))
    return [each for each in ids if each]
