"""What a list needs of one line: its kind, its name, its message's text and time."""

from __future__ import annotations

import msgspec

from sessiond.format.jsdate import parse_js_date
from sessiond.jsontext import Buffer, js_trim, loads, raw_members

_NULL = msgspec.Raw(b"null")


class Message(msgspec.Struct, gc=False):
    """The members of a message that lists look at."""

    role: str | None = None
    content: msgspec.Raw = _NULL
    timestamp: msgspec.Raw = _NULL


class Line(msgspec.Struct, gc=False):
    """The members of an entry that lists look at."""

    type: str | None = None
    timestamp: msgspec.Raw = _NULL
    name: msgspec.Raw = _NULL
    message: Message | None = None


class _Block(msgspec.Struct, gc=False):
    type: str | None = None
    text: str | None = None


_LINE = msgspec.json.Decoder(Line)
_TEXT = msgspec.json.Decoder(str)
_BLOCKS = msgspec.json.Decoder(list[_Block])


def parse_line(raw: Buffer) -> Line | None:
    """One line of a file; None for what is no JSON object."""
    try:
        return _LINE.decode(raw)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return _parse_slowly(bytes(raw))


def _parse_slowly(raw: bytes) -> Line | None:
    """For lone surrogates, bad UTF-8 and members of unexpected types."""
    try:
        top = raw_members(raw.decode(errors="replace").encode())
    except ValueError:
        return None
    line = Line(
        type=_string(top.get("type")),
        timestamp=msgspec.Raw(top.get("timestamp", b"null")),
        name=msgspec.Raw(top.get("name", b"null")),
    )
    try:
        message = raw_members(top.get("message", b"null"))
    except ValueError:
        return line
    line.message = Message(
        role=_string(message.get("role")),
        content=msgspec.Raw(message.get("content", b"null")),
        timestamp=msgspec.Raw(message.get("timestamp", b"null")),
    )
    return line


def _string(raw: Buffer | None) -> str | None:
    value = loads(raw) if raw is not None else None
    return value if isinstance(value, str) else None


def name_of(line: Line) -> str | None:
    """The name a session_info line gives, trimmed; None clears it."""
    return js_trim(_string(bytes(line.name)) or "") or None


def activity(message: Message, line: Line) -> float:
    """When a message was sent: its own time, else its entry's; epoch ms, 0 if there is none."""
    at = loads(bytes(message.timestamp))
    if isinstance(at, int | float) and not isinstance(at, bool):
        return float(at)
    return parse_js_date(_string(bytes(line.timestamp))) or 0.0


def text_of(content: msgspec.Raw) -> str:
    """The text of a message: its string, or its text blocks joined by a space."""
    raw = bytes(content)
    try:
        if raw.startswith(b'"'):
            return _TEXT.decode(raw)
        return " ".join(block.text or "" for block in _BLOCKS.decode(raw) if block.type == "text")
    except (msgspec.DecodeError, RecursionError):
        value = loads(raw)
    if isinstance(value, str):
        return value
    blocks = value if isinstance(value, list) else []
    texts = [block.get("text") for block in blocks if _is_text(block)]
    return " ".join(text if isinstance(text, str) else "" for text in texts)


def _is_text(block: object) -> bool:
    return isinstance(block, dict) and block.get("type") == "text"
