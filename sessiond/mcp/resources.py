"""Resources: every session and entry as text under an address."""

from __future__ import annotations

import binascii
from typing import Any

import msgspec
from sessiond_protocol.errors import INVALID_PARAMS

from sessiond.mcp import safe_text
from sessiond.mcp.open_session import OpenArguments, open_session
from sessiond.mcp.server import Era, PageParams, not_found
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
from sessiond.runtime.errors import ProtocolError

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

    async def list(self, _era: Era, params: PageParams) -> dict[str, Any]:
        infos = await self._sessions.infos()
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

    async def read(self, era: Era, params: ResourceParams) -> dict[str, Any]:
        address, info = await self._find(era, params.uri)
        # By its whole id: the address of another session must not begin like that of this one.
        given = OpenArguments(session=session_id(info), entry=address.entry)
        try:
            text = await open_session(self._sessions, given)
        except ToolFailure as error:
            raise not_found(era, params.uri) from error
        return {"contents": [{"uri": params.uri, "mimeType": TYPE, "text": text}]}

    async def _find(self, era: Era, uri: str) -> tuple[Address, Info]:
        """The session of an address. Raises ProtocolError."""
        address = address_of(uri)
        if address is not None:
            for info in await self._sessions.infos():
                if session_id(info) == address.session:
                    return address, info
        raise not_found(era, uri)


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
