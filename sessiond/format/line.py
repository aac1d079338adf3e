"""One line of a session file, decoded in one pass that skips everything else."""

from __future__ import annotations

import msgspec

from sessiond.text.dates import FARTHEST, parse_js_date
from sessiond.text.lenient import lenient
from sessiond.text.parts import elements, object_members, string_of
from sessiond.text.spans import js_trim
from sessiond.text.utf8 import readable

NULL = msgspec.Raw(b"null")
ABSENT = msgspec.Raw(b"")

Time = str | float | None
"""A time as written: a date, or milliseconds since the epoch."""


class Message(msgspec.Struct, gc=False, rename="camel"):
    """The members of a message that are used; those of unexpected types are None."""

    role: str | None = None
    content: msgspec.Raw = ABSENT
    timestamp: Time = None
    provider: str | None = None
    model: str | None = None
    response_model: str | None = None
    tool_name: str | None = None
    usage: msgspec.Raw = NULL

    @property
    def time(self) -> float | None:
        """Its `timestamp` in epoch milliseconds; None if that is not a number."""
        return None if isinstance(self.timestamp, str) else self.timestamp


class Line(msgspec.Struct, gc=False, rename="camel"):
    """The members of a line that are used; those of unexpected types are None."""

    type: str | None = None
    id: str | None = None
    parent_id: str | None = None
    timestamp: Time = None
    append_mode: str | None = None
    message: Message | None = None
    name: str | None = None
    """The name that a `session_info` line gives."""
    title: str | None = None
    """The name that a `title_change` line of Oh My Pi gives."""
    label: str | None = None
    target_id: str | None = None
    first_kept_entry_id: str | None = None
    provider: str | None = None
    """Provider, model and usage of entries that are not messages."""
    model: str | None = None
    usage: msgspec.Raw = NULL
    answer_id: str | None = None
    """The agent's id of the answer in a translated session, also in copies of the session."""
    part_of: str | None = None
    """In a translated session, the entry with which an answer began that this one continues."""
    works_in: str | None = None
    """In a translated session, a further directory in which it works from here on."""
    moved_to: str | None = None
    """In a translated session, the directory to which its file was moved."""
    priced_answers: int | None = None
    """In a translated session, the number of answers whose cost a usage entry records."""


class Block(msgspec.Struct, gc=False):
    """A block of a message: its type, and its text if it is a block of text."""

    type: str | None = None
    text: str | None = None


decode_line = msgspec.json.Decoder(Line).decode
"""Raises msgspec.MsgspecError for unusual lines, RecursionError for deeply nested ones."""
_parse = lenient(Line)
_text = lenient(str)
_blocks = lenient(list[Block])


def parse_line(raw: bytes) -> Line | None:
    """Decode one line; None if it is not a JSON object. Bytes that are not UTF-8 become U+FFFD."""
    return _parse(readable(raw))


def parse_lines(block: bytes) -> list[Line]:
    """Decode complete lines as `parse_line` decodes each, without those that are not objects.

    Bytes that are not UTF-8 may still be in the undecoded members.
    """
    lines: list[Line] = []
    add, start = lines.append, 0
    while start < len(block):
        end = block.find(b"\n", start)
        raw = block[start : end if end >= 0 else None]
        start += len(raw) + 1
        try:
            add(decode_line(raw))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            if (line := parse_line(raw)) is not None:
                add(line)
    return lines


def listed_time(message: Message, line: Line) -> float:
    """Return the time of a message in epoch milliseconds: its own, else its entry's, else 0.

    A number beyond all dates, such as one of nanoseconds, is no time.
    A message without a `content` member does not count (as pi 1.6.0).
    """
    if not memoryview(message.content):
        return 0.0
    own = message.time
    if own is not None and own <= FARTHEST:
        return own
    return parse_js_date(line.timestamp if isinstance(line.timestamp, str) else None) or 0.0


def name_of(line: Line) -> str | None:
    """Return the trimmed name in a line that names the session; None if it clears the name."""
    return js_trim(line.name or line.title or "") or None


def blocks_of(content: msgspec.Raw) -> list[Block]:
    """Return the blocks of a message; none if its content is a text."""
    return _blocks(content) or []


def text_of(content: msgspec.Raw) -> str:
    """Return the text of a message: its string, or its text blocks joined by a space."""
    # No copy before decoding: the content may be 100 MB.
    if bytes(memoryview(content)[:1]) == b'"':
        return _text(content) or ""
    return " ".join([block.text or "" for block in blocks_of(content) if block.type == "text"])


def is_unanswered(message: Message) -> bool:
    """Return whether a model or a tool has to go on after a message: a prompt, call or result."""
    if message.role != "assistant":
        return message.role in {"user", "toolResult"}
    blocks = elements(message.content)
    return bool(blocks) and string_of(object_members(blocks[-1]).get("type")) == "toolCall"
