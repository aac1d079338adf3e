"""Compute the system message in force after a list of messages."""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from sessiond.jsontext.parts import elements, object_members, string_of
from sessiond.jsontext.spans import js_string


def current_system_message(messages: Iterable[bytes]) -> bytes | None:
    """Apply all system messages in order (as pi 1.5.2); None if no system message is in force.

    Texts are joined by a blank line. Sections are set by name, and `null` removes one. Tools are
    first removed and then set by name. Members of the result:
    `role,content[,sections][,toolsAdded],timestamp`; the timestamp is that of the first system
    message that has one. Values keep their spelling.
    """
    current = _SystemMessage()
    for message in messages:
        if b"system" not in message and b"\\u" not in message:
            # Without an escape the role cannot be spelled in another way.
            continue
        members = object_members(message)
        if string_of(members.get("role")) == "system":
            current.apply(members)
    return current.encode()


@attrs.define
class _SystemMessage:
    texts: list[bytes] = attrs.field(factory=list)
    sections: dict[str, bytes] = attrs.field(factory=dict)
    tools: dict[str | None, bytes] = attrs.field(factory=dict)
    timestamp: bytes | None = None

    def apply(self, members: dict[str, bytes]) -> None:
        timestamp = members.get("timestamp", b"null")
        if self.timestamp is None and timestamp != b"null":
            self.timestamp = timestamp
        text = _text(members.get("content", b"null"))
        if text:
            self.texts.append(text)
        for name, value in _members(members.get("sections")).items():
            if value == b"null":
                self.sections.pop(name, None)
            else:
                self.sections[name] = value
        for tool in elements(members.get("toolsRemoved", b"null")):
            self.tools.pop(_name(tool), None)
        for tool in elements(members.get("toolsAdded", b"null")):
            self.tools[_name(tool)] = tool

    def encode(self) -> bytes | None:
        if self.timestamp is None and not self.tools:
            return None
        parts = [b'{"role":"system","content":"', rb"\n\n".join(self.texts), b'"']
        if self.sections:
            pairs = (js_string(name) + b":" + value for name, value in self.sections.items())
            parts += [b',"sections":{', b",".join(pairs), b"}"]
        if self.tools:
            parts += [b',"toolsAdded":[', b",".join(self.tools.values()), b"]"]
        parts += [b',"timestamp":', self.timestamp or b"0", b"}"]
        return b"".join(parts)


def _text(content: bytes) -> bytes:
    """Return the inside of a JSON string: the content, or its text blocks as lines."""
    if content[:1] == b'"':
        return content[1:-1]
    texts = []
    for block in elements(content):
        members = _members(block)
        if members.get("type") == b'"text"':
            text = members.get("text", b"")
            texts.append(text[1:-1] if text[:1] == b'"' else b"")
    return rb"\n".join(texts)


def _members(raw: bytes | None) -> dict[str, bytes]:
    return object_members(raw) if raw is not None and raw[:1] == b"{" else {}


def _name(tool: bytes) -> str | None:
    return string_of(_members(tool).get("name"))
