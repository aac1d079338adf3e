"""Read the texts and tool calls of a message.

A value of an unexpected type reads as absent, because the format gives it no meaning. Nothing here
raises for valid JSON.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Raw

from sessiond.jsontext.parts import elements, object_members, string_of

ABSENT = Raw()


class Block(msgspec.Struct, gc=False):
    """A content block; `arguments` is raw JSON, or `ABSENT`."""

    type: str | None = None
    text: str | None = None
    thinking: str | None = None
    name: str | None = None
    arguments: Raw = ABSENT


class MessageView(msgspec.Struct, gc=False):
    """The members of a message of any role that hold text or calls."""

    role: str = ""
    content: str | list[Block] | None = None
    command: str | None = None
    output: str | None = None
    summary: str | None = None
    sections: dict[str, str | None] | None = None
    toolsAdded: Raw = ABSENT  # noqa: N815 - the name on disk

    @property
    def blocks(self) -> list[Block]:
        """The blocks of the content; empty if the content is a string."""
        return self.content if isinstance(self.content, list) else []

    def text(self, separator: str) -> str:
        """Return the content if it is a string, else its text blocks joined by `separator`."""
        if isinstance(self.content, str):
            return self.content
        return separator.join(block.text or "" for block in self.blocks if block.type == "text")


class _Role(msgspec.Struct, gc=False):
    role: str = ""


_decode = msgspec.json.Decoder(MessageView).decode
_decode_role = msgspec.json.Decoder(_Role).decode


def role_of(message: bytes) -> str:
    """Return the role of a message; "" if it has none."""
    try:
        return _decode_role(message).role
    except (msgspec.MsgspecError, RecursionError):
        return string_of(object_members(message).get("role")) or ""


def view_message(message: bytes) -> MessageView:
    """Decode a message, which must be a JSON object."""
    try:
        return _decode(message)
    except (msgspec.MsgspecError, RecursionError):
        return _view_carefully(message)


def _view_carefully(message: bytes) -> MessageView:
    members = object_members(message)
    content = members.get("content", b"null")
    sections = members.get("sections", b"null")
    return MessageView(
        role=string_of(members.get("role")) or "",
        content=_content(content),
        command=string_of(members.get("command")),
        output=string_of(members.get("output")),
        summary=string_of(members.get("summary")),
        sections=_sections(sections) if sections[:1] == b"{" else None,
        toolsAdded=Raw(members.get("toolsAdded", b"")),
    )


def _content(raw: bytes) -> str | list[Block] | None:
    if raw[:1] == b"[":
        return [_block(each) for each in elements(raw) if each[:1] == b"{"]
    return string_of(raw)


def _block(raw: bytes) -> Block:
    members = object_members(raw)
    texts: dict[str, Any] = {
        name: string_of(members.get(name)) for name in ("type", "text", "thinking", "name")
    }
    return Block(**texts, arguments=Raw(members.get("arguments", b"")))


def _sections(raw: bytes) -> dict[str, str | None]:
    return {name: string_of(value) for name, value in object_members(raw).items()}
