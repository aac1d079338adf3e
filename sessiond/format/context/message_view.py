"""What planning reads of a message: its texts and calls, however odd the rest of it is.

A value of a type that does not belong there reads as absent, as the documents of the format allow
no meaning for it; nothing here raises for valid JSON.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Raw

from sessiond.jsontext.parts import elements, object_members, string_of

ABSENT = Raw()


class Block(msgspec.Struct, gc=False):
    """A content block; `arguments` is raw JSON, `ABSENT` where there is none."""

    type: str | None = None
    text: str | None = None
    thinking: str | None = None
    name: str | None = None
    arguments: Raw = ABSENT


class Spoken(msgspec.Struct, gc=False):
    """The members of a message that say something, whatever its role."""

    role: str = ""
    content: str | list[Block] | None = None
    command: str | None = None
    output: str | None = None
    summary: str | None = None
    sections: dict[str, str | None] | None = None
    toolsAdded: Raw = ABSENT  # noqa: N815 - as it is spelled there

    @property
    def blocks(self) -> list[Block]:
        """The content's blocks; none where it is a string."""
        return self.content if isinstance(self.content, list) else []

    def text(self, separator: str) -> str:
        """The content where it is a string, else its text blocks joined."""
        if isinstance(self.content, str):
            return self.content
        return separator.join(block.text or "" for block in self.blocks if block.type == "text")


class _Role(msgspec.Struct, gc=False):
    role: str = ""


_decode = msgspec.json.Decoder(Spoken).decode
_decode_role = msgspec.json.Decoder(_Role).decode


def role_of(message: bytes) -> str:
    """The role of a message; "" where it has none."""
    try:
        return _decode_role(message).role
    except (msgspec.MsgspecError, RecursionError):
        return string_of(object_members(message).get("role")) or ""


def read(message: bytes) -> Spoken:
    """Read a message, which must be a JSON object."""
    try:
        return _decode(message)
    except (msgspec.MsgspecError, RecursionError):
        return _read_carefully(message)


def _read_carefully(message: bytes) -> Spoken:
    members = object_members(message)
    content = members.get("content", b"null")
    sections = members.get("sections", b"null")
    return Spoken(
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
