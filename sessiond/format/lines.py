"""Write entry lines as pi does: each type has its members in pi's order.

Raw JSON values (`bytes`) keep their spelling; white space between tokens is removed only if a value
contains a line break. A member that is None is omitted, as JSON.stringify omits undefined; pass
`b"null"` for a JSON null. Lines have no newline at the end.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, overload

import msgspec

from sessiond.format import entries
from sessiond.text.dates import json_ms
from sessiond.text.parts import join_members, object_members
from sessiond.text.spans import js_string, js_trim, loads, minify, replace_member

_NEWLINES = re.compile(r"[\r\n]+")


class Stamp(msgspec.Struct, frozen=True, gc=False):
    """The members that every entry has in addition to its type."""

    id: str
    parent_id: str | None
    timestamp: str
    """ISO 8601 (`iso_now`)."""


Value = str | bytes | bool | None
"""A member: a text, raw JSON, or a flag; None leaves it out."""

_IDENTITY_LAST = frozenset((entries.CUSTOM, entries.CUSTOM_MESSAGE))
"""Types whose own members come before `id`, `parentId` and `timestamp`."""


def entry_line(kind: str, at: Stamp, /, **members: Value) -> bytes:
    """The line of an entry: its type, its identity, and its own members in the order given."""
    identity = (
        ("id", js_string(at.id)),
        ("parentId", b"null" if at.parent_id is None else js_string(at.parent_id)),
        ("timestamp", js_string(at.timestamp)),
    )
    own = [(name, _json(value)) for name, value in members.items()]
    both = (*own, *identity) if kind in _IDENTITY_LAST else (*identity, *own)
    return join_members(("type", js_string(kind)), *both)


def _json(value: Value) -> bytes | None:
    match value:
        case bool():
            return b"true" if value else b"false"
        case str():
            return js_string(value)
        case _:
            return one_line(value)


def message_line(
    at: Stamp, message: bytes, *, answer_id: str | None = None, part_of: str | None = None
) -> bytes:
    """`type,id,parentId,timestamp,message`; written at once, because most entries are messages.

    `answer_id` and `part_of`: see `Line`.
    """
    parent = b"null" if at.parent_id is None else js_string(at.parent_id)
    own = b"" if answer_id is None else b',"answerId":%b' % js_string(answer_id)
    if part_of is not None:
        own += b',"partOf":%b' % js_string(part_of)
    parts = js_string(at.id), parent, js_string(at.timestamp), own, one_line(message)
    return b'{"type":"message","id":%b,"parentId":%b,"timestamp":%b%b,"message":%b}' % parts


def usage_line(
    at: Stamp,
    *,
    kind: str,
    provider: str,
    model: str,
    usage: bytes,
    note: str | None = None,
    answer_id: str | None = None,
    priced_answers: int = 0,
) -> bytes:
    """The line of a usage entry; an empty note is omitted.

    `answer_id` and `priced_answers`: see `Line`.
    """
    own: dict[str, Value] = {"kind": kind, "provider": provider, "model": model, "usage": usage}
    priced = b"%d" % priced_answers if priced_answers else None
    own |= {"note": note or None, "answerId": answer_id, "pricedAnswers": priced}
    return entry_line(entries.USAGE, at, **own)


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
    """The line of a compaction.

    Without a first kept entry the line names its own id, which keeps nothing. `system_message` is
    the system message in force before the append; it gets the entry's time (as pi 1.6.0).
    """
    if system_message is not None:
        system_message = replace_member(system_message, "timestamp", json_ms(at.timestamp))
    return entry_line(
        entries.COMPACTION,
        at,
        summary=summary,
        firstKeptEntryId=at.id if first_kept_entry_id is None else first_kept_entry_id,
        tokensBefore=tokens_before,
        details=details,
        usage=usage,
        fromHook=from_hook,
        systemMessage=system_message,
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
    """The line of a branch summary; `from_id` is the previous leaf.

    None, stored as `root`: that was before any entry (as pi 1.6.0).
    """
    return entry_line(
        entries.BRANCH_SUMMARY,
        at,
        fromId="root" if from_id is None else from_id,
        summary=summary,
        details=details,
        usage=usage,
        fromHook=from_hook,
    )


def custom_line(at: Stamp, custom_type: str, data: bytes | None = None) -> bytes:
    """The line of an entry of an extension."""
    return entry_line(entries.CUSTOM, at, customType=custom_type, data=data)


def directory_line(at: Stamp, custom_type: str, cwd: str, *, is_moved: bool) -> bytes:
    """The line that says that a session works in another directory; see `Line`."""
    members = {"worksIn": cwd, "movedTo": cwd if is_moved else None}
    return entry_line(entries.CUSTOM, at, customType=custom_type, **members)


def custom_message_line(
    at: Stamp, *, custom_type: str, content: bytes, display: bool, details: bytes | None = None
) -> bytes:
    """The line of a message of an extension."""
    kind = entries.CUSTOM_MESSAGE
    own: dict[str, Value] = {"customType": custom_type, "content": content, "display": display}
    return entry_line(kind, at, **own, details=details)


def label_line(at: Stamp, target_id: str, label: str | None) -> bytes:
    """The line that labels an entry; None and "" clear the label."""
    return entry_line(entries.LABEL, at, targetId=target_id, label=label)


def session_info_line(at: Stamp, name: str) -> bytes:
    """The line that names a session; see `clean_name` (as pi 1.6.0)."""
    return entry_line(entries.SESSION_INFO, at, name=clean_name(name))


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


_STATE = ("id", "parentId", "timestamp", "fromId", "systemMessage")
"""Members of a line that come from the state of the session."""


def has_equal_content(line: bytes, other: bytes, derived: Sequence[str] = ()) -> bool:
    """Return whether two lines say the same, apart from their place and the `derived` members.

    Their spelling may differ, since another program may have written one of them anew.
    Raises ValueError for what is not JSON.
    """

    def content(line: bytes) -> dict[str, Any]:
        return {
            name: value for name, value in loads(line).items() if name not in {*_STATE, *derived}
        }

    return line == other or content(line) == content(other)


@overload
def one_line(raw: bytes) -> bytes: ...
@overload
def one_line(raw: None) -> None: ...
def one_line(raw: bytes | None) -> bytes | None:
    """Remove white space between tokens if the value contains a line break; None stays None."""
    if raw is not None and (b"\n" in raw or b"\r" in raw):
        return minify(raw)
    return raw
