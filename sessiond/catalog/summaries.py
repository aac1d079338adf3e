"""What a list shows of a session: one pass over its file, decoding no more than the list needs.

The rules are those of pi 1.5.2's session selector; files are only ever read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import BinaryIO

import attrs
import msgspec

from sessiond.catalog.discover import first_header
from sessiond.files.identity import FileState, open_regular
from sessiond.format.header import Header
from sessiond.format.jsdate import parse_js_date
from sessiond.jsontext import JS_SPACE, Buffer, loads, raw_members

NO_MESSAGES = "(no messages)"
"""Stands for the first message of a session without user text, as in pi."""

_CHUNK = 1024 * 1024


@attrs.frozen
class Summary:
    """One session as a list shows it. Times are epoch milliseconds."""

    path: str
    header: Header
    state: FileState
    name: str | None
    created: float
    modified: float
    message_count: int
    first_message: str
    all_messages_text: str


class _Message(msgspec.Struct, gc=False):
    role: str | None = None
    content: msgspec.Raw = msgspec.Raw(b"null")
    timestamp: msgspec.Raw = msgspec.Raw(b"null")


class _Line(msgspec.Struct, gc=False):
    type: str | None = None
    timestamp: msgspec.Raw = msgspec.Raw(b"null")
    name: msgspec.Raw = msgspec.Raw(b"null")
    message: _Message | None = None


class _Block(msgspec.Struct, gc=False):
    type: str | None = None
    text: str | None = None


_LINE = msgspec.json.Decoder(_Line)
_TEXT = msgspec.json.Decoder(str)
_BLOCKS = msgspec.json.Decoder(list[_Block])


def summarise(path: str) -> Summary | None:
    """Read a session file and sum it up; None when it is not a session.

    Raises ReadFailed or SessionNotFound when the file cannot be read.
    """
    descriptor = open_regular(path)
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        state = FileState.of(os.fstat(descriptor))
        lines = _lines(file)
        header = first_header(lines)
        if header is None:
            return None
        return _sum_up(path, header, state, lines)


def _lines(file: BinaryIO) -> Iterator[bytes]:
    rest = b""
    while chunk := file.read(_CHUNK):
        *whole, rest = (rest + chunk).split(b"\n")
        yield from whole
    if rest:
        yield rest


def _sum_up(path: str, header: Header, state: FileState, lines: Iterator[bytes]) -> Summary:
    name: str | None = None
    count = 0
    first = ""
    texts: list[str] = []
    latest = 0.0
    for raw in lines:
        line = _decode(raw)
        if line is None:
            continue
        if line.type == "session_info":
            name = (_string(line.name) or "").strip(JS_SPACE) or None
        if line.type != "message":
            continue
        count += 1
        message = line.message
        if message is None or message.role not in {"user", "assistant"}:
            continue
        latest = max(latest, _activity(message, line))
        text = _text(message.content)
        if text:
            texts.append(text)
            if not first and message.role == "user":
                first = text
    began = parse_js_date(header.timestamp)
    written = state.mtime_ns / 1e6
    return Summary(
        path=path,
        header=header,
        state=state,
        name=name,
        created=began if began is not None else written,
        modified=latest if latest > 0 else (began if began is not None else written),
        message_count=count,
        first_message=first or NO_MESSAGES,
        all_messages_text=" ".join(texts),
    )


def _decode(raw: bytes) -> _Line | None:
    try:
        return _LINE.decode(raw)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return _decode_slowly(raw)


def _decode_slowly(raw: bytes) -> _Line | None:
    """For lone surrogates, bad UTF-8 and members of unexpected types."""
    try:
        top = raw_members(raw.decode(errors="replace").encode())
    except ValueError:
        return None
    line = _Line(
        type=_string(top.get("type")),
        timestamp=msgspec.Raw(top.get("timestamp", b"null")),
        name=msgspec.Raw(top.get("name", b"null")),
    )
    try:
        message = raw_members(top.get("message", b"null"))
    except ValueError:
        return line
    line.message = _Message(
        role=_string(message.get("role")),
        content=msgspec.Raw(message.get("content", b"null")),
        timestamp=msgspec.Raw(message.get("timestamp", b"null")),
    )
    return line


def _string(raw: Buffer | None) -> str | None:
    value = loads(raw) if raw is not None else None
    return value if isinstance(value, str) else None


def _activity(message: _Message, line: _Line) -> float:
    at = loads(bytes(message.timestamp))
    if isinstance(at, int | float) and not isinstance(at, bool):
        return float(at)
    return parse_js_date(_string(bytes(line.timestamp))) or 0.0


def _text(content: msgspec.Raw) -> str:
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
