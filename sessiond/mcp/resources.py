"""Resources: every session and entry as text under an address, whose ids can be completed."""

from __future__ import annotations

import binascii
from collections.abc import Mapping
from typing import Any, Literal

import msgspec
from sessiond_protocol.errors import INVALID_PARAMS

from sessiond.errors import ProtocolError
from sessiond.mcp import safe_text
from sessiond.mcp.open_session import OpenArguments, open_session
from sessiond.mcp.server import McpRequest, PageParams, not_found
from sessiond.mcp.sessions import (
    ADDRESS,
    ADDRESS_ENTRY,
    Address,
    Info,
    ShownSessions,
    ToolFailure,
    address_of,
    session_id,
)
from sessiond.session.moment import Moment

_PAGE = 100
TYPE = "text/markdown"
SESSION_TEMPLATE = f"{ADDRESS}{{id}}"
ENTRY_TEMPLATE = f"{ADDRESS}{{id}}{ADDRESS_ENTRY}{{entryId}}"

TEMPLATES = [
    {
        "uriTemplate": SESSION_TEMPLATE,
        "name": "session",
        "title": "Session",
        "description": "The end of a session, at most 8000 tokens; open_session shows the rest.",
        "mimeType": TYPE,
    },
    {
        "uriTemplate": ENTRY_TEMPLATE,
        "name": "entry",
        "title": "Entry of a session",
        "description": "One entry, at most 8000 tokens; open_session shows the rest.",
        "mimeType": TYPE,
    },
]


class ResourceParams(msgspec.Struct):
    """The address of a resource."""

    uri: str


class Resources:
    """`resources/list` and `resources/read`."""

    def __init__(self, sessions: ShownSessions) -> None:
        self._sessions = sessions

    async def list(self, request: McpRequest, params: PageParams) -> dict[str, Any]:
        infos = await self._sessions.infos(request)
        if params.cursor is not None:
            place = _place(params.cursor)
            infos = [info for info in infos if _place_of(info) < place]
        page = {"resources": [self._described(info) for info in infos[:_PAGE]]}
        if len(infos) > _PAGE:
            return {**page, "nextCursor": _cursor(infos[_PAGE - 1])}
        return page

    def _described(self, info: Info) -> dict[str, Any]:
        modified = safe_text.timestamp(str(info["modified"]))
        return {
            "uri": Address(session_id(info), None).uri,
            "name": session_id(info),
            "title": self._sessions.title(info),
            "description": f"Session in {self._sessions.directory(info)}",
            "mimeType": TYPE,
            **({"annotations": {"lastModified": modified}} if modified else {}),
        }

    async def read(self, request: McpRequest, params: ResourceParams) -> dict[str, Any]:
        address, info = await self.find(request, params.uri)
        # By its whole id: the address of another session must not begin like that of this one.
        given = OpenArguments(session=session_id(info), entry=address.entry)
        try:
            output = await open_session(self._sessions, request, given)
        except ToolFailure as error:
            raise not_found(request.era, params.uri) from error
        return {"contents": [{"uri": params.uri, "mimeType": TYPE, "text": output.text}]}

    async def find(self, request: McpRequest, uri: str) -> tuple[Address, Info]:
        """The session of an address. Raises ProtocolError."""
        address = address_of(uri)
        if address is not None:
            for info in await self._sessions.infos(request):
                if session_id(info) == address.session:
                    return address, info
        raise not_found(request.era, uri)


def _place_of(info: Info) -> tuple[str, str]:
    """The place of a session in a list, the later ones first."""
    return str(info["modified"]), str(info["path"])


def _cursor(info: Info) -> str:
    return binascii.hexlify(msgspec.json.encode(_place_of(info))).decode()


def _place(cursor: str) -> tuple[str, str]:
    try:
        return msgspec.json.decode(binascii.unhexlify(cursor), type=tuple[str, str])
    except ValueError:
        raise ProtocolError(INVALID_PARAMS, "Invalid cursor; begin with the first page") from None


_MOST_COMPLETED = 100
"""Maximum number of values in an answer: the specification's limit."""


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

    def __init__(self, sessions: ShownSessions) -> None:
        self._sessions = sessions

    async def complete(self, request: McpRequest, params: CompleteParams) -> dict[str, Any]:
        name = params.argument.name
        if params.ref.uri in (SESSION_TEMPLATE, ENTRY_TEMPLATE) and name == "id":
            ids = [session_id(info) for info in await self._sessions.infos(request)]
        elif params.ref.uri == ENTRY_TEMPLATE and name == "entryId":
            ids = await self._entries(request, (params.context or CompletionContext()).arguments)
        else:
            raise ProtocolError(INVALID_PARAMS, "There is no such reference or argument")
        found = [each for each in dict.fromkeys(ids) if each.startswith(params.argument.value)]
        values = found[:_MOST_COMPLETED]
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
            info = await self._sessions.find(request, known["id"])
        except ToolFailure:
            return []
        return await self._sessions.read(info, _entry_ids)


def _entry_ids(at: Moment) -> list[str]:
    ids = (safe_text.entry_id(entry.id) for entry in reversed(at.tree.branch(at.leaf_id)))
    return [each for each in ids if each]
