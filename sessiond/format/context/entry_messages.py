"""Build the messages of an entry in a context (as pi 1.6.0), spliced from its line."""

from __future__ import annotations

import re

import msgspec

from sessiond.format import entries as types
from sessiond.format.entries import Entry
from sessiond.format.lines import text_block
from sessiond.text.dates import json_ms
from sessiond.text.javascript import truthy
from sessiond.text.lenient import lenient
from sessiond.text.parts import join_members, object_members
from sessiond.text.spans import replace_member

_EMPTY_CONTENT = {"system": b'""', "user": b"[]", "assistant": b"[]", "toolResult": b"[]"}
_EDITABLE_MESSAGES = frozenset({"user", "assistant", "toolResult"})
_EDITABLE_ROLES = _EDITABLE_MESSAGES | {"custom"}
_SUMMARIES = frozenset({types.BRANCH_SUMMARY, types.COMPACTION})
# A message whose content is a string or array after simple string members only. Nearly all messages
# match, and a match saves decoding the message a second time.
_HAS_CONTENT = re.compile(rb'\{(?:"(?!content")[^"\\]*":"[^"\\]*",)*"content":["\[]')


class _Holder(msgspec.Struct, gc=False):
    message: msgspec.Raw = msgspec.Raw()


_decode_holder = lenient(_Holder)


def stored_message(entry: Entry) -> bytes | None:
    """Return the stored message of a `message` entry; None if it has none."""
    message = bytes((_decode_holder(entry.raw) or _Holder()).message)
    return message if message[:1] == b"{" else None


def entry_messages(entry: Entry) -> list[bytes]:
    """Return the messages of an entry before context edits: one for most types, none for state."""
    if entry.type == types.MESSAGE:
        message = stored_message(entry)
        return [] if message is None else [_with_content(message, entry.role)]
    if entry.type == types.CUSTOM_MESSAGE:
        return [_custom_message(object_members(entry.raw), entry)]
    if entry.type == types.BRANCH_SUMMARY:
        members = object_members(entry.raw)
        return [branch_summary_message(members, entry)] if truthy(members.get("summary")) else []
    if entry.type == types.COMPACTION:
        members = object_members(entry.raw)
        summary = compaction_message(members, entry)
        system = members.get("systemMessage", b"")
        return [system, summary] if system[:1] == b"{" else [summary]
    return []


def is_editable(entry: Entry) -> bool:
    """Whether a new context edit of this entry is accepted (as pi 1.6.0)."""
    if entry.type == types.MESSAGE:
        return entry.role in _EDITABLE_MESSAGES
    return entry.type == types.CUSTOM_MESSAGE


def edited(entry: Entry, messages: list[bytes], replacement: bytes | None) -> list[bytes]:
    """Apply a context edit to messages: `null` removes them, an object replaces the content."""
    if replacement == b"null":
        return []
    if replacement is None or replacement[:1] != b"{":
        return messages
    role = entry.role if entry.type == types.MESSAGE else "custom"
    content = object_members(replacement).get("content")
    if content is None or role not in _EDITABLE_ROLES or entry.type in _SUMMARIES:
        return messages
    if role in {"assistant", "toolResult"} and content[:1] == b'"':
        content = text_block(content)
    return [replace_member(message, "content", content) for message in messages]


def branch_summary_message(members: dict[str, bytes], entry: Entry) -> bytes:
    """`role,summary,fromId,timestamp` from the members of a `branch_summary` line."""
    return join_members(
        ("role", b'"branchSummary"'),
        ("summary", members.get("summary")),
        ("fromId", members.get("fromId")),
        ("timestamp", json_ms(entry.timestamp)),
    )


def compaction_message(members: dict[str, bytes], entry: Entry) -> bytes:
    """`role,summary,tokensBefore,timestamp` from the members of a `compaction` line."""
    return join_members(
        ("role", b'"compactionSummary"'),
        ("summary", members.get("summary")),
        ("tokensBefore", members.get("tokensBefore")),
        ("timestamp", json_ms(entry.timestamp)),
    )


def _custom_message(members: dict[str, bytes], entry: Entry) -> bytes:
    content = members.get("content", b"null")
    return join_members(
        ("role", b'"custom"'),
        ("customType", members.get("customType")),
        ("content", b"[]" if content == b"null" else content),
        ("display", members.get("display")),
        ("details", members.get("details")),
        ("timestamp", json_ms(entry.timestamp)),
    )


def _with_content(message: bytes, role: str | None) -> bytes:
    """Replace missing or null content by empty content, for the roles that require it."""
    empty = _EMPTY_CONTENT.get(role or "")
    if empty is None:
        return message
    if message.count(b'"content"') == 1 and _HAS_CONTENT.match(message):
        return message
    if object_members(message).get("content", b"null") == b"null":
        return replace_member(message, "content", empty)
    return message
