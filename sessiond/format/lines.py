"""Write entry lines as pi does: each type has its members in pi's order.

Raw JSON values (`bytes`) keep their spelling; white space between tokens is removed only if a value
contains a line break. A member that is None is omitted, as JSON.stringify omits undefined; pass
`b"null"` for a JSON null. Lines have no newline at the end.
"""

from __future__ import annotations

import re
from typing import overload

import msgspec

from sessiond.format import entries
from sessiond.jsontext.dates import json_ms
from sessiond.jsontext.parts import join_members, object_members
from sessiond.jsontext.spans import js_string, js_trim, minify, replace_member

_NEWLINES = re.compile(r"[\r\n]+")


class Stamp(msgspec.Struct, frozen=True, gc=False):
    """The members that every entry has in addition to its type."""

    id: str
    parent_id: str | None
    timestamp: str
    """ISO 8601 (`iso_now`)."""


def message_line(at: Stamp, message: bytes) -> bytes:
    """`type,id,parentId,timestamp,message`."""
    parent = b"null" if at.parent_id is None else js_string(at.parent_id)
    known = js_string(at.id), parent, js_string(at.timestamp), one_line(message)
    return b'{"type":"message","id":%b,"parentId":%b,"timestamp":%b,"message":%b}' % known


def thinking_level_change_line(
    at: Stamp,
    thinking_level: str,
) -> bytes:
    """`type,id,parentId,timestamp,thinkingLevel`."""
    return _entry(
        entries.THINKING_LEVEL_CHANGE,
        at,
        (("thinkingLevel", js_string(thinking_level)),),
    )


def model_change_line(
    at: Stamp,
    provider: str,
    model_id: str,
) -> bytes:
    """`type,id,parentId,timestamp,provider,modelId`."""
    return _entry(
        entries.MODEL_CHANGE,
        at,
        (("provider", js_string(provider)), ("modelId", js_string(model_id))),
    )


def usage_line(
    at: Stamp,
    *,
    kind: str,
    provider: str,
    model: str,
    usage: bytes,
    note: str | None = None,
) -> bytes:
    """`type,id,parentId,timestamp,kind,provider,model,usage[,note]`; an empty note is omitted."""
    return _entry(
        entries.USAGE,
        at,
        (
            ("kind", js_string(kind)),
            ("provider", js_string(provider)),
            ("model", js_string(model)),
            ("usage", one_line(usage)),
            ("note", js_string(note) if note else None),
        ),
    )


def compaction_line(
    at: Stamp,
    *,
    summary: str,
    first_kept_entry_id: str | None,
    tokens_before: bytes,
    details: bytes | None = None,
    usage: bytes | None = None,
    from_hook: bool | None = None,
    system_message: bytes | None = None,
) -> bytes:
    """`type,id,parentId,timestamp,summary,firstKeptEntryId,tokensBefore[,details][,usage]
    [,fromHook][,systemMessage]`.

    Without a first kept entry the line names its own id, which keeps nothing. `system_message` is
    the system message in force before the append; it gets the entry's time (as pi 1.5.2).
    """
    if system_message is not None:
        system_message = replace_member(system_message, "timestamp", json_ms(at.timestamp))
    return _entry(
        entries.COMPACTION,
        at,
        (
            ("summary", js_string(summary)),
            (
                "firstKeptEntryId",
                js_string(at.id if first_kept_entry_id is None else first_kept_entry_id),
            ),
            ("tokensBefore", one_line(tokens_before)),
            ("details", one_line(details)),
            ("usage", one_line(usage)),
            ("fromHook", _flag(from_hook)),
            ("systemMessage", one_line(system_message)),
        ),
    )


