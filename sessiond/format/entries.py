"""The index record of an entry, and how to read it from a line."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from sessiond.jsontext import spans
from sessiond.jsontext.dates import iso_from_ms
from sessiond.jsontext.parts import text_or_empty
from sessiond.jsontext.spans import Buffer

MESSAGE: Final = "message"
THINKING_LEVEL_CHANGE: Final = "thinking_level_change"
MODEL_CHANGE: Final = "model_change"
COMPACTION: Final = "compaction"
BRANCH_SUMMARY: Final = "branch_summary"
CUSTOM: Final = "custom"
CUSTOM_MESSAGE: Final = "custom_message"
LABEL: Final = "label"
SESSION_INFO: Final = "session_info"
USAGE: Final = "usage"
CONTEXT_EDIT: Final = "context_edit"
LEAF: Final = "leaf"
RESET: Final = "reset"
SESSION: Final = "session"
"""The type of a header, which is not an entry."""

SUMMARY_ROLES: Final = {"compactionSummary": COMPACTION, "branchSummary": BRANCH_SUMMARY}
"""Roles of messages that are made from entries, and the types of those entries."""

CONVERSATION_ROLES: Final = frozenset({"user", "assistant"})
"""Roles of the messages that create the session file (as pi 1.5.2)."""


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


class Facts(msgspec.Struct, frozen=True, gc=False):
    """The members of a line that an Entry is made from; see `Entry`. `id` may be missing (None)."""

    type: str
    id: str | None
    parent_id: str | None
    timestamp: str
    role: str | None
    side: bool = False


class _MessageRole(msgspec.Struct, gc=False):
    role: str = ""


class QuickFacts(
    msgspec.Struct, gc=False, rename={"parent_id": "parentId", "append_mode": "appendMode"}
):
    """`Facts` as the fast decoder reads them from a well-formed line."""

    type: str
    id: str = ""
    parent_id: str | None = None
    timestamp: str = ""
    message: _MessageRole | None = None
    append_mode: str | None = None


SIDE: Final = "side"
"""The `appendMode` of an entry that does not move the leaf."""

decode_quickly = msgspec.json.Decoder(QuickFacts).decode
"""Raises msgspec.MsgspecError for unusual lines, RecursionError for deeply nested ones."""


class NotAnObject(ValueError):
    """A line is JSON but not an object; `value` is the decoded value."""

    def __init__(self, value: object) -> None:
        super().__init__("not a JSON object")
        self.value = value


def parse_entry_facts(raw: Buffer) -> Facts | None:
    """Read the facts of one line; None for an object without a string `type`.

    Raises NotAnObject, and ValueError for a line that is not JSON or nested too deeply.
    """
    try:
        quick = decode_quickly(raw)
    except (msgspec.MsgspecError, RecursionError):
        # Lone surrogates, or members of unexpected types.
        return _facts_of(spans.loads(raw))
    if not quick.id:
        return _facts_of(spans.loads(raw))
    role = None
    if quick.type == MESSAGE:
        role = quick.message.role if quick.message else ""
    side = quick.append_mode == SIDE
    return Facts(quick.type, quick.id, quick.parent_id, quick.timestamp, role, side)


def _facts_of(value: Any) -> Facts | None:
    if not isinstance(value, dict):
        raise NotAnObject(value)
    kind = value.get("type")
    if not isinstance(kind, str):
        return None
    role = None
    if kind == MESSAGE:
        message = value.get("message")
        role = text_or_empty(message.get("role")) if isinstance(message, dict) else ""
    entry_id = value.get("id")
    parent_id = value.get("parentId")
    return Facts(
        kind,
        entry_id if isinstance(entry_id, str) else None,
        parent_id if isinstance(parent_id, str) else None,
        _timestamp(value.get("timestamp")),
        role,
        value.get("appendMode") == SIDE,
    )


def _timestamp(value: object) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return iso_from_ms(value) or ""
    return text_or_empty(value)


def make_entry(raw: bytes, line: int = 0) -> Entry:
    """Make the Entry of a line with this number.

    Raises ValueError if the line is not an object with a string `type` and `id`.
    """
    facts = parse_entry_facts(raw)
    if facts is None or facts.id is None:
        raise ValueError("not an entry: no type or no id")
    return Entry(
        facts.id,
        facts.parent_id,
        facts.type,
        facts.timestamp,
        facts.role,
        raw,
        line,
        facts.side,
    )
