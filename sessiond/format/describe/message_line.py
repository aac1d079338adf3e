"""Decode the members of a line that lists need: type, name, and its message's text and time."""

from __future__ import annotations

import msgspec

from sessiond.jsontext.parts import elements, object_members, string_of
from sessiond.jsontext.spans import js_trim, loads, raw_members
from sessiond.jsontext.utf8 import readable
from sessiond.memory import require

NULL = msgspec.Raw(b"null")
ABSENT = msgspec.Raw(b"")


class MessageFacts(msgspec.Struct, gc=False):
    """The members of a message that lists use."""

    role: str | None = None
    content: msgspec.Raw = ABSENT
    timestamp: msgspec.Raw = NULL


class Line(msgspec.Struct, gc=False):
    """The members of an entry that lists use."""

    type: str | None = None
    timestamp: msgspec.Raw = NULL
    name: msgspec.Raw = NULL
    message: MessageFacts | None = None


class _TextBlock(msgspec.Struct, gc=False):
    type: str | None = None
    text: str | None = None


_LINE = msgspec.json.Decoder(Line)
_TEXT = msgspec.json.Decoder(str)
_BLOCKS = msgspec.json.Decoder(list[_TextBlock])
_NUMBER_STARTS = b"-0123456789"


def parse_line(raw: bytes) -> Line | None:
    """Decode one line; None if it is not a JSON object. Bytes that are not UTF-8 become U+FFFD."""
    text = readable(raw)
    require(len(text))
    try:
        return _LINE.decode(text)
    except msgspec.ValidationError:
        return _parse_slowly(text)
    except msgspec.DecodeError:
        # Malformed, or it holds a lone surrogate, which can only be written as an escape.
        return _parse_slowly(text) if b"\\u" in text else None
    except RecursionError:
        return _parse_slowly(text)


def _parse_slowly(raw: bytes) -> Line | None:
    """For lone surrogates and members of unexpected types."""
    try:
        top = raw_members(raw)
    except ValueError:
        return None
    line = Line(
        type=string_of(top.get("type")),
        timestamp=msgspec.Raw(top.get("timestamp", b"null")),
        name=msgspec.Raw(top.get("name", b"null")),
    )
    sent = top.get("message", b"null")
    if sent.startswith(b"{"):
        message = object_members(sent)
        line.message = MessageFacts(
            role=string_of(message.get("role")),
            content=msgspec.Raw(message.get("content", b"")),
            timestamp=msgspec.Raw(message.get("timestamp", b"null")),
        )
    return line


def own_time(message: MessageFacts) -> float | None:
    """The `timestamp` of a message if it is a number."""
    own = bytes(message.timestamp)
    return float(loads(own)) if own[:1] in _NUMBER_STARTS else None


def name_of(name: msgspec.Raw) -> str | None:
    """The trimmed name in a session_info line; None if it clears the name."""
    return js_trim(string_of(readable(bytes(name))) or "") or None


def text_of(content: msgspec.Raw) -> str:
    """The text of a message: its string, or its text blocks joined by a space."""
    try:
        # No copy before decoding: the content may be 100 MB.
        if bytes(memoryview(content)[:1]) == b'"':
            require(2 * len(memoryview(content)))
            return _TEXT.decode(content)
        require(2 * len(memoryview(content)))
        blocks = _BLOCKS.decode(content)
        return " ".join(block.text or "" for block in blocks if block.type == "text")
    except UnicodeDecodeError:
        return text_of(msgspec.Raw(readable(bytes(content))))
    except (msgspec.DecodeError, RecursionError):
        raw = bytes(content)
        # Lone surrogates, members of unexpected types, or nesting too deep for the decoder.
        if raw.startswith(b'"'):
            return string_of(raw) or ""
    members = [object_members(block) for block in elements(raw) if block.startswith(b"{")]
    texts = [block.get("text") for block in members if string_of(block.get("type")) == "text"]
    return " ".join(string_of(text) or "" for text in texts)
