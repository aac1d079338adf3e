"""The system message in force after a list of messages."""

from __future__ import annotations

from collections.abc import Iterable

from sessiond.jsontext.parts import elements, object_members, string_of
from sessiond.jsontext.spans import js_string


def current_system_message(messages: Iterable[bytes]) -> bytes | None:
    """Replay all system messages in order (as pi 1.5.2); None where none is in force.

    Texts are joined by a blank line, sections patched by name (`null` removes one), tools removed
    and then set by name. Members: `role,content[,sections][,toolsAdded],timestamp`, the timestamp
    that of the first system message that has one. Values are spliced as they are spelled.
    """
    texts: list[bytes] = []
    sections: dict[str, bytes] = {}
    tools: dict[str | None, bytes] = {}
    timestamp: bytes | None = None
    for message in messages:
        if b"system" not in message and b"\\u" not in message:
            continue
        members = object_members(message)
        if string_of(members.get("role")) != "system":
            continue
        found = members.get("timestamp", b"null")
        if timestamp is None and found != b"null":
            timestamp = found
        text = _text(members.get("content", b"null"))
        if text:
            texts.append(text)
        for name, value in _members(members.get("sections")).items():
            if value == b"null":
                sections.pop(name, None)
            else:
                sections[name] = value
        for tool in elements(members.get("toolsRemoved", b"null")):
            tools.pop(_name(tool), None)
        for tool in elements(members.get("toolsAdded", b"null")):
            tools[_name(tool)] = tool
    if timestamp is None and not tools:
        return None
    parts = [b'{"role":"system","content":"', rb"\n\n".join(texts), b'"']
    if sections:
        pairs = (js_string(name) + b":" + value for name, value in sections.items())
        parts += [b',"sections":{', b",".join(pairs), b"}"]
    if tools:
        parts += [b',"toolsAdded":[', b",".join(tools.values()), b"]"]
    parts += [b',"timestamp":', b"0" if timestamp is None else timestamp, b"}"]
    return b"".join(parts)


def _text(content: bytes) -> bytes:
    """The inside of a JSON string: the content, or its text blocks as lines."""
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
