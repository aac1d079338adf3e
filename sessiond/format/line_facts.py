"""What lists, searches and figures use of a line, decoded in one pass that skips everything else.

An open session indexes other members of each line (`entries.QuickFacts`): decoding these as well
took a sixth longer (`python dev/bench/run.py opening`).
"""

from __future__ import annotations

import msgspec

from sessiond.jsontext.dates import FARTHEST, parse_js_date
from sessiond.jsontext.lenient import lenient
from sessiond.jsontext.parts import elements, object_members, string_of
from sessiond.jsontext.spans import js_trim
from sessiond.jsontext.utf8 import readable

NULL = msgspec.Raw(b"null")
ABSENT = msgspec.Raw(b"")
_OPENING, _CLOSING = b"{}"
_NUMBER_STARTS = b"-0123456789"


class MessageFacts(msgspec.Struct, gc=False, rename={"response_model": "responseModel"}):
    """The members of a message that are used; those of unexpected types are None."""

    role: str | None = None
    content: msgspec.Raw = ABSENT
    timestamp: msgspec.Raw = NULL
    provider: str | None = None
    model: str | None = None
    response_model: str | None = None
    usage: msgspec.Raw = NULL

    @property
    def time(self) -> float | None:
        """Its `timestamp` in epoch milliseconds; None if that is not a number."""
        own = bytes(self.timestamp)
        return float(own) if own[:1] in _NUMBER_STARTS else None


class LineFacts(msgspec.Struct, gc=False):
    """The members of an entry that are used; those of unexpected types are None.

    `provider`, `model` and `usage` belong to entries that are not messages.
    """

    type: str | None = None
    id: str | None = None
    timestamp: msgspec.Raw = NULL
    name: msgspec.Raw = NULL
    message: MessageFacts | None = None
    provider: str | None = None
    model: str | None = None
    usage: msgspec.Raw = NULL


class _TextBlock(msgspec.Struct, gc=False):
    type: str | None = None
    text: str | None = None


_LINE = msgspec.json.Decoder(LineFacts)
_parse_line = lenient(LineFacts)
_TEXT = msgspec.json.Decoder(str)
_BLOCKS = msgspec.json.Decoder(list[_TextBlock])


def parse_line(raw: bytes) -> LineFacts | None:
    """Decode one line; None if it is not a JSON object. Bytes that are not UTF-8 become U+FFFD."""
    return _parse_line(readable(raw))


def parse_lines(block: bytes) -> list[LineFacts]:
    """Decode complete lines as `parse_line` decodes each, without those that are not objects.

    Bytes that are not UTF-8 may still be in the undecoded members.
    """
    count = _objects(block)
    if count:
        try:
            lines = _LINE.decode_lines(block)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            # Some line needs more care.
            pass
        else:
            if len(lines) == count:
                return lines
    return [line for raw in block.split(b"\n") if raw and (line := parse_line(raw)) is not None]


def listed_time(message: MessageFacts, line: LineFacts) -> float:
    """Return the time of a message in epoch milliseconds: its own, else its entry's, else 0.

    A number beyond all dates, such as one of nanoseconds, is no time.
    A message without a `content` member does not count (as pi 1.5.2).
    """
    if not memoryview(message.content):
        return 0.0
    own = message.time
    if own is not None and own <= FARTHEST:
        return own
    return parse_js_date(string_of(readable(bytes(line.timestamp)))) or 0.0


def name_of(name: msgspec.Raw) -> str | None:
    """Return the trimmed name in a session_info line; None if it clears the name."""
    return js_trim(string_of(readable(bytes(name))) or "") or None


def text_of(content: msgspec.Raw) -> str:
    """Return the text of a message: its string, or its text blocks joined by a space."""
    try:
        # No copy before decoding: the content may be 100 MB.
        if bytes(memoryview(content)[:1]) == b'"':
            return _TEXT.decode(content)
        blocks = _BLOCKS.decode(content)
        return " ".join([block.text or "" for block in blocks if block.type == "text"])
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


def _objects(block: bytes) -> int:
    """Return the number of lines if each of them begins with `{` and ends with `}`, else 0.

    A JSON value may extend over several lines, but never from such a line into the next one. So a
    decoder that finds this number of values has found one in each line.
    """
    if block[:1] != b"{":
        return 0
    count, end, last = 0, -1, len(block) - 1
    while end < last:
        end = block.find(b"\n", end + 1)
        if end < 0 or block[end - 1] != _CLOSING or (end < last and block[end + 1] != _OPENING):
            return 0
        count += 1
    return count
