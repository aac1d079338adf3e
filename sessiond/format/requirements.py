"""Members that pi requires of an entry: it ends with an error when it opens or continues a file
without it.

Found by opening sessions in pi 1.6.0 whose members were left out or replaced one by one, and in its
`tree-selector.ts` and `compaction.ts`, which `/tree` and `/compact` run. Members
that pi can do without, such as the timestamp of a message, are not checked, and neither are
messages and blocks of kinds that it does not know.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping

import msgspec

from sessiond.format.entries import (
    BRANCH_SUMMARY,
    COMPACTION,
    CONTEXT_EDIT,
    CUSTOM_MESSAGE,
    MESSAGE,
    SESSION_INFO,
    SUMMARY_ROLES,
    USAGE,
)
from sessiond.runtime.errors import InvalidParams
from sessiond.text.parts import elements, string_of
from sessiond.text.spans import Buffer, loads, raw_members

Check = Callable[[Buffer | None, str], None]
"""Raises InvalidParams unless pi can read a value (None: it is absent), which has this path."""

_LONGEST_NAME = 64
"""The names of types and roles are shorter."""


def _is(expected: str, first: bytes = b"", refused: bytes = b"") -> Check:
    """A value that is there and begins with one of these bytes, if any, and with none refused."""

    def check(value: Buffer | None, path: str) -> None:
        begins = None if value is None else bytes(value[:1])
        if begins is None or (first and begins not in first) or begins in refused:
            raise InvalidParams.misfit(expected, begins, path)

    return check


def _optional(check: Check) -> Check:
    """A value that may be absent or null, which pi treats alike."""
    return lambda value, path: None if value is None or value[:1] == b"n" else check(value, path)


def _array(item: Check, expected: str = "an array") -> Check:
    is_array = _is(expected, b"[")

    def check(value: Buffer | None, path: str) -> None:
        is_array(value, path)
        for number, each in enumerate(elements(value or b"")):
            item(each, f"{path}[{number}]")

    return check


def _object(**members: Check) -> Check:
    return _one_of("", {None: members})


def _one_of(tag: str, kinds: Mapping[str | None, Mapping[str, Check]]) -> Check:
    """An object, whose members are checked that its kind needs, which is the value of `tag`.

    None stands for all kinds that are not named.
    """
    others = kinds.get(None, {})

    def check(value: Buffer | None, path: str) -> None:
        _OBJECT(value, path)
        members = raw_members(value or b"")
        for name, needs in kinds.get(_name(members.get(tag)), others).items():
            needs(members.get(name), f"{path}.{name}")

    return check


def _name(value: Buffer | None) -> str | None:
    if value is None or len(value) > _LONGEST_NAME:
        return None
    return string_of(bytes(value))


_STRING = _is("a string", b'"')
_OBJECT = _is("an object", b"{")


_BLOCK = _one_of(
    "type",
    {
        "text": {"text": _STRING},
        "thinking": {"thinking": _STRING},
        "toolCall": {"name": _STRING, "arguments": _is("an object", refused=b"n")},
        None: {"type": _STRING},
    },
)
_BLOCKS = _array(_BLOCK)
_BLOCKS_OR_TEXT = _array(_BLOCK, "a string or an array")


def check_content(content: Buffer | None, path: str) -> None:
    """Raise InvalidParams unless this is a text, or an array of blocks."""
    if content is None or content[:1] != b'"':
        _BLOCKS_OR_TEXT(content, path)


check_usage: Check = _object(cost=_object(total=_optional(_is("a number", refused=b'"[{'))))
"""Raises InvalidParams unless pi can add up this usage."""

_MESSAGES: dict[str | None, Mapping[str, Check]] = {
    "user": {"content": _optional(check_content)},
    "assistant": {
        "content": _optional(_BLOCKS),
        "usage": check_usage,
        "errorMessage": _optional(_STRING),
    },
    "toolResult": {"content": _optional(_BLOCKS), "usage": _optional(check_usage)},
    "bashExecution": {"command": _STRING, "output": _STRING},
    "custom": {"content": check_content},
    "system": {
        "content": _optional(check_content),
        "toolsAdded": _optional(_array(_OBJECT)),
        "toolsRemoved": _optional(_array(_OBJECT)),
    },
}
check_message = _one_of("role", _MESSAGES)
"""Raises InvalidParams unless pi can read this message."""


def check_replacement(replacement: Buffer | None, path: str) -> None:
    """Raise InvalidParams unless this is null or an object with content."""
    if replacement != b"null":
        _object(content=check_content)(replacement, path)


_ENTRIES: dict[str | None, Mapping[str, Check]] = {
    MESSAGE: {"message": check_message},
    COMPACTION: {
        "summary": _STRING,
        "tokensBefore": _is("an integer", refused=b"n"),
        "usage": _optional(check_usage),
        "systemMessage": _optional(check_message),
    },
    BRANCH_SUMMARY: {"summary": _STRING, "usage": _optional(check_usage)},
    CUSTOM_MESSAGE: {"content": check_content},
    USAGE: {"usage": check_usage},
    CONTEXT_EDIT: {"replacement": check_replacement},
    SESSION_INFO: {"name": _optional(_STRING)},
}
_ENTRY = _one_of("type", _ENTRIES)


def check_entry(line: Buffer) -> None:
    """Raise InvalidParams unless pi can read this entry; the path is that in the line."""
    _ENTRY(line, "$")


class _Sent(msgspec.Struct, gc=False):
    role: str


_decode_role = msgspec.json.Decoder(_Sent).decode


def check_role(message: bytes) -> None:
    """Raise InvalidParams unless this JSON is an object with a role that may be appended."""
    path = "$.message"
    with contextlib.suppress(msgspec.MsgspecError, RecursionError):
        # Nearly every message ends here.
        if _decode_role(message).role not in SUMMARY_ROLES:
            return
    try:
        role = raw_members(message).get("role")
    except ValueError:
        raise InvalidParams.misfit("an object", message, path) from None
    if role is None or not role.startswith(b'"'):
        raise InvalidParams.misfit("a string", role, f"{path}.role")
    summary = SUMMARY_ROLES.get(str(loads(role)))
    if summary is not None:
        verb = "appendCompaction" if summary == COMPACTION else "branchWithSummary"
        raise InvalidParams(f"use session/{verb} for summaries", f"{path}.role")


def check_replacement_form(replacement: bytes) -> None:
    """Raise InvalidParams unless this is `null`, or an object with string or array content."""
    problem = "Context edit replacement must be null or contain string/array content"
    if replacement == b"null":
        return
    try:
        content = raw_members(replacement).get("content", b"")
    except ValueError:
        raise InvalidParams(problem, "$.replacement") from None
    if content[:1] not in {b'"', b"["}:
        raise InvalidParams(problem, "$.replacement.content")
