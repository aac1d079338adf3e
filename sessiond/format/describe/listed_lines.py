"""Decode blocks of lines for lists: many lines in one call of the decoder."""

from __future__ import annotations

import msgspec

from sessiond.format.describe.message_line import ABSENT, NULL, Line, own_time, parse_line
from sessiond.jsontext.dates import parse_js_date
from sessiond.jsontext.parts import string_of
from sessiond.jsontext.utf8 import readable
from sessiond.memory import require

_OPENING, _CLOSING = b"{}"


class ListedMessage(msgspec.Struct, gc=False):
    """The members of a message that lists use."""

    role: str | None = None
    content: msgspec.Raw = ABSENT
    timestamp: float | None = None
    """Epoch milliseconds; None if the message has no number there."""


class ListedLine(msgspec.Struct, gc=False):
    """The members of an entry that lists use."""

    type: str | None = None
    timestamp: msgspec.Raw = NULL
    name: msgspec.Raw = NULL
    message: ListedMessage | None = None


_LINES = msgspec.json.Decoder(ListedLine)


def parse_lines(block: bytes) -> list[ListedLine]:
    """Decode complete lines as `parse_line` decodes each, without those that are not objects.

    Bytes that are not UTF-8 may still be in the undecoded members.
    """
    count = _objects(block)
    if count:
        require(len(block))
        try:
            lines = _LINES.decode_lines(block)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            # Some line needs more care.
            pass
        else:
            if len(lines) == count:
                return lines
    return [listed for raw in block.split(b"\n") if raw and (listed := listed_line(raw))]


def listed_line(raw: bytes) -> ListedLine | None:
    """Decode one line; None if it is not a JSON object."""
    line = parse_line(raw)
    return None if line is None else _listed(line)


def time_of(message: ListedMessage, line: ListedLine) -> float:
    """Time of a message in epoch milliseconds: its own, else its entry's; 0 if it has neither.

    A message without a `content` member does not count (as pi 1.5.2).
    """
    if not memoryview(message.content):
        return 0.0
    if message.timestamp is not None:
        return message.timestamp
    return parse_js_date(string_of(readable(bytes(line.timestamp)))) or 0.0


def _objects(block: bytes) -> int:
    """The number of lines if each of them begins with `{` and ends with `}`, else 0.

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


def _listed(line: Line) -> ListedLine:
    message = None
    if line.message is not None:
        sent = line.message
        message = ListedMessage(sent.role, sent.content, own_time(sent))
    return ListedLine(line.type, line.timestamp, line.name, message)
