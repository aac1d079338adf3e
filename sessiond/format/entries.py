"""The index record of an entry, and how to read it from a line."""

from __future__ import annotations

from sys import intern
from typing import Final

import msgspec

from sessiond.format.line import Line, parse_lines
from sessiond.text.dates import iso_from_ms

MESSAGE: Final = "message"
THINKING_LEVEL_CHANGE: Final = "thinking_level_change"
MODEL_CHANGE: Final = "model_change"
COMPACTION: Final = "compaction"
BRANCH_SUMMARY: Final = "branch_summary"
CUSTOM: Final = "custom"
CUSTOM_MESSAGE: Final = "custom_message"
LABEL: Final = "label"
SESSION_INFO: Final = "session_info"
TITLE_CHANGE: Final = "title_change"
"""Oh My Pi's entry for a new title."""
USAGE: Final = "usage"
MODEL_USAGE: Final = "model_usage"
"""Oh My Pi's entry for a request outside of the conversation, as for a title."""
CONTEXT_EDIT: Final = "context_edit"
LEAF: Final = "leaf"
RESET: Final = "reset"
RESET_BOUNDARY: Final = "reset_boundary"
"""Oh My Pi's entry after which the context begins anew."""
SESSION: Final = "session"
"""The type of a header, which is not an entry."""

NAMING: Final = frozenset({SESSION_INFO, TITLE_CHANGE})
"""Types of entries that name the session."""

SUMMARY_ROLES: Final = {"compactionSummary": COMPACTION, "branchSummary": BRANCH_SUMMARY}
"""Roles of messages that are made from entries, and the types of those entries."""

CONVERSATION_ROLES: Final = frozenset({"user", "assistant"})
"""Roles of the messages that create the session file (as pi 1.6.0)."""


class Entry(msgspec.Struct, gc=False, eq=False):
    """One entry: its line, and the members of it that are asked for most.

    A msgspec struct instead of an attrs class, because a struct can be excluded from garbage
    collection. It refers to strings, bytes and integers only, and there may be hundreds of
    thousands.
    """

    id: str
    parent_id: str | None
    type: str
    timestamp: str
    """As written; in ISO form if the line has a number of milliseconds; empty if it has none."""
    role: str | None
    """Role of the message of a `message` entry ("" if it has no role); None for other types."""
    raw: bytes
    """Its JSON as readers see it: the bytes in the file, with U+FFFD where they are not UTF-8."""
    line: int
    """Line number in the file, from 1; 0 in a session that was not read from a file."""
    side: bool = False
    """Whether this is a side entry (`appendMode: "side"`), which does not move the leaf."""

    @property
    def is_conversation(self) -> bool:
        """Whether this entry causes the session file to be created."""
        return self.role in CONVERSATION_ROLES


class Diagnostic(msgspec.Struct, frozen=True, gc=False):
    """A finding about a file: line number (0 if it has none), kind, and message for people."""

    line: int
    kind: str
    message: str


SIDE: Final = "side"
"""The `appendMode` of an entry that does not move the leaf."""


def entry_of(line: Line, raw: bytes, number: int) -> Entry:
    """Make the Entry of a line with a type, whose JSON is `raw`, and which has this number."""
    kind, role, timestamp = line.type or "", None, line.timestamp
    if kind == MESSAGE:
        kind, message = MESSAGE, line.message
        role = intern(message.role or "") if message is not None else ""
    else:
        kind = intern(kind)
    if not isinstance(timestamp, str):
        timestamp = "" if timestamp is None else iso_from_ms(timestamp) or ""
    side = line.append_mode == SIDE
    return Entry(line.id or "", line.parent_id, kind, timestamp, role, raw, number, side)


def make_entry(raw: bytes, number: int = 0) -> Entry:
    """Make the Entry of a line in UTF-8 with this number.

    Raises ValueError if the line is not an object with a string `type` and `id`.
    """
    line = next(iter(parse_lines(raw)), None)
    if line is None or line.type is None or line.id is None:
        raise ValueError("not an entry: no type or no id")
    return entry_of(line, raw, number)
