"""Read the last messages of a session for a preview, as gateways show them.

As in CoderClaw, this reads the end of the transcript only and ignores branches.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from itertools import islice
from typing import Any, Final, Literal

import attrs

from sessiond.agents.sessions import opened_session, stat_session
from sessiond.files import journal
from sessiond.gateway.keys.identity import token, trim
from sessiond.gateway.transcripts.messages import messages
from sessiond.jsontext.javascript import utf16_head, utf16_length
from sessiond.jsontext.parts import text_or_empty

Role = Literal["user", "assistant", "system", "tool", "other"]

MOST_ITEMS: Final = 50
MOST_CHARS: Final = 2000
_ROLES: dict[str, Role] = {
    "user": "user",
    "assistant": "assistant",
    "system": "system",
    "tool": "tool",
}
_TAILS = (64 * 1024, 256 * 1024, 1024 * 1024)
"""Sizes in bytes of the tails to read: a larger one if the one before held no message."""
_LINES = 200
_CALLS = {"toolcall", "tool_call", "tool_use"}
_NAMES_SHOWN = 2

_CHANNELS = (
    *("webchat", "whatsapp", "telegram", "signal", "slack", "discord", "google chat", "imessage"),
    *("teams", "matrix", "zalo", "zalo personal", "bluebubbles"),
)
_FRAME = re.compile(r"\[([^\]]+)\]\s*")
_TIME = re.compile(r"\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}")


@attrs.frozen
class PreviewItem:
    """One message of a preview."""

    role: Role
    text: str


def read_items(paths: Iterable[str], limit: int, max_chars: int) -> list[PreviewItem]:
    """The last messages of the first transcript that exists, without messages that have no text.

    Blocking. Raises ReadFailed and SessionNotFound.
    """
    path = next((path for path in paths if stat_session(path) is not None), None)
    if path is None:
        return []
    messages: list[dict[str, Any]] = []
    with opened_session(path) as (descriptor, _, _):
        for size in _TAILS:
            end = os.fstat(descriptor).st_size
            text = journal.read_from(descriptor, max(0, end - size), end)
            messages = last_messages(text, min(limit, MOST_ITEMS))
            if messages:
                break
    shown = (item_of(message, min(max_chars, MOST_CHARS)) for message in messages)
    return [item for item in shown if item is not None]


def last_messages(text: bytes, limit: int) -> list[dict[str, Any]]:
    """The last messages, in order, of a text that may begin in the middle of a line."""
    lines = [line for line in text.split(b"\n") if line.strip()]
    last = list(islice(messages(reversed(lines[-_LINES:])), limit))
    return last[::-1]


def item_of(message: dict[str, Any], max_chars: int) -> PreviewItem | None:
    """The preview of a message; None if it has no text to show."""
    content = message.get("content")
    listed = content if isinstance(content, list) else []
    blocks = [block for block in listed if isinstance(block, dict)]
    calls = [block for block in blocks if token(text_or_empty(block.get("type"))) in _CALLS]
    tools = [trim(text_or_empty(name)) for name in (message.get("toolName"), *_names(calls))]
    is_tool = bool(calls or tools[0])
    role = "tool" if is_tool else _ROLES.get(token(text_or_empty(message.get("role"))), "other")
    text = trim(_said(content, blocks) or _called(tools) or _kind(blocks))
    if role == "user":
        text = without_envelope(text)
    if not text:
        return None
    if utf16_length(text) > max_chars:
        text = utf16_head(text, max_chars - 3) + "..."
    return PreviewItem(role, text)


def _said(content: object, blocks: list[dict[str, Any]]) -> str:
    if isinstance(content, str):
        return trim(content)
    texts = (text_or_empty(block.get("text")) for block in blocks)
    return trim("\n".join(text for text in texts if trim(text)))


def _names(calls: list[dict[str, Any]]) -> list[object]:
    return [call.get("name") for call in calls]


def _called(tools: list[str]) -> str:
    names = [name for name in dict.fromkeys(tools) if name]
    if not names:
        return ""
    more = len(names) - _NAMES_SHOWN
    shown = f"call {', '.join(names[:_NAMES_SHOWN])}"
    return f"{shown} +{more}" if more > 0 else shown


def _kind(blocks: list[dict[str, Any]]) -> str:
    """The type of a message's first block that is not text, where the message has no text."""
    kinds = (trim(text_or_empty(block.get("type"))) for block in blocks)
    first = next((kind for kind in kinds if kind and kind.lower() != "text"), None)
    return f"[{first}]" if first else ""


def without_envelope(text: str) -> str:
    """A user's text without a gateway's envelope, such as `[Telegram Ada 2026-01-02 10:00]`."""
    frame = _FRAME.match(text)
    if frame is None:
        return text
    head = frame[1].lower()
    framed = _TIME.search(frame[1]) or head.startswith(tuple(f"{name} " for name in _CHANNELS))
    return text[frame.end() :] if framed else text