def branch_summary_line(
    at: Stamp,
    *,
    from_id: str | None,
    summary: str,
    details: bytes | None = None,
    usage: bytes | None = None,
    from_hook: bool | None = None,
) -> bytes:
    """`type,id,parentId,timestamp,fromId,summary[,details][,usage][,fromHook]`; `from_id` is the
    previous leaf; None, stored as `root`, if that was before any entry (as pi 1.5.2).
    """
    return _entry(
        entries.BRANCH_SUMMARY,
        at,
        (
            ("fromId", js_string("root" if from_id is None else from_id)),
            ("summary", js_string(summary)),
            ("details", one_line(details)),
            ("usage", one_line(usage)),
            ("fromHook", _flag(from_hook)),
        ),
    )


def custom_line(
    at: Stamp,
    custom_type: str,
    data: bytes | None = None,
) -> bytes:
    """`type,customType[,data],id,parentId,timestamp`."""
    return join_members(
        ("type", js_string(entries.CUSTOM)),
        ("customType", js_string(custom_type)),
        ("data", one_line(data)),
        *_identity(at),
    )


def custom_message_line(
    at: Stamp,
    *,
    custom_type: str,
    content: bytes,
    display: bool,
    details: bytes | None = None,
) -> bytes:
    """`type,customType,content,display[,details],id,parentId,timestamp`."""
    return join_members(
        ("type", js_string(entries.CUSTOM_MESSAGE)),
        ("customType", js_string(custom_type)),
        ("content", one_line(content)),
        ("display", _flag(display)),
        ("details", one_line(details)),
        *_identity(at),
    )


def label_line(
    at: Stamp,
    target_id: str,
    label: str | None,
) -> bytes:
    """`type,id,parentId,timestamp,targetId[,label]`; None and "" clear the label."""
    return _entry(
        entries.LABEL,
        at,
        (
            ("targetId", js_string(target_id)),
            ("label", None if label is None else js_string(label)),
        ),
    )


def session_info_line(at: Stamp, name: str) -> bytes:
    """`type,id,parentId,timestamp,name`; see `clean_name` (as pi 1.5.2)."""
    return _entry(
        entries.SESSION_INFO,
        at,
        (("name", js_string(clean_name(name))),),
    )


def context_edit_line(
    at: Stamp,
    target_id: str,
    replacement: bytes,
) -> bytes:
    """`type,id,parentId,timestamp,targetId,replacement`; see `normalized_replacement`."""
    return _entry(
        entries.CONTEXT_EDIT,
        at,
        (("targetId", js_string(target_id)), ("replacement", one_line(replacement))),
    )


def _flag(value: bool | None) -> bytes | None:
    return None if value is None else (b"true" if value else b"false")


def _identity(at: Stamp) -> tuple[tuple[str, bytes], ...]:
    return (
        ("id", js_string(at.id)),
        ("parentId", b"null" if at.parent_id is None else js_string(at.parent_id)),
        ("timestamp", js_string(at.timestamp)),
    )


def _entry(
    kind: str,
    at: Stamp,
    rest: tuple[tuple[str, bytes | None], ...],
) -> bytes:
    return join_members(("type", js_string(kind)), *_identity(at), *rest)


def normalized_replacement(role: str | None, replacement: bytes) -> bytes:
    """Return the replacement as pi stores it; `role` is that of the target entry.

    For the roles assistant and toolResult, string content becomes one text block and is the only
    member kept. `replacement` must be `null` or an object with a string or array `content`.
    """
    if role in ("assistant", "toolResult") and replacement[:1] == b"{":
        content = object_members(replacement).get("content", b"")
        if content[:1] == b'"':
            return b'{"content":' + text_block(content) + b"}"
    return replacement


def text_block(text: bytes) -> bytes:
    """Wrap a raw JSON string into an array of one text block."""
    return b'[{"type":"text","text":' + text + b"}]"


def clean_name(name: str) -> str:
    """Put a session name on one line: replace runs of CR and LF by a space, then trim."""
    return js_trim(_NEWLINES.sub(" ", name))


@overload
def one_line(raw: bytes) -> bytes: ...
@overload
def one_line(raw: None) -> None: ...
def one_line(raw: bytes | None) -> bytes | None:
    """Remove white space between tokens if the value contains a line break; None stays None."""
    if raw is not None and (b"\n" in raw or b"\r" in raw):
        return minify(raw)
    return raw
