"""Read the texts and tool calls of a message.

A value of an unexpected type reads as absent, because the format gives it no meaning. Nothing here
raises for valid JSON.
"""

from __future__ import annotations

import msgspec
from msgspec import Raw

from sessiond.format.line import Message
from sessiond.text.lenient import lenient

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


_decode = lenient(MessageView)
_decode_message = lenient(Message)


def role_of(message: bytes) -> str:
    """Return the role of a message; "" if it has none."""
    return (_decode_message(message) or Message()).role or ""


def view_message(message: bytes) -> MessageView:
    """Decode a message, which must be a JSON object."""
    return _decode(message) or MessageView()
